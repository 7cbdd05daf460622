"""What was audited has an id, and whatever is made from it carries that on: releases, defences, models."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import polars as pl
import pytest

from command_line import refusal, run
from leadapron.engine import sha256
from leadapron.engine.file_ids import id_of_files
from leadapron.phantoms import Dials, build_clinic, write_clinic
from leadapron.release import Release, read_folder, write_release
from leadapron.release.provenance import hashes_of, inputs_of
from leadapron.results import read_results
from linkage_data import planted
from release_in_parts import clip_retrieval
from target_studies import some_records


@pytest.fixture
def release(tmp_path):
    split = ["train"] * 150 + ["test"] * 150
    write_release(planted(0.3, patients=100, split=split, label_edema=[1, 0, 1] * 100), tmp_path / "release")
    return tmp_path / "release"


def card(folder):
    return json.loads((folder / "release.json").read_text())


def test_the_id_is_what_sha256sum_gives_for_the_files_in_order(release):
    lines = [f"{sha256(release / name)}  {name}\n" for name in ("image.npy", "records.parquet", "text.npy")]
    own = hashlib.sha256("".join(lines).encode()).hexdigest()
    assert id_of_files(hashes_of(release)) == id_of_files(card(release)["sha256"]) == own


def test_a_release_that_is_made_from_another_names_it_and_its_ancestors(release, tmp_path):
    run("defend", "quantise", release, "--out", tmp_path / "once")
    run("defend", "dimensions", tmp_path / "once", "--directions", 8, "--out", tmp_path / "twice")
    ids = [id_of_files(hashes_of(folder)) for folder in (tmp_path / "once", release)]
    assert card(release)["made_from"] == []
    assert card(tmp_path / "once")["made_from"] == ids[1:]
    assert card(tmp_path / "twice")["made_from"] == ids


def test_a_release_that_is_written_again_is_not_its_own_ancestor(release, tmp_path):
    write_release(read_folder(release), tmp_path / "copy")
    assert card(tmp_path / "copy")["made_from"] == []


def test_an_encoded_release_names_its_cohort(tmp_path):
    write_clinic(build_clinic(Dials(patients=4, seed=0)), tmp_path / "clinic")
    done = run("encode", tmp_path / "clinic", "--encoder", "phantom-general", "--out", tmp_path / "release")
    assert done.code == 0, done.err
    assert card(tmp_path / "release")["made_from"] == [id_of_files(hashes_of(tmp_path / "clinic"))]


def test_files_a_folder_further_down_are_hashed_too(tmp_path):
    """A release in the layout of clip-retrieval had no hashes at all."""
    arrays = {"image": np.ones((7, 3), np.float32), "text": np.ones((7, 3), np.float32)}
    folder = clip_retrieval(tmp_path / "clip", arrays, {0: 3, 1: 4})
    assert set(hashes_of(folder)) == {
        f"{part}/{part}_{number}.{end}"
        for number in (0, 1)
        for part, end in (("img_emb", "npy"), ("text_emb", "npy"), ("metadata", "parquet"))
    }


@pytest.mark.parametrize(
    ("columns", "mates"),
    [({"patient_id": ["a", "a", "b"]}, True), ({"patient_id": ["a", "b", "c"]}, False),
     ({"patient_id": ["a", "a", "a"]}, False), ({}, None)],
)  # fmt: skip
def test_an_audit_says_what_the_release_holds_and_whether_anybody_recurs(tmp_path, columns, mates):
    records = pl.DataFrame({"record_id": ["1", "2", "3"], **columns})
    release = Release(records, {"image": np.ones((3, 2), np.float32)})
    write_release(release, tmp_path / "release")
    subject = inputs_of(tmp_path / "release", read_folder(tmp_path / "release"))["subject"]
    assert (subject["kind"], subject["holds"], subject["mates"]) == ("release", ["image"], mates)


def test_models_name_the_release_that_they_were_trained_on_up_to_the_audit(release, tmp_path):
    run("defend", "quantise", release, "--out", tmp_path / "defended")
    study = tmp_path / "study"
    options = ("--kind", "linear", "--models", 8, "--epochs", 1, "--no-early-stopping")
    done = run("train", "targets", tmp_path / "defended", *options, "--out", study)
    assert done.code == 0, done.err
    audit = run("audit", "membership", study / "signals", "--out", tmp_path / "audit")
    assert audit.code in (0, 3), audit.err
    subject = read_results(tmp_path / "audit").inputs.subject
    assert subject.kind == "signals"
    assert list(subject.made_from) == [id_of_files(hashes_of(folder)) for folder in (tmp_path / "defended", release)]


def test_a_folder_of_signals_may_say_itself_what_the_models_were_trained_on(tmp_path):
    folder = tmp_path / "signals"
    folder.mkdir()
    records = some_records(40)
    rng = np.random.default_rng(0)
    by_patient = rng.random((8, 40)).argsort(axis=0) < 4
    patient = np.unique(records["patient_id"].to_numpy(), return_inverse=True)[1]
    np.save(folder / "members.npy", by_patient[:, patient])
    np.save(folder / "signals.npy", rng.normal(size=(8, len(records))).astype(np.float32))
    records.write_parquet(folder / "records.parquet")
    (folder / "signals.json").write_text('{"made_from": "abc"}')
    out = ("audit", "membership", folder, "--out", tmp_path / "audit")
    assert "signals.json: made_from is not a list of ids; got 'abc'" in refusal(*out)
    (folder / "signals.json").write_text('{"made_from": ["abc"]}')
    assert run(*out).code in (0, 3)
    assert read_results(tmp_path / "audit").inputs.subject.made_from == ("abc",)
