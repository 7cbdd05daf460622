"""``leadapron train federated``: options, output, and one paragraph for what is wrong."""

from __future__ import annotations

import json

import pytest

from command_line import everything_in, refusal, run
from federated_data import release
from leadapron.federated import METHODS, Plan, read_run
from leadapron.release import write_release

SHORT = ("--clients", "1:0:1", "--public", "8", "--rounds", "2", "--epochs", "1", "--width", "4", "--device", "cpu")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("federated") / "release"
    write_release(release(), place)
    return place


def train(folder, out, *options):
    return run("train", "federated", folder, "--out", out, *SHORT, *options)


def test_help_names_every_key_of_the_plan_and_every_method():
    told = run("train", "federated", "--help")
    assert told.code == 0
    for name in Plan.model_fields:
        assert name == "groups" or f"--{name.replace('_', '-')}" in told.out
    for method in METHODS.names():
        assert method in told.out
    for option in ("--plan", "--engine", "--updates / --no-updates", "--weights", "--device"):
        assert option in told.out


def test_a_run_tells_its_rounds_the_model_and_what_to_do_next(folder, tmp_path):
    done = train(folder, tmp_path / "run")
    assert done.code == 0
    found = read_run(tmp_path / "run")
    rounds = [line for line in done.err.splitlines() if line.startswith("round ")]
    assert len(rounds) == 2
    assert f"validation AUROC {found.rounds[1].validation.both:.4f}, 2 of 2 hospitals, about 0 s left" in rounds[1]
    assert f"loss {sum(found.rounds[1].losses.values()) / 2:.4f}" in rounds[1]
    assert f"car-mfl, 2 hospitals, 2 rounds; best on validation: {found.best}" in done.out
    assert f"image and report: {found.tested('both').value:.4f}" in done.out
    assert f"sha256 {found.rounds[-1].weights}" in done.out
    assert f"leadapron audit federation {tmp_path / 'run'}" in done.out
    again = train(folder, tmp_path / "run")
    assert (again.code, again.out) == (0, done.out)
    assert "round 1" not in again.err


def test_a_plan_in_a_file_holds_and_options_go_before_it(folder, tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text('method = "mfedavg"\nclients = "0:1:1"\npublic = 6\nrounds = 3\nepochs = 1\nwidth = 4\n')
    done = run(
        "train", "federated", folder, "--out", tmp_path / "run", "--plan", file, "--rounds", "1", "--device", "cpu"
    )
    assert done.code == 0, done.err
    plan = read_run(tmp_path / "run").plan
    assert (plan.method, plan.clients, plan.public, plan.rounds, plan.batch) == ("mfedavg", "0:1:1", 6, 1, 48)


def test_updates_can_be_left_out(folder, tmp_path):
    assert train(folder, tmp_path / "run", "--no-updates", "--rounds", "1").code == 0
    assert json.loads((tmp_path / "run/run.json").read_text())["updates_kept"] is False
    assert {file.stem for file in (tmp_path / "run").rglob("*.npz")} == {"global", "model"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "fedavg"), "unknown method of federated training; got 'fedavg'; allowed: "),
        (("--clients", "3"), "clients: write hospitals with radiographs, with reports and with both as 8:0:2; got '3'"),
        (
            ("--public", "999"),
            "release: the public set of car-mfl cannot be dealt; got '999 patients'; allowed: 1 to 36",
        ),
        (("--patients", "99"), "release: there are not enough patients for the hospitals; got '198 for 2 hospitals'"),
        (("--noise", "1"), "noise: noise without --clip has no measure; got 1.0. Add --clip."),
        (("--method", "creamfl", "--secure"), "secure: only what hospitals send to be averaged"),
        (("--method", "local-only", "--clip", "1"), "clip: only what hospitals send to be averaged"),
        (("--partition", "site"), "release: there is no column 'source' to deal by"),
        (
            ("--encoders", "small-network"),
            "the encoders 'small-network' are trained on pixels and words, and a release",
        ),
        (("--minimum", "3"), "minimum: more hospitals must answer than there are; got 3; allowed: 1 to 2"),
    ],
)
def test_what_is_wrong_is_told_in_one_paragraph_and_nothing_is_written(folder, tmp_path, options, message):
    told = refusal("train", "federated", folder, "--out", tmp_path / "run", *SHORT, *options)
    assert message in told
    assert everything_in(tmp_path) == set()


def test_a_release_without_features_is_told_how_to_get_them(tmp_path):
    bare = release()
    write_release(type(bare)(bare.records, {"image": bare.arrays["image"]}), tmp_path / "bare")
    before = everything_in(tmp_path)
    told = refusal("train", "federated", tmp_path / "bare", "--out", tmp_path / "run", *SHORT)
    assert (
        "bare: there are no backbone features of the images. Make the release with `leadapron encode --with-feat"
        in told
    )
    assert everything_in(tmp_path) == before


def test_when_too_few_answers_count_the_run_ends_with_3_and_what_is_there_is_kept(folder, tmp_path):
    done = train(folder, tmp_path / "run", "--largest-update", "1e-9")
    assert (done.code, done.out) == (3, "")
    assert "leadapron: round 1: too few hospitals answered (hospital-00: its update is" in done.err
    assert "more than 1e-09; hospital-01: " in done.err
    assert "the same command again" in done.err
    assert not (tmp_path / "run/rounds/0001").exists()


def test_a_folder_of_another_run_is_refused(folder, tmp_path):
    assert train(folder, tmp_path / "run", "--rounds", "1").code == 0
    before = everything_in(tmp_path)
    told = refusal("train", "federated", folder, "--out", tmp_path / "run", *SHORT)
    assert "run/run.json: another run is in this folder: its plan differs" in told
    assert everything_in(tmp_path) == before
