"""``leadapron utility reports`` through the real command line."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import leadapron as la
from command_line import refusal, run
from leadapron.cohort import LABEL_COLUMNS, read_cohort, write_cohort
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.clinic import write_clinic
from leadapron.results import read_results

SIZE = 32


@pytest.fixture(scope="module")
def clinics(tmp_path_factory):
    """Two hospitals: one that hands over, and a local one that tests."""
    folder = tmp_path_factory.mktemp("writing")
    for name, seed in (("other", 4), ("local", 5)):
        write_clinic(build_clinic(Dials(patients=120, seed=seed)), folder / name, SIZE)
    return folder


def command(clinics, out, *more):
    return ("utility", "reports", "--test", clinics / "local", "--writer", "ridge", "--size", SIZE, "--out", out, *more)


def test_each_cohort_alone_and_both_together(clinics, tmp_path):
    trained = ("--train", f"transferred={clinics / 'other'}", "--train", clinics / "local")
    done = run(*command(clinics, tmp_path / "out", *trained))
    assert done.code == 0, done.err
    assert "control: shuffled pairs" in done.out
    saved = read_results(tmp_path / "out")
    assert list(saved.details["regimes"]) == ["transferred", "local", "transferred + local"]
    assert saved.config["train"] == ["transferred=other", "local=local"]
    assert str(tmp_path) not in (tmp_path / "out" / "results.json").read_text()


def test_without_a_training_cohort_its_own_patients_are_learnt_from(clinics):
    found = la.audit(clinics / "local", "report-writing", writer="ridge", size=SIZE)
    assert list(found.details["regimes"]) == ["released"]
    assert found.inputs.release == "local"


def test_bad_input_is_named(clinics, tmp_path):
    def refused(*more):
        return refusal(*command(clinics, tmp_path / "out", *more))

    other = clinics / "other"
    assert "has no cohort.json" in refused("--train", tmp_path)
    assert "same name" in refused("--train", other, "--train", other)
    assert "cannot be called that" in refused("--train", f"same labels={other}")
    assert "unknown writer" in refused("--writer", "novelist")
    assert "unknown encoder" in refused("--encoder", "phantom-novels")
    cohort = read_cohort(other)
    mute = cohort.records.with_columns(report=pl.lit(None, pl.String))
    write_cohort(replace(cohort, records=mute), tmp_path / "mute")
    assert "no record of split train has a report" in refused("--train", tmp_path / "mute")
    unknown = pl.lit(None, pl.Int8)
    for name, kept in (("hearts", "label_cardiomegaly"), ("bones", "label_fracture")):
        records = cohort.records.with_columns(unknown.alias(one) for one in LABEL_COLUMNS if one != kept)
        write_cohort(replace(cohort, records=records), tmp_path / name)
    told = refused("--train", tmp_path / "hearts", "--test", tmp_path / "bones")
    assert "labelled for different findings" in told
    assert "cardiomegaly against fracture" in told
    same = read_cohort(clinics / "local")
    write_cohort(replace(same, records=same.records.with_columns(split=pl.lit("train"))), tmp_path / "all")
    assert "a patient is learnt from and tested on" in refused("--train", tmp_path / "all")
    assert not (tmp_path / "out").exists()
