"""What may leave the house: nothing in it says who somebody is, what was written of them, or where the data lie."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest

import study_runs
import tiny_models
from command_line import run
from leadapron.reproductions import Places
from leadapron.reproductions.study_config import AWAY, HOME

ID = re.compile(r"(?<![.])\b[0-9a-f]{16}\b|\b[15]0\d{6}\b|patient\d{8}|\d{4}-\d\d-\d\d|/tmp|/home")
"""Ids of images, patients and studies, dates and places."""


def given_away(out, records, names):
    """What of all records, and of the names of folders, stands in a file of the output."""
    texts = {path.name: path.read_text(errors="replace") for path in out.iterdir()}
    sentences = {
        sentence.strip()
        for report in records["report"].unique()
        for sentence in report.split(".")
        if len(sentence.split()) > 2
    }
    assert len(sentences) > 20
    who = {*records["record_id"], *records["patient_id"], *records["study_id"], *records["image_path"]}
    found = {(name, what) for name, text in texts.items() for what in (*who, *sentences, *names) if what in text}
    return found | {(name, what) for name, text in texts.items() for what in ID.findall(text)}


def everybody(study):
    columns = ("record_id", "patient_id", "study_id", "image_path", "report")
    return pl.concat([cohort.records.select(columns) for cohort in study.cohorts.values()])


def test_the_output_tells_of_nobody(tmp_path, monkeypatch):
    """On folders as the real ones are laid out, whose names are somebody's."""
    data = study_runs.phantoms(tmp_path, 80)
    house = tmp_path / "st-elsewhere"
    house.mkdir()
    places = Places(house / "work", data[HOME].rename(house / "smith-mimic"), data[AWAY].rename(house / "smith-plus"))
    study, rows = study_runs.on_data_sets(monkeypatch, places, house / "out", ("biomedclip",))
    records = everybody(study)
    names = ("st-elsewhere", "smith", tmp_path.name)
    assert given_away(house / "out", records, names) == set()
    page = house / "out" / "report.md"
    for leak in (records["record_id"][0], records["report"][0], "smith-plus", "1987-05-04"):
        before = page.read_text()
        page.write_text(f"{before}{leak}")
        assert given_away(house / "out", records, names)
        page.write_text(before)
    cells = rows.filter(setting="patients")["found"].drop_nulls()
    assert ((cells == 0) | (cells >= 10)).all()
    said = json.loads((house / "out" / "study.json").read_text())
    assert not {"trained", "made_from", "inputs"} & said.keys()


@pytest.mark.study
def test_real_models_on_the_published_layouts(tmp_path, monkeypatch):
    """Tiny models in the very files of CLIP and BioViL-T: what is run on real data, from the command line."""
    study_runs.fewer_arms(monkeypatch, ("replication", "proved"))
    monkeypatch.setattr(tiny_models, "IMAGE_SIZE", 224)
    data = study_runs.phantoms(tmp_path)
    for name, save in (("clip", tiny_models.save_clip), ("biovil-t", tiny_models.save_biovil_t)):
        (tmp_path / "weights" / name).mkdir(parents=True)
        save(tmp_path / "weights" / name)
    asked = ("--mimic", data[HOME], "--chexpert-plus", data[AWAY], "--weights", tmp_path / "weights")
    models = ("--model", "clip", "--model", "biovil-t", "--view", "AP", "--view", "PA", "--image-size", 96)
    outcome = run("reproduce", "linkage", *asked, *models, "--out", tmp_path / "out")
    assert outcome.code == 0, outcome.err
    assert "In all" in outcome.out
    rows = pl.read_csv(tmp_path / "out" / "tables.csv", infer_schema_length=None, schema_overrides={"pool": pl.String})
    rows = rows.with_columns(pl.col("pool", "metric", "setting").fill_null(""))
    for site in (HOME, AWAY):
        for model in ("clip", "biovil-t", "biovil-t-pooled"):
            assert 0 <= study_runs.found(rows, "1", site, model, pool="all")["found"] < 60
        assert study_runs.found(rows, "3", site, "replication", pool="all")["change"] is not None
    page = (tmp_path / "out" / "report.md").read_text()
    assert "biovil-t is embedded as its authors' library does" in page
    assert "microsoft/BiomedVLP-BioViL-T: sha256" in page
    assert "Phantom" not in page
    cohorts = [
        pl.read_parquet(tmp_path / "out.work-not-for-release" / site / "cohort" / "records.parquet") for site in data
    ]
    columns = ("record_id", "patient_id", "study_id", "image_path", "report")
    records = pl.concat([one.select(columns) for one in cohorts])
    assert given_away(tmp_path / "out", records, (tmp_path.name,)) == set()


@pytest.mark.study
def test_one_projection_and_no_other_hospital(tmp_path, monkeypatch):
    data = study_runs.phantoms(tmp_path, 200)[HOME]
    monkeypatch.setattr(study_runs.linkage_study, "REAL", study_runs.PHANTOM)
    config = study_runs.StudyConfig(models=("biomedclip",), views=("PA",))
    study, rows = study_runs.run_study(Places(tmp_path / "work", data), tmp_path / "out", config, phantom=False)
    assert set(study.cohorts[HOME].records["view"]) == {"PA"}
    assert rows.filter(site=AWAY).is_empty()
    assert "CheXpert" not in (tmp_path / "out" / "report.md").read_text()
