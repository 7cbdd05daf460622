"""Keys of a deployment: the server's certificate, which hospitals check, and a pair of keys per hospital.

A private key stays where it is made. Hospitals get the server's ``ca.pem``, and the server gets every hospital's
``.pub`` file.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
from collections.abc import Sequence
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_ssh_public_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from leadapron.engine import atomic_folder
from leadapron.errors import ConfigError

AUTHORITY, CERTIFICATE, SERVER_KEY, HOSPITALS = "ca.pem", "server.pem", "server.key", "hospitals"
PRIVATE, PUBLIC = ".key", ".pub"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
CURVE = ec.SECP384R1()
VALID = dt.timedelta(days=730)
UNUSED = (
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "encipher_only",
    "decipher_only",
)


def write_server_keys(folder: Path, hosts: Sequence[str]) -> None:
    """A certificate for the names and addresses by which hospitals, and its own parts, reach the server; its signer.

    The key of the authority is not kept: nothing else will ever pass for this server.
    """
    signer, key = ec.generate_private_key(CURVE), ec.generate_private_key(CURVE)
    issuer, names = _name("leadapron federation"), list(dict.fromkeys([*hosts, *LOOPBACK]))
    authority = _certificate(issuer, signer.public_key(), is_authority=True)
    server = (
        _certificate(_name(hosts[0]), key.public_key(), is_authority=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False)
        .add_extension(x509.SubjectAlternativeName([_reached_by(host) for host in names]), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )
    with atomic_folder(folder, private=True) as place:
        (place / HOSPITALS).mkdir()
        for name, certificate in ((AUTHORITY, authority), (CERTIFICATE, server)):
            signed = certificate.issuer_name(issuer).sign(signer, hashes.SHA384())
            (place / name).write_bytes(signed.public_bytes(Encoding.PEM))
        (place / SERVER_KEY).write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def write_hospital_keys(folder: Path, name: str) -> None:
    """The pair by which the server knows that it speaks with the hospital ``name``."""
    key = ec.generate_private_key(CURVE)
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    with atomic_folder(folder, private=True) as place:
        private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
        (place / f"{name}{PRIVATE}").write_bytes(private)
        (place / f"{name}{PUBLIC}").write_bytes(public + f" {name}\n".encode())


def read_public_keys(folder: Path, names: Sequence[str]) -> dict[str, bytes]:
    """The public key of each of these hospitals, as Flower wants to have it."""
    found: dict[bytes, str] = {}
    for name in names:
        file = folder / HOSPITALS / f"{name}{PUBLIC}"
        try:
            key = load_ssh_public_key(file.read_bytes())
        except (OSError, ValueError, UnsupportedAlgorithm) as error:
            what = "this is not a public key" if file.exists() else "there is no public key of this hospital"
            raise ConfigError(what, where=file, fix=f"Ask {name} for its {file.name} and put it there.") from error
        written = key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        if written in found:
            what = f"this is also the key of {found[written]}"
            raise ConfigError(what, where=file, fix="Ask every hospital for a key of its own.")
        found[written] = name
    return {name: key for key, name in found.items()}


def check_files(folder: Path, *names: str) -> None:
    """They are there."""
    for name in names:
        if not (folder / name).is_file():
            raise ConfigError(
                "there is no such file",
                where=folder / name,
                fix="Make the keys with `leadapron federation keys`; hospitals get ca.pem from the server.",
            )


def _certificate(name: x509.Name, key: ec.EllipticCurvePublicKey, *, is_authority: bool) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    usage = x509.KeyUsage(
        digital_signature=not is_authority,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        **dict.fromkeys(UNUSED, False),
    )
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + VALID)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=0 if is_authority else None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _reached_by(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
