"""The published numbers of the real sets, where they are at hand."""

from __future__ import annotations

import polars as pl
import pytest

from leadapron.cohort.sources import SOURCES, ReadOptions
from real_data import data_folder, packaged_file


def check_funnel(cohort):
    """What was there is what was dropped on the way and what is left, and the cohort is what is left."""
    first, *others = cohort.funnel.steps
    assert first.kept == sum(step.dropped for step in others) + len(cohort)
    assert all(step.dropped >= 0 for step in others)
    assert others[-1].kept == len(cohort)


def test_covid19():
    folder = data_folder("covid19")
    cohort = SOURCES["covid19"](folder, ReadOptions())
    check_funnel(cohort)
    assert (len(cohort), cohort.patients) == (508, 280)
    images = cohort.records.group_by("patient_id").len()
    assert (images["len"] > 1).sum() == 109
    assert len(cohort) - cohort.records["report"].null_count() == 341
    assert cohort.records.group_by("study_id").agg(reports=pl.col("report").n_unique())["reports"].max() == 1
    assert set(cohort.records["view"]) == {"AP", "PA"}


def test_nih_subset():
    cohort = SOURCES["chestxray14"](data_folder("nih"), ReadOptions())
    check_funnel(cohort)
    assert (len(cohort), cohort.patients) == (645, 444)
    images = cohort.records.group_by("patient_id").len()
    assert (images["len"] > 1).sum() == 108


def test_nih_whole_table():
    """Published counts of the set: images, patients and four of the labels."""
    cohort = SOURCES["chestxray14"](packaged_file("Data_Entry_2017_v2020.csv.gz").parent, ReadOptions())
    check_funnel(cohort)
    assert (len(cohort), cohort.patients) == (112_120, 30_805)
    totals = {"no_finding": 60_361, "pleural_effusion": 13_317, "lung_opacity": 19_894, "pneumonia": 1_431}
    assert {name: cohort.records[f"label_{name}"].sum() for name in totals} == totals


def test_chexpert_whole_table(tmp_path):
    """The training table as published: 223,414 images, 191,027 of them frontal, of 64,540 patients."""
    (tmp_path / "train.csv.gz").symlink_to(packaged_file("chexpert_train.csv.gz"))
    cohort = SOURCES["chexpert"](tmp_path, ReadOptions())
    check_funnel(cohort)
    steps = {step.what: step.kept for step in cohort.funnel.steps}
    assert (steps["rows of train.csv.gz"], steps["frontal"]) == (223_414, 191_027)
    everything = SOURCES["chexpert"](tmp_path, ReadOptions(views=(), label_policy="mentioned-only"))
    assert (len(everything), everything.patients) == (223_414, 64_540)
    # uncertain is masked here, negative under the study's policy
    assert everything.records["label_edema"].sum() == 52_246
    assert everything.records["label_edema"].null_count() > 0
    assert cohort.records["label_edema"].null_count() == 0


@pytest.mark.parametrize("views", [("AP", "PA"), ()])
def test_openi(views):
    """3,955 reports, 104 of which name no image, and 7,470 images."""
    cohort = SOURCES["openi"](packaged_file("NLMCXR_reports.tgz"), ReadOptions(views=views))
    check_funnel(cohort)
    assert cohort.funnel.steps[0].what == "images of 3,955 reports"
    named = next(step for step in cohort.funnel.steps if step.what == "image named")
    assert (named.kept, named.dropped) == (7_470, 104)
    assert cohort.records["report"].null_count() == 0
    assert cohort.records["view"].null_count() == len(cohort)
