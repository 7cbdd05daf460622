"""The commands of a deployed federation, up to the moment when Flower would start."""

from __future__ import annotations

import json
import socket
import ssl
import threading

import pytest

import federated_data as fed
from command_line import everything_in, refusal, run
from leadapron.federated.flower.node_keys import CERTIFICATE, SERVER_KEY
from leadapron.release import Release, write_release

SHORT = ("--clients", "1:0:1", "--public", 8, "--rounds", 2, "--epochs", 1, "--width", 4)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A federation of two hospitals that was dealt, with all keys in their places; tests do not write into it."""
    place = tmp_path_factory.mktemp("federation")
    write_release(fed.release(), place / "release")
    assert run("federation", "deal", place / "release", *SHORT, "--out", place / "fed").code == 0
    assert run("federation", "keys", "--server", "127.0.0.1", "--out", place / "server-keys").code == 0
    for name in ("hospital-00", "hospital-01"):
        assert run("federation", "keys", "--hospital", name, "--out", place / f"{name}-keys").code == 0
        public = (place / f"{name}-keys" / f"{name}.pub").read_bytes()
        (place / "server-keys" / "hospitals" / f"{name}.pub").write_bytes(public)
        (place / f"{name}-keys" / "ca.pem").write_bytes((place / "server-keys" / "ca.pem").read_bytes())
    return place


def test_dealing_makes_a_folder_per_place(place):
    assert sorted(path.name for path in (place / "fed").iterdir() if path.is_dir()) == [
        "hospital-00",
        "hospital-01",
        "server",
    ]
    card = json.loads((place / "fed" / "hospital-00" / "federation.json").read_text())
    assert (card["place"], card["plan"]["rounds"]) == ("hospital-00", 2)


def test_whoever_makes_keys_says_whose_they_are(tmp_path):
    said = refusal("federation", "keys", "--out", tmp_path / "keys")
    assert "either --server HOST or --hospital NAME" in said
    both = refusal("federation", "keys", "--server", "a", "--hospital", "b", "--out", tmp_path / "keys")
    assert "either --server HOST or --hospital NAME" in both
    assert not list(tmp_path.iterdir())


def test_keys_tell_what_goes_where_and_are_not_overwritten(tmp_path):
    told = run("federation", "keys", "--hospital", "hospital-00", "--out", tmp_path / "keys").out
    assert "Give hospital-00.pub to the server." in told
    assert "exists already" in refusal("federation", "keys", "--hospital", "hospital-00", "--out", tmp_path / "keys")


def server(place, out, **changed):
    given = {"--keys": place / "server-keys", "--out": out, "--address": "127.0.0.1:1", "--device": "cpu", **changed}
    return ("federation", "server", place / "fed" / "server", *(word for pair in given.items() for word in pair))


def test_a_port_that_is_in_use_is_told_before_anything_is_written(place, tmp_path):
    before = everything_in(place)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        said = refusal(*server(place, tmp_path / "run", **{"--address": address}))
    assert f"cannot listen there (address already in use); got '{address}'" in said
    assert everything_in(place) == before
    assert not (tmp_path / "run").exists()


def test_the_server_names_the_hospital_whose_key_it_lacks(place, tmp_path):
    (tmp_path / "keys").mkdir()
    for name in ("ca.pem", CERTIFICATE, SERVER_KEY):
        (tmp_path / "keys" / name).write_bytes((place / "server-keys" / name).read_bytes())
    said = refusal(*server(place, tmp_path / "run", **{"--keys": tmp_path / "keys"}))
    assert "hospital-00.pub: there is no public key of this hospital" in said


def test_an_address_has_a_host_and_a_port(place, tmp_path):
    for wrong in ("9092", "localhost:", ":9092", "localhost:99999"):
        outcome = run(*server(place, tmp_path / "run", **{"--address": wrong}))
        assert (outcome.code, "such as 127.0.0.1:9092" in outcome.err) == (2, True), wrong


def hospital(place, *more, keys="hospital-00-keys"):
    return ("federation", "hospital", place / "fed" / "hospital-00", "--keys", place / keys, "--device", "cpu", *more)


def test_a_hospital_needs_its_own_key_and_the_servers_certificate(place):
    assert "hospital-00.key: there is no such file" in refusal(*hospital(place, keys="hospital-01-keys"))
    assert "ca.pem: there is no such file" in refusal(*hospital(place, keys="fed"))


def test_a_folder_that_was_not_dealt_is_not_that_of_a_hospital(place):
    said = refusal("federation", "hospital", place / "release", "--keys", place / "hospital-00-keys", "--device", "cpu")
    assert "this is not the folder of a hospital or server" in said


def test_a_hospital_speaks_with_no_server_but_its_own(place, tmp_path):
    run("federation", "keys", "--server", "127.0.0.1", "--out", tmp_path / "others")
    other = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    other.load_cert_chain(tmp_path / "others" / CERTIFICATE, tmp_path / "others" / SERVER_KEY)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer():
            line, _ = listening.accept()
            with line, pytest.raises(ssl.SSLError):
                other.wrap_socket(line, server_side=True)

        answering = threading.Thread(target=answer)
        answering.start()
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        said = refusal(*hospital(place, "--server", address))
        answering.join()
    assert f"the server at {address} is not the one that this certificate is for" in said


def test_hospitals_bring_their_own_releases_and_are_admitted(place, tmp_path):
    whole = fed.release()
    for number, name in enumerate(("server", "north", "south")):
        patients = whole.records["patient_id"].str.extract(r"(\d+)$").cast(int).to_numpy()
        rows = patients % 3 == number
        arrays = {key: array[rows] for key, array in whole.arrays.items()}
        write_release(Release(whole.records.filter(rows), arrays), tmp_path / name)
    out = run("federation", "invite", tmp_path / "server", *SHORT, "--out", tmp_path / "fed").out
    assert "server and invitations for 2 hospitals (hospital-00 to hospital-01)" in out
    early = refusal(
        "federation", "server", tmp_path / "fed" / "server", "--keys", place / "server-keys", "--out", tmp_path / "run"
    )
    assert "not been admitted: hospital-00, hospital-01" in early
    for number, name in enumerate(("north", "south")):
        own = tmp_path / "fed" / f"hospital-0{number}"
        out = run("federation", "fill", own, tmp_path / name).out
        assert f"hospital-0{number} ({('image', 'both')[number]}): " in out
        assert "member.json to the server" in out
        told = run("federation", "admit", tmp_path / "fed" / "server", own / "member.json").out
        assert told == ("Still missing: hospital-01.\n", "All hospitals are admitted.\n")[number]
    said = refusal("federation", "fill", tmp_path / "fed" / "hospital-00", tmp_path / "north")
    assert "exists already" in said
