"""What was recorded about files is compared with them before they are believed.

Rows of ``image.npy`` that were permuted after encoding looked like a release in which nobody can be found.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from command_line import refusal, run
from leadapron.attacks.membership import read_signals
from leadapron.attacks.membership.as_found_reading import read_as_found
from leadapron.engine import hashes, sha256
from leadapron.errors import DataError
from leadapron.release import read_folder, read_release, write_release
from leadapron.release.provenance import inputs_of
from leadapron.results import read_results
from leadapron.targets.collect import collect
from leadapron.targets.study import Origin, read_study
from leadapron.targets.work import train_models
from target_studies import Pretender, begin
from utility_releases import made

AUDIT = ("--pool", 40, "--attacker", "cosine")
COMMANDS = {
    "audit linkage": ("audit", "linkage", "{release}", "--out", "{out}"),
    "audit identity": ("audit", "identity", "{release}", "--out", "{out}"),
    "defend": ("defend", "quantise", "{release}", "--out", "{out}"),
    "fitted on": ("defend", "quantise", "{whole}", "--fitted-on", "{release}", "--out", "{out}"),
    "defend by heads": ("defend", "untrained", "{release}", "--out", "{out}"),
    "utility": ("utility", "release", "{release}", "--out", "{out}"),
    "train targets": ("train", "targets", "{release}", "--kind", "linear", "--models", "8", "--out", "{out}"),
    "trial": ("trial", "{whole}", "{release}", "--out", "{out}"),
}  # fmt: skip


def permuted(folder):
    """The same release with the rows of its images in another order."""
    image = np.load(folder / "image.npy")
    np.save(folder / "image.npy", np.random.default_rng(0).permutation(image))
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "release"
    write_release(made(2.0, patients=60, images=5, prevalence=0.45), folder)
    return folder


@pytest.fixture(scope="module")
def changed(whole, tmp_path_factory):
    return permuted(shutil.copytree(whole, tmp_path_factory.mktemp("changed") / "changed"))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_rows_that_were_moved(whole, changed, tmp_path, command):
    places = {"release": changed, "whole": whole, "out": tmp_path / "out"}
    message = refusal(*(str(word).format(**places) for word in COMMANDS[command]))
    assert f"{changed / 'image.npy'}: the file is not the one that was written" in message
    assert "Make the release again, or pass --no-verify" in message


def test_whoever_does_not_verify_says_so_in_the_results(whole, changed, tmp_path):
    assert run("audit", "linkage", whole, "--out", tmp_path / "whole", *AUDIT).code == 0
    assert read_results(tmp_path / "whole").inputs.verified is True
    assert run("audit", "linkage", changed, "--out", tmp_path / "changed", "--no-verify", *AUDIT).code == 0
    assert read_results(tmp_path / "changed").inputs.verified is False


def test_what_is_made_of_unverified_files_stays_unverified(changed, tmp_path):
    done = run("defend", "quantise", changed, "--no-verify", "--out", tmp_path / "defended")
    assert done.code == 0, done.err
    assert read_release(tmp_path / "defended").verified is False
    assert run("utility", "release", tmp_path / "defended", "--out", tmp_path / "utility").code == 0
    assert read_results(tmp_path / "utility").inputs.verified is False


def test_of_other_layouts_nothing_is_recorded(tmp_path):
    np.savez(tmp_path / "theirs.npz", image=np.eye(3, 4, dtype=np.float32))
    for verify in (True, False):
        release = read_release(tmp_path / "theirs.npz", verify=verify)
        assert inputs_of(tmp_path / "theirs.npz", release)["verified"] == "nothing recorded to verify"


# Once


@pytest.fixture
def counted(monkeypatch):
    """The files that were read to be hashed."""
    read = []
    slow = hashlib.file_digest

    def digest(stream, name):
        read.append(Path(stream.name).name)
        return slow(stream, name)

    monkeypatch.setattr(hashes.hashlib, "file_digest", digest)
    monkeypatch.setattr(hashes, "_known", {})
    return read


def test_a_file_is_hashed_once_a_run(whole, counted, monkeypatch):
    monkeypatch.setattr(hashes, "SETTLED_NS", 0)
    inputs = inputs_of(whole, read_release(whole))
    assert sorted(counted) == sorted(inputs["sha256"])
    assert inputs["sha256"] == {name: hashlib.sha256((whole / name).read_bytes()).hexdigest() for name in counted}


def test_a_file_that_was_just_written_is_hashed_again(tmp_path):
    """Written twice within a tick of the clock it may look untouched."""
    file = tmp_path / "file"
    seen = []
    for content in (b"one", b"two"):
        file.write_bytes(content)
        os.utime(file, ns=(0, 0))
        seen.append(sha256(file))
    assert seen == [hashlib.sha256(content).hexdigest() for content in (b"one", b"two")]


def test_a_file_that_was_replaced_is_hashed_again(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(hashes, "SETTLED_NS", 0)
    folder = shutil.copytree(whole, tmp_path / "release")
    read_folder(folder)
    permuted(folder)
    with pytest.raises(DataError, match="not the one that was written"):
        read_folder(folder)


# Signals


@pytest.fixture
def signals(tmp_path):
    study = begin(tmp_path / "study", origin=Origin({"image.npy": "abc"}, verified=False))
    train_models(study, Pretender())
    collect(study)
    return tmp_path / "study" / "signals"


def test_signals_that_were_changed_are_refused(signals):
    read_signals(signals)
    file = next(signals.glob("*s.npy"))
    np.save(file, np.load(file)[::-1])
    for read in (read_signals, read_as_found):
        with pytest.raises(DataError, match=r"\.npy: the file is not the one that was written.*pass --no-verify"):
            read(signals)
        read(signals, verify=False)


def test_signals_of_an_unverified_release_say_so(signals, tmp_path):
    assert read_study(signals.parent).key["verified"] is False
    assert run("audit", "membership", signals, "--out", tmp_path / "audit").code == 0
    assert read_results(tmp_path / "audit").inputs.verified is False
    (signals / "signals.json").unlink()
    assert run("audit", "membership", signals, "--out", tmp_path / "again").code == 0
    assert read_results(tmp_path / "again").inputs.verified == "nothing recorded to verify"
