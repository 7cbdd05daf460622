"""``leadapron train targets`` through the real command line, up to the audit of what it leaves."""

from __future__ import annotations

import json
import sys

import numpy as np
import polars as pl
import pytest

from command_line import refusal, run
from leadapron.attacks.membership import read_signals
from leadapron.encoders import Weights, encode, find_encoder
from leadapron.phantoms import Dials, build_clinic, write_clinic
from leadapron.release import read_folder, write_release
from target_studies import some_records

RECORDS = 160
SCRIPT = f"""import array, os, random, signal, sys
mask, logits, seed, model, place = sys.argv[1:]
told = os.path.join(place, "kill")
if os.path.exists(told) and int(model) >= int(open(told).read()):
    os.kill(os.getppid(), signal.SIGKILL)
if os.path.exists(os.path.join(place, "fail")) and model == "5":
    sys.exit("out of memory")
assert open(mask, "rb").read(4) == b"PAR1"
draw = random.Random(int(seed))
header = b"{{'descr': '<f8', 'fortran_order': False, 'shape': ({RECORDS}, 2)}}".ljust(117) + b"\\n"
with open(logits, "wb") as stream:  # by hand: loading numpy would take longer than all the rest
    stream.write(b"\\x93NUMPY\\x01\\x00" + bytes([len(header), 0]) + header)
    array.array("d", [draw.gauss() for _ in range(2 * {RECORDS})]).tofile(stream)
"""


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADAPRON_THREADS", "1")
        yield


@pytest.fixture
def own(tmp_path):
    """A table, and the options that train on it by a program of one's own."""
    some_records(80).write_csv(tmp_path / "table.csv")
    (tmp_path / "train.py").write_text(SCRIPT)
    command = f"{sys.executable} {tmp_path / 'train.py'} {{mask}} {{logits}} {{seed}} {{model}} {tmp_path}"
    return ("train", "targets", tmp_path / "table.csv", "--kind", "command", "--command", command, "--models", 8)


@pytest.fixture(scope="module")
def clinic():
    return build_clinic(Dials(patients=60, seed=0))


@pytest.fixture(scope="module")
def release(clinic, tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    name = "phantom-reports"
    encoder = find_encoder(name).load(Weights())
    write_release(encode(clinic.pixels(), name, find_encoder(name), encoder, folder / "work"), folder / "release")
    return folder / "release"


def test_a_command_of_ones_own_up_to_the_audit(own, tmp_path):
    out = tmp_path / "study"
    done = run(*own, "--out", out)
    assert done.code == 0, done.err
    assert "8 models (command), each on half of 80 patients" in done.out
    assert f"signals -> {out / 'signals'}" in done.out
    assert f"leadapron audit membership {out / 'signals'} --out {out}-audit" in done.out
    assert {path.name for path in out.iterdir()} == {
        "study.json", "members.npy", "records.parquet", "models", "signals", "targets.json"
    }  # fmt: skip
    read = read_signals(out / "signals")
    assert read.stored.shape == (8, RECORDS, 2)
    assert (np.asarray(read.members).sum(axis=0) == 4).all()
    audit = run(*done.out.splitlines()[-1].split()[1:])
    assert audit.code == 0, audit.err

    signals = {path.name: path.read_bytes() for path in (out / "signals").iterdir()}
    assert run(*own, "--out", out).code == 0, "the same study is gone on with, and there is nothing to do"
    assert {path.name: path.read_bytes() for path in (out / "signals").iterdir()} == signals


def test_killed_in_several_processes_and_gone_on_with(own, tmp_path):
    """The program kills the process that has started it, from model 3 on: in the end nobody is left."""
    quiet, out = tmp_path / "quiet", tmp_path / "study"
    assert run(*own, "--out", quiet).code == 0
    (tmp_path / "kill").write_text("3")
    killed = run(*own, "--out", out, "--jobs", 2)
    assert killed.code == 3, killed
    assert "training models: all 2 processes were killed" in killed.err
    finished = len(list((out / "models").glob("*.npz")))
    assert 2 <= finished <= 3  # model 2 may still be running where 3 kills
    assert f"{finished} of 8 pieces are finished. The same command goes on from there." in killed.err
    assert not (out / "signals").exists()
    before = {path.name: path.stat().st_ino for path in (out / "models").glob("*.npz")}
    (tmp_path / "kill").unlink()
    assert run(*own, "--out", out).code == 0
    assert before.items() <= {path.name: path.stat().st_ino for path in (out / "models").glob("*.npz")}.items()
    for path in (quiet / "signals").iterdir():
        assert path.read_bytes() == (out / "signals" / path.name).read_bytes()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_command_that_fails_is_said_with_its_last_words(own, tmp_path, jobs):
    (tmp_path / "fail").touch()
    said = refusal(*own, "--out", tmp_path / "study", "--jobs", jobs)
    assert "the command failed on model 5 with exit code 1; its last words: out of memory" in said
    (tmp_path / "fail").unlink()
    assert run(*own, "--out", tmp_path / "study").code == 0


def test_damage_and_other_settings_are_refused(own, tmp_path):
    out = tmp_path / "study"
    assert run(*own, "--out", out).code == 0
    assert "models is 8 there and 10 here" in refusal(*own, "--out", out, "--models", 10)
    assert "seed is 0 there and 1 here" in refusal(*own, "--out", out, "--seed", 1)
    file = out / "models" / "00004.npz"
    file.write_bytes(file.read_bytes()[:-100])
    said = refusal(*own, "--out", out)
    assert f"{file}: the model's file is damaged" in said
    assert "Remove the file and run the same command again." in said
    file.unlink()
    assert run(*own, "--out", out).code == 0
    some_records(81).write_csv(tmp_path / "table.csv")
    assert "records is 160 there and 162 here" in refusal(*own, "--out", out)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--kind", "command"), "this kind needs a command"),
        (("--kind", "mlp", "--command", "x {mask} {logits}"), "a command is a kind of its own"),
        (("--kind", "mlp", "--depth", 28), "--depth: not an option of the kind mlp"),
        (("--kind", "mlp", "--bank", "."), "--bank: not an option of the kind mlp"),
        (("--kind", "mlp", "--bank-has-other-ids"), "--bank-has-other-ids: not an option of the kind mlp"),
        (("--kind", "mlp", "--start", "linear"), "--start: not an option of the kind mlp"),
        (("--kind", "linear", "--hidden", 4), "a linear probe has no hidden units"),
        (("--kind", "command", "--command", "x {mask} {logits}", "--view", "cropped"), "--view"),
        (("--kind", "mlp", "--models", 9), "even, 8 or more"),
        (("--kind", "mlp", "--view", "sideways"), "sideways"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_anything_is_written(release, tmp_path, options, said):
    assert said in refusal("train", "targets", release, "--out", tmp_path / "s", *options)
    assert not (tmp_path / "s").exists()


def test_probes_from_a_phantom_release_to_the_audit(release, tmp_path):
    out = tmp_path / "study"
    options = ("--kind", "mlp", "--models", 8, "--epochs", 2, "--hidden", 4, "--view", "some-features")
    done = run("train", "targets", release, "--out", out, *options)
    assert done.code == 0, done.err
    assert "AUROC on patients they have not seen: 0." in done.out
    train = read_folder(release).records.filter(pl.col("split") == "train")
    for name in ("signals", "signals-some-features"):
        read = read_signals(out / name)
        assert read.records["record_id"].to_list() == train["record_id"].to_list()
        assert read.stored.shape[2] == len(read.records.select(r"^label_.*$").columns)
    card = json.loads((out / "targets.json").read_text())
    assert card["study"]["learner"]["epochs"] == 2
    assert len(card["auroc"]["models"]) == 8
    assert run("audit", "membership", out / "signals", "--out", tmp_path / "audit").code == 0
    assert "learner.hidden is 4 there and 8 here" in refusal(
        "train", "targets", release, "--out", out, *options[:6], "--hidden", 8, *options[8:]
    )


def test_private_probes_hand_their_profile_to_the_audit(release, tmp_path):
    pytest.importorskip("dp_accounting")
    out = tmp_path / "study"
    options = ("--kind", "linear", "--models", 8, "--epochs", 1, "--epsilon", 4, "--delta", 1e-3)
    done = run("train", "targets", release, "--out", out, *options)
    assert done.code == 0, done.err
    assert "privacy: epsilon 4" in done.out
    ask = done.out.splitlines()[-1].split()[1:]
    assert ask[-4:] == ["--profile", str(out / "profile.npy"), "--promised-to", "patient"]
    audit = run(*ask)
    assert audit.code == 0, audit.err


def test_networks_on_a_phantom_cohort(clinic, tmp_path):
    pytest.importorskip("torch")
    write_clinic(clinic, tmp_path / "clinic", 32)
    options = ("--kind", "network", "--models", 8, "--epochs", 1, "--depth", 10, "--width", 1, "--image-size", 32)
    done = run("train", "targets", tmp_path / "clinic", "--out", tmp_path / "s", *options, "--view", "cropped")
    assert done.code == 0, done.err
    assert (
        read_signals(tmp_path / "s" / "signals").stored.shape
        == read_signals(tmp_path / "s" / "signals-cropped").stored.shape
    )
    assert "pixels" in json.loads((tmp_path / "s" / "study.json").read_text())["inputs"]
