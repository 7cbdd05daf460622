"""The server is known by its certificate and each hospital by its key; errors say whose is missing."""

from __future__ import annotations

import ssl

import pytest

from leadapron.errors import ConfigError
from leadapron.federated.flower.node_keys import (
    AUTHORITY,
    CERTIFICATE,
    HOSPITALS,
    SERVER_KEY,
    check_files,
    read_public_keys,
    write_hospital_keys,
    write_server_keys,
)


def handshake(server, trusted, host):
    """A TLS handshake in memory, as strict as a client can ask for."""
    at_server, at_client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context(cafile=trusted)
    at_client.verify_flags |= ssl.VERIFY_X509_STRICT
    at_server.load_cert_chain(server / CERTIFICATE, server / SERVER_KEY)
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = at_client.wrap_bio(back, there, server_hostname=host)
    answering = at_server.wrap_bio(there, back, server_side=True)
    for _ in range(3):
        for side in (client, answering):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    return client.version()


def test_the_server_is_known_by_the_names_and_addresses_it_was_given_and_by_no_other(tmp_path):
    write_server_keys(tmp_path / "server", ["localhost", "127.0.0.1"])
    write_server_keys(tmp_path / "other", ["localhost"])
    server = tmp_path / "server"
    assert handshake(server, server / AUTHORITY, "127.0.0.1") == "TLSv1.3"
    assert handshake(server, server / AUTHORITY, "localhost") == "TLSv1.3"
    with pytest.raises(ssl.SSLCertVerificationError, match="mismatch"):
        handshake(server, server / AUTHORITY, "hospital.example")
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(tmp_path / "other", server / AUTHORITY, "localhost")


def test_private_keys_are_for_their_owner_alone_and_the_signer_is_forgotten(tmp_path):
    write_server_keys(tmp_path / "server", ["localhost"])
    write_hospital_keys(tmp_path / "keys", "hospital-00")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    secrets = [path.name for path in files if b"PRIVATE KEY" in path.read_bytes()]
    assert sorted(secrets) == ["hospital-00.key", SERVER_KEY]


def keys_of(tmp_path, *names):
    write_server_keys(tmp_path / "server", ["localhost"])
    for name in names:
        write_hospital_keys(tmp_path / name, name)
        (tmp_path / "server" / HOSPITALS / f"{name}.pub").write_bytes((tmp_path / name / f"{name}.pub").read_bytes())
    return tmp_path / "server"


def test_the_server_reads_the_public_key_of_every_hospital(tmp_path):
    found = read_public_keys(keys_of(tmp_path, "hospital-00", "hospital-01"), ["hospital-00", "hospital-01"])
    assert list(found) == ["hospital-00", "hospital-01"]
    assert all(key.startswith(b"-----BEGIN PUBLIC KEY-----") for key in found.values())


def test_a_hospital_whose_key_is_missing_broken_or_that_of_another_is_named(tmp_path):
    server = keys_of(tmp_path, "hospital-00", "hospital-01")
    with pytest.raises(ConfigError, match=r"hospital-02\.pub: there is no public key .* Ask hospital-02 for its"):
        read_public_keys(server, ["hospital-00", "hospital-02"])
    (server / HOSPITALS / "hospital-02.pub").write_text("nothing")
    with pytest.raises(ConfigError, match=r"hospital-02\.pub: this is not a public key"):
        read_public_keys(server, ["hospital-02"])
    (server / HOSPITALS / "hospital-01.pub").write_bytes((server / HOSPITALS / "hospital-00.pub").read_bytes())
    with pytest.raises(ConfigError, match=r"hospital-01\.pub: this is also the key of hospital-00"):
        read_public_keys(server, ["hospital-00", "hospital-01"])


def test_a_missing_file_is_told_with_the_command_that_makes_it(tmp_path):
    with pytest.raises(ConfigError, match=r"ca\.pem: there is no such file.*leadapron federation keys"):
        check_files(tmp_path, AUTHORITY)
