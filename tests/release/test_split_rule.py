"""A release without a split gets one where one is needed, always the same, and whatever is made of it says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from leadapron.audits.run_audit import audit
from leadapron.cohort import LABEL_COLUMNS, split_by_patient
from leadapron.defences import defend
from leadapron.errors import DataError
from leadapron.release import Release, read_release, with_split, with_split_by, write_release
from leadapron.release.fitting import HERE, OTHER, Fitting, fitted_splits, fitted_to
from leadapron.release.patient_sets import patient_set
from leadapron.release.split_rule import split_note
from leadapron.uses import UtilityConfig, measure_utility

PATIENTS, IMAGES = 60, 2
DEALT = (
    "The release names no split of its own: its patients were dealt to train, validate and test by a hash of their ids."
)


def made(patients=PATIENTS, images=IMAGES, **columns) -> Release:
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(patients), images)
    findings = (rng.random((patients, 2)) < 0.5)[patient]
    image = rng.normal(size=(len(patient), 4)) + findings @ rng.normal(size=(2, 4))
    labels = {name: findings[:, at].astype(int) for at, name in enumerate(LABEL_COLUMNS[:2])}
    return Release.of(image=image, text=image[:, ::-1], patient=patient, **labels, **columns)


def fold(*sides):
    return [sides[number % len(sides)] for number in np.repeat(np.arange(PATIENTS), IMAGES)]


def test_a_split_of_its_own_is_left_as_it_is():
    release = made(split=fold("train", "test"))
    assert with_split(release) is release
    assert split_note(release) == ""


def test_a_hash_of_the_patient_decides_where_there_is_none():
    release = made()
    dealt = with_split(release)
    assert dealt.records["split"].equals(split_by_patient(release.records["patient_id"], 0))
    assert dealt.records.group_by("patient_id").agg(pl.col("split").n_unique())["split"].max() == 1
    assert split_note(dealt) == DEALT
    assert split_note(release) == ""


def test_without_patients_a_hash_of_the_record_decides():
    release = Release.of(image=np.random.default_rng(0).normal(size=(50, 2)))
    dealt = with_split(release)
    assert dealt.records["split"].equals(split_by_patient(release.records["record_id"], 0))
    assert "its records were dealt" in split_note(dealt)


def test_another_column_takes_the_place_of_the_split():
    sides = fold("validate", "train", "test")
    release = made(split=fold("train", "test"), fold=sides)
    taken = with_split_by(release, "fold")
    assert taken.records["split"].to_list() == sides
    assert "fold" not in taken.records.columns
    assert split_note(taken) == "The column 'fold' was taken as the split."
    assert split_note(with_split_by(release, "split")) == ""


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (
            fold("train", "valid", "test"),
            "column 'fold' is no split; got 'test, train, valid'; allowed: train",
        ),
        (fold(1, 2, 3), "column 'fold' is no split; got '1, 2, 3'"),
        (fold("train", None, "test"), r"got '\(empty\), test, train'"),
        (["train", "test"] * PATIENTS, "column 'fold': the patient of row 1 stands in more than one split"),
    ],
)
def test_a_column_that_is_no_split_is_refused_with_what_it_holds(column, said):
    with pytest.raises(DataError, match=said):
        with_split_by(made(fold=column), "fold")


def test_a_column_of_many_values_is_not_listed_for_they_may_be_names():
    with pytest.raises(DataError, match="column 'patient_id' is no split; got '60 different values'"):
        with_split_by(made(), "patient_id")


def test_a_column_that_is_missing_is_told_with_those_that_are_there():
    with pytest.raises(DataError, match=r"no column 'folds' to split by; allowed: .*did you mean 'fold'"):
        with_split_by(made(fold=fold("train", "test")), "folds")


def test_in_other_layouts_a_column_may_be_the_split_that_would_not_be_released(tmp_path):
    release, sides = made(), fold("train", "validate", "test")
    np.savez(tmp_path / "theirs.npz", **release.arrays, **release.records.to_dict(), fold=np.array(sides))
    read = read_release(tmp_path / "theirs.npz", split_by="fold")
    assert read.records["split"].to_list() == sides
    assert "fold" not in read.records.columns
    assert split_note(read) == "The column 'fold' was taken as the split."
    with pytest.raises(DataError, match=r"no column 'folds' .*did you mean 'fold'"):
        read_release(tmp_path / "theirs.npz", split_by="folds")


def test_a_release_that_was_written_still_says_where_its_split_is_from(tmp_path):
    write_release(with_split(made()), tmp_path / "dealt")
    assert split_note(read_release(tmp_path / "dealt")) == DEALT
    write_release(with_split_by(made(fold=fold("train", "test")), "fold"), tmp_path / "taken")
    again = read_release(tmp_path / "taken", split_by="fold")
    assert again.records["split"].to_list() == fold("train", "test")


def test_what_was_fitted_on_patients_is_known_on_their_new_sides():
    release = made(split=fold("train", "train", "test", "test"), fold=fold("train", "validate", "test", "test"))
    own = fitted_to("alignment", "a", release.records.filter(pl.col("split") == "train"), release.records)
    unnamed = Fitting("encoder", "b", HERE, ("train",))
    other = fitted_to("defence", "c", release.records.head(2), release.records, on=OTHER)
    taken = with_split_by(replace(release, fitted=(own, unnamed, other)), "fold")
    assert [one.splits for one in taken.fitted] == [("train", "validate"), ("train", "validate"), ("train",)]


def test_a_first_split_shows_on_which_sides_a_defence_from_elsewhere_was_fitted():
    release = made()
    patients = with_split(release).records.filter(pl.col("split") == "test")["patient_id"].unique()
    fitted = Fitting("defence", "c", OTHER, (), patient_set(patients))
    mixed = Fitting("defence", "groups", HERE, (), patient_set(patients))
    assert fitted_splits(with_split(replace(release, fitted=(fitted, mixed)))) == ("test",)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("subspace", {"directions": 2}),
        ("dimensions", {"directions": 2}),
        ("quantise", {"bits": 2}),
        ("prototypes", {"k": 2}),
    ],
)
def test_a_defence_that_is_fitted_deals_the_patients_and_hands_the_split_on(method, options):
    release = made()
    defended = defend(release, method, **options)
    assert defended.records.equals(with_split(release).records)
    assert fitted_splits(defended) == ("train",)
    assert split_note(defended) == DEALT
    elsewhere = defend(release, method, **options, fitted_on=made())
    assert "split" not in elsewhere.records.columns


def test_heads_are_trained_on_the_same_sides():
    release = made()
    features = {f"{side}_features": array for side, array in release.arrays.items()}
    source = replace(release, arrays={**release.arrays, **features})
    defended = defend(source, "untrained")
    assert defended.records.equals(with_split(release).records)
    assert split_note(defended) == DEALT


def test_use_is_measured_as_if_the_split_had_been_there():
    quick = {"redraws": 100, "strengths": (0.1,)}
    size = {"patients": 120, "images": 4}  # a finding needs 20 test records with it and 20 without
    release = made(**size)
    measured = audit(release, "utility", **quick)
    named = audit(made(**size, split=with_split(release).records["split"]), "utility", **quick)
    assert measured.estimates == named.estimates == measure_utility(release, UtilityConfig(**quick)).estimates
    assert DEALT in measured.limits
    assert DEALT not in named.limits
