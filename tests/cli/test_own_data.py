"""Arrays in a folder, and perhaps a table: every command that takes a release takes them, and says what it assumed."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from command_line import refusal, run
from leadapron.cohort import LABEL_COLUMNS

PATIENTS, IMAGES = 120, 4
DEALT = (
    "The release names no split of its own: its patients were dealt to train, validate and test by a hash of their ids."
)
TAKEN = "The column 'fold' was taken as the split."
UNNAMED = "The release names no patients: every record counts as one"


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """``bare`` holds arrays alone; ``plain`` has a table, with patients and findings, but no column 'split'."""
    folder = tmp_path_factory.mktemp("own")
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(PATIENTS), IMAGES)
    findings = (rng.random((PATIENTS, 2)) < 0.5)[patient]
    shared = np.hstack([findings, rng.normal(size=(PATIENTS, 4))[patient]]) @ rng.normal(size=(6, 8))
    arrays = {side: shared + 0.3 * rng.normal(size=shared.shape) for side in ("image", "text")}
    for name in ("bare", "plain"):
        (folder / name).mkdir()
        for side, array in arrays.items():
            np.save(folder / name / f"{side}.npy", array)
    labels = {name: findings[:, at].astype(int) for at, name in enumerate(LABEL_COLUMNS[:2])}
    fold = [("train", "train", "validate", "test")[number % 4] for number in patient]
    pl.DataFrame({"patient_id": patient, "fold": fold, **labels}).write_csv(folder / "plain" / "records.csv")
    return folder


def results(*arguments):
    """What an audit wrote, after it ended well; its sentences are on its page, too."""
    out = arguments[arguments.index("--out") + 1]
    done = run(*arguments)
    assert done.code == 0, done
    content = json.loads((out / "results.json").read_text())
    page = (out / "report.html").read_text()
    assert all(limit.replace("'", "&#39;") in page for limit in content["limits"])
    return content


def has(sentence, content):
    return any(limit.startswith(sentence) for limit in content["limits"])


def test_arrays_alone_are_audited_with_every_row_as_its_own_patient(own, tmp_path):
    content = results("audit", "linkage", own / "bare", "--attacker", "cosine", "--out", tmp_path / "out")
    assert content["counts"]["records"] == PATIENTS * IMAGES
    assert has(UNNAMED, content)
    assert not has(DEALT, content)


def test_an_audit_that_names_a_split_deals_the_patients_and_says_so(own, tmp_path):
    named = ("--split", "test", "--known-split", "train", "--attacker", "realigned")
    content = results("audit", "linkage", own / "plain", *named, "--out", tmp_path / "out")
    assert has(DEALT, content)
    assert content["attacked"]["splits"] == ["test"]
    taken = results("audit", "linkage", own / "plain", *named, "--split-by", "fold", "--out", tmp_path / "taken")
    assert has(TAKEN, taken)
    assert taken["counts"]["patients"] == PATIENTS // 4


def test_the_known_split_alone_is_enough_for_identity_as_its_page_proposes(own, tmp_path):
    whole = results("audit", "identity", own / "plain", "--attacker", "cosine", "--out", tmp_path / "whole")
    assert whole["config"]["split"] is None
    assert not has(DEALT, whole)
    asked = ("--attacker", "learned", "--known-split", "train")
    content = results("audit", "identity", own / "plain", *asked, "--out", tmp_path / "out")
    assert content["config"] | {"split": "test", "known_split": "train"} == content["config"]
    assert has(DEALT, content)


def test_the_fix_for_a_known_split_works(own, tmp_path):
    asked = ("audit", "linkage", own / "plain", "--attacker", "realigned", "--known-split", "train")
    assert "Give --split test." in refusal(*asked, "--out", tmp_path / "out")
    results(*asked, "--split", "test", "--out", tmp_path / "out")


def test_use_is_measured_on_sides_that_were_dealt_or_taken(own, tmp_path):
    for options, sentence in (((), DEALT), (("--split-by", "fold"), TAKEN)):
        out = tmp_path / str(len(options))
        done = run("utility", "release", own / "plain", "--strength", 0.1, "--out", out, *options)
        assert done.code == 0, done.err
        assert sentence in done.out
        assert sentence in json.loads((out / "results.json").read_text())["limits"]


def test_a_defended_copy_is_audited_on_the_patients_that_it_was_not_fitted_on(own, tmp_path):
    for options, sentence in (((), DEALT), (("--split-by", "fold"), TAKEN)):
        place = tmp_path / str(len(options))
        done = run("defend", "quantise", own / "plain", "--out", place, *options)
        assert done.code == 0, done.err
        assert sentence in done.out
        content = results("audit", "linkage", place, "--attacker", "cosine", "--out", tmp_path / f"{place.name}-audit")
        assert content["attacked"]["splits"] == ["test", "validate"]
        assert has(sentence, content)


def test_models_are_trained_on_sides_that_were_dealt_or_taken(own, tmp_path):
    train = ("train", "targets", own / "plain", "--kind", "linear", "--models", 8, "--epochs", 1)
    done = run(*train, "--out", tmp_path / "study")
    assert done.code == 0, done.err
    assert DEALT in done.out
    assert has(DEALT, results("audit", "membership", tmp_path / "study" / "signals", "--out", tmp_path / "audit"))
    other = refusal(*train, "--split-by", "fold", "--out", tmp_path / "study")
    assert "another study is in this folder" in other
    assert TAKEN in run(*train, "--split-by", "fold", "--out", tmp_path / "taken").out


def test_a_table_for_a_command_of_ones_own_is_split_by_a_column(own, tmp_path):
    command = ("--kind", "command", "--command", "false {mask} {records} {logits}", "--models", 8)
    table = own / "plain" / "records.csv"
    said = refusal("train", "targets", table, *command, "--split-by", "patient_id", "--out", tmp_path / "out")
    assert "column 'patient_id' is no split; got '120 different values'; allowed: train, validate, test" in said


def test_a_cohort_has_a_split_of_its_own(small_clinic_folder, tmp_path):
    network = ("--kind", "network", "--split-by", "fold", "--out", tmp_path / "out")
    assert "--split-by: a cohort has a split of its own" in refusal("train", "targets", small_clinic_folder, *network)


@pytest.mark.parametrize(
    "command",
    [
        ("audit", "linkage"),
        ("audit", "identity"),
        ("utility", "release"),
        ("defend", "noise"),
        ("train", "targets", "--kind", "linear"),
    ],
)
def test_a_column_that_is_no_split_is_refused_by_every_command(own, tmp_path, command):
    place = (own / "plain", "--split-by", LABEL_COLUMNS[0], "--out", tmp_path / "out")
    assert f"column '{LABEL_COLUMNS[0]}' is no split; got '0, 1'" in refusal(*command, *place)


def test_what_needs_patients_or_reports_says_what_to_do(own, tmp_path):
    np.save(tmp_path / "image.npy", np.eye(4))
    out = tmp_path / "out"
    assert "Add a column patient_id to the records." in refusal("audit", "identity", own / "bare", "--out", out)
    assert "Such a release is audited by `leadapron audit identity`." in refusal(
        "audit", "linkage", tmp_path, "--out", out
    )
