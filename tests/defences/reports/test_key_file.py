"""The secret key: random, for its owner alone, never written over, never in what is handed over."""

from __future__ import annotations

import stat

import pytest

from command_line import everything_in, refusal, run
from deid_reports import csv_file, defend, key_file
from leadapron.defences.reports.key_file import drawn, read_key
from leadapron.errors import DataError


def test_a_new_key_is_32_random_bytes_for_its_owner_alone(tmp_path):
    for name in ("one", "other"):
        outcome = run("key", "new", tmp_path / "safe" / name)
        assert (outcome.code, outcome.err) == (0, "")
        assert stat.S_IMODE((tmp_path / "safe" / name).stat().st_mode) == 0o600
    one, other = (read_key(tmp_path / "safe" / name) for name in ("one", "other"))
    assert len(one) == len(other) == 32
    assert one != other
    assert one.hex() not in outcome.out


def test_a_key_is_never_written_over(tmp_path):
    key = key_file(tmp_path)
    before = key.read_bytes()
    assert "exists already" in refusal("key", "new", key)
    assert "exists already" in refusal("key", "new", tmp_path)
    assert key.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "mode", "said"),
    [
        (None, 0o600, "there is no key file"),
        (b"", 0o600, "too short"),
        (b"abcd" * 15, 0o600, "too short"),  # 30 bytes in hexadecimal digits
        (b"a" * 63 + b"\n", 0o600, "odd number"),
        (b"\xff" * 31, 0o600, "too short"),
        (b"ab" * 32, 0o644, "others may read the key"),
        (b"ab" * 32, 0o660, "others may read the key"),
    ],
)
def test_a_key_that_protects_nothing_is_refused(tmp_path, content, mode, said):
    key = tmp_path / "weak.key"
    if content is not None:
        key.write_bytes(content)
        key.chmod(mode)
    source = csv_file(tmp_path)
    before = everything_in(tmp_path)
    told = refusal("defend", "reports", source, "--key", key, "--out", tmp_path / "out")
    assert said in told
    assert everything_in(tmp_path) == before


def test_bytes_and_hexadecimal_digits_are_both_keys(tmp_path):
    for name, content in (("raw", b"\x00\xff" * 16), ("hex", (b"\x00\xff" * 16).hex().encode() + b"\n")):
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o600)
    assert read_key(tmp_path / "raw") == read_key(tmp_path / "hex") == b"\x00\xff" * 16


def test_a_key_in_the_output_folder_is_refused(tmp_path):
    source, out = csv_file(tmp_path), tmp_path / "out"
    assert defend(source, out).code == 0
    inside = key_file(out, "my.key")
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    told = refusal("defend", "reports", source, "--key", inside, "--out", out, "--overwrite")
    assert "the key lies in the output folder" in told
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before


def test_a_folder_is_no_key(tmp_path):
    with pytest.raises(DataError, match="there is no key file"):
        read_key(tmp_path)


def test_what_is_drawn_hangs_on_the_key_and_on_every_word():
    said = {drawn(key, *words) for key in (b"a", b"b") for words in (("x", "y"), ("xy",), ("y", "x"))}
    assert len(said) == 6
    assert drawn(b"a", "x") == drawn(b"a", "x")
