"""The clinic as a whole: reproducible, at site A of the size and make-up that MIMIC-CXR has."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from PIL import Image

from leadapron.cohort import FINDINGS, LABEL_COLUMNS, decode, read_cohort
from leadapron.errors import ConfigError
from leadapron.phantoms import Dials, build_clinic, contact_sheet, write_clinic
from leadapron.phantoms.case_mix import GENERAL, INTENSIVE_CARE
from leadapron.phantoms.phantom_findings import COURSES, draw_courses, severity, true_labels


@pytest.mark.parametrize("site", ["A", "B"])
def test_the_same_seed_gives_the_same_bytes(monkeypatch, site):
    first, second, other = (build_clinic(Dials(patients=12, seed=seed, site=site)) for seed in (3, 3, 4))
    assert first.cohort.records.equals(second.cohort.records)
    monkeypatch.setenv("LEADAPRON_THREADS", "1")
    alone = first.radiographs(64)
    monkeypatch.setenv("LEADAPRON_THREADS", "3")
    assert alone.tobytes() == second.radiographs(64).tobytes()
    assert not other.cohort.records.equals(first.cohort.records)


def test_a_dial_of_the_reports_leaves_the_images_alone():
    plain = build_clinic(Dials(patients=10))
    for dials in (
        Dials(10, specificity=0),
        Dials(10, label_noise=1),
        Dials(10, repetition=1),
        Dials(10, identifiers="plain"),
        Dials(10, identifiers="hard"),
    ):
        turned = build_clinic(dials)
        assert turned.scenes.tobytes() == plain.scenes.tobytes()
        assert not turned.cohort.records.equals(plain.cohort.records)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("identity", 1.5),
        ("specificity", -0.1),
        ("label_noise", 2),
        ("patients", 0),
        ("site", "C"),
        ("identifiers", True),
        ("identifiers_part", "train"),
    ],
)
def test_a_dial_out_of_range_is_named(name, value):
    with pytest.raises(ConfigError, match=str(value)):
        Dials(**{name: value})


def test_size_views_and_follow_up_are_those_of_the_study():
    records = build_clinic(Dials(patients=3000, repetition=1, specificity=0)).cohort.records
    images = records.group_by("patient_id").len()["len"]
    assert images.mean() == pytest.approx(3.4, abs=4 * images.std() / len(images) ** 0.5)
    studies = records.group_by("patient_id").agg(pl.col("study_id").n_unique())["study_id"]
    assert (studies.min(), studies.max()) == (1, 8)
    assert (records["view"] == "AP").mean() == pytest.approx(0.582, abs=0.02)
    span = records.group_by("patient_id").agg((pl.col("date").max() - pl.col("date").min()).dt.total_days())["date"]
    assert span.max() > 5 * 365
    races = records.unique("patient_id")["race"].value_counts(normalize=True)
    shares = dict(races.iter_rows())
    assert 0 < shares["Other"] < shares["Asian"] < shares["Hispanic"] < shares["Black"] < shares["White"]


@pytest.mark.parametrize("case_mix", [GENERAL, INTENSIVE_CARE], ids=["general", "intensive care"])
def test_prevalences_are_those_of_the_case_mix(case_mix):
    """One study a patient, so that the standard error is the plain one. Site A's are those of MIMIC-CXR."""
    rng, patients = np.random.default_rng(1), 60_000
    age = rng.standard_normal(patients)
    severities = severity(draw_courses(rng, np.arange(patients), np.zeros(patients), age, identity=1), case_mix)
    labels = true_labels(severities, rng.random(patients) < case_mix.pacemaker)
    for column, finding in enumerate(FINDINGS):
        expected = case_mix.prevalence[finding] / 100
        error = (expected * (1 - expected) / patients) ** 0.5
        # "No Finding" follows from the others through the fitted loadings, to half a point
        margin = 0.005 if finding == "No Finding" else 4 * error
        assert labels[:, column].mean() == pytest.approx(expected, abs=margin), finding


@pytest.mark.parametrize("case_mix", [GENERAL, INTENSIVE_CARE], ids=["general", "intensive care"])
def test_severity_is_uniform_among_those_who_have_the_finding(case_mix):
    rng, patients = np.random.default_rng(2), 40_000
    courses = draw_courses(rng, np.arange(patients), np.zeros(patients), rng.standard_normal(patients), identity=0.5)
    severities = severity(courses, case_mix)
    for column in range(len(COURSES)):
        there = severities[severities[:, column] > 0, column]
        assert there.mean() == pytest.approx(0.5, abs=4 * 0.2887 / len(there) ** 0.5)
        assert there.max() <= 1


def test_a_disease_runs_its_course():
    """Studies a week apart share their findings more than studies years apart, and those more than strangers'."""
    rng, patients = np.random.default_rng(3), 20_000
    patient = np.repeat(np.arange(patients), 3)
    days = np.tile([0.0, 7.0, 2000.0], patients)
    courses = draw_courses(rng, patient, days, np.zeros(len(patient)), identity=1).reshape(patients, 3, -1)

    def correlation(one, other):
        return np.mean([np.corrcoef(one[:, column], other[:, column])[0, 1] for column in range(courses.shape[2])])

    soon = correlation(courses[:, 0], courses[:, 1])
    late = correlation(courses[:, 0], courses[:, 2])
    strangers = correlation(courses[:, 0], np.roll(courses[:, 0], 1, axis=0))
    assert soon > late + 0.2 > strangers + 0.4
    assert abs(strangers) < 0.02


def test_a_written_clinic_is_a_cohort_with_the_same_pixels(tmp_path):
    clinic = build_clinic(Dials(patients=4, identifiers="hard"))
    write_clinic(clinic, tmp_path / "clinic")
    cohort = read_cohort(tmp_path / "clinic")
    assert cohort.records.drop("image_path").equals(clinic.cohort.records.drop("image_path"))
    assert np.array_equal(decode(cohort, 128, tmp_path / "cache").images, clinic.pixels().images)
    with Image.open(cohort.records["image_path"][0]) as image:
        assert image.size == (128, 128)
    assert pl.read_parquet(tmp_path / "clinic" / "identifiers.parquet").equals(clinic.identifiers)
    assert pl.read_parquet(tmp_path / "clinic" / "terms.parquet").equals(clinic.terms)
    register = tmp_path / "clinic" / "patients-not-for-release.parquet"
    assert pl.read_parquet(register).equals(clinic.patients)
    assert register.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("site", ["A", "B"])
def test_labels_sit_in_the_cohort_in_the_order_of_the_findings(site):
    clinic = build_clinic(Dials(patients=30, site=site))
    effusion = COURSES.index("Pleural Effusion")
    shown = clinic.scenes["severity"][:, effusion] > 0
    assert (clinic.cohort.records["label_pleural_effusion"].to_numpy() == shown).all()
    assert clinic.cohort.labels().shape == (len(clinic.cohort), len(LABEL_COLUMNS))


def test_the_contact_sheet_shows_patients_side_by_side():
    sheet = contact_sheet(build_clinic(Dials(patients=5)), rows=2, columns=3, size=64)
    assert sheet.size == (192, 128)
    tiles = np.asarray(sheet).reshape(2, 64, 3, 64).transpose(0, 2, 1, 3).reshape(6, -1)
    assert (tiles[:5].std(axis=1) > 20).all()
    assert not tiles[5].any()
