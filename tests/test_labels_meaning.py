"""A label has one meaning: whoever reads it takes 1 for positive, 0 for negative, and all else for unknown.

Utility once took "uncertain" for negative, the groups made a group of it, and targets took it for unknown.
"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.identity.gallery import build_gallery
from leadapron.attacks.identity.identity_task import build_task
from leadapron.attacks.identity.strata import strata
from leadapron.attacks.linkage.linkage_task import label_codes
from leadapron.attacks.membership import build_signals
from leadapron.audits.groups import groupings
from leadapron.cohort import SOURCES, ReadOptions
from leadapron.cohort.labels import with_known_labels
from leadapron.cohort.truth import labels_of
from leadapron.defences.heads.head_objectives import labels_of as finding_values
from leadapron.defences.vectors.finding_directions import standardised_labels
from leadapron.errors import DataError
from leadapron.release import Release, read_release, write_release
from leadapron.targets.audited import audited_records, target_labels
from leadapron.uses.three_sides import read_sides
from utility_releases import made, with_labels

EDEMA, DEVICES = "label_edema", "label_support_devices"


def some(value: float):
    """A label that was known, said in another way, in every third record."""

    def change(_split, column):
        column = column.astype(np.float64)
        column[::3] = value
        return column

    return change


@pytest.fixture(scope="module")
def uncertain() -> Release:
    return with_labels(made(2.0), some(-1.0))


@pytest.fixture(scope="module")
def unknown() -> Release:
    return with_labels(made(2.0), some(np.nan))


def test_uncertain_is_unknown_to_utility(uncertain, unknown):
    found, expected = read_sides(uncertain).labels, read_sides(unknown).labels
    assert not found.known[::3].any()
    assert found.known.any()
    assert np.array_equal(found.truth, expected.truth)


def test_uncertain_is_unknown_to_targets(uncertain, unknown):
    every = np.ones(len(uncertain), dtype=bool)
    found, expected = (target_labels(each.records, every, "r") for each in (uncertain, unknown))
    assert np.array_equal(found.signs, expected.signs)
    assert (found.signs[::3] == 0).all()
    audited = [audited_records(each.records, [EDEMA], "r") for each in (uncertain, unknown)]
    assert audited[0].equals(audited[1])


def test_uncertain_is_unknown_to_linkage_and_groups(uncertain, unknown):
    assert np.array_equal(label_codes(uncertain.records, "r"), label_codes(unknown.records, "r"))
    assert set(groupings(uncertain.records)[EDEMA]) == {"0", "1", None}


def test_uncertain_is_unknown_to_the_strata_of_identity(uncertain, unknown):
    found, expected = (strata(build_task(build_gallery(each))) for each in (uncertain, unknown))
    assert {name: list(rows) for name, rows in found.items()} == {name: list(rows) for name, rows in expected.items()}


def test_uncertain_is_unknown_to_defences(uncertain, unknown):
    np.testing.assert_array_equal(standardised_labels(uncertain)[0], standardised_labels(unknown)[0])
    np.testing.assert_array_equal(finding_values(uncertain), finding_values(unknown))


def test_uncertain_is_unknown_to_membership():
    members = np.tile([[True, False], [False, True]], (4, 2))
    records = pl.DataFrame({"record_id": list("abcd"), "patient_id": list("abcd"), EDEMA: [1, 0, -1, None]})
    plain = build_signals(np.ones((8, 4)), members, records)
    assert plain.records[EDEMA].to_list() == [1, 0, None, None]
    asked = build_signals(np.ones((8, 4, 1)), members, records, logits=True)
    assert asked.labels is not None
    assert asked.labels.ravel().tolist() == [1, -1, 0, 0]


def test_a_release_holds_one_kind_of_label_however_it_was_written(tmp_path, uncertain):
    write_release(uncertain, tmp_path / "release")
    assert read_release(tmp_path / "release").records[EDEMA].dtype == pl.Int8
    table = pl.DataFrame({"label_a": [True, False], "label_b": [float("nan"), 0.0], "label_c": [None, None]})
    found = labels_of(table, "t")
    assert found.truth.tolist() == [[1, -1, -1], [0, 0, -1]]
    assert found.signs.tolist() == [[1, 0, 0], [-1, -1, 0]]
    assert with_known_labels(with_known_labels(table, where="t"), where="t").schema["label_c"] == pl.Int8


def test_minus_one_for_negative_is_another_encoding_and_refused(tmp_path):
    release = made(2.0)

    def signs(_split, column):
        return np.where(column == 1, 1, -1)

    with pytest.raises(DataError, match="hold −1 and no 0, and −1 means uncertain"):
        with_labels(release, signs)
    table = pl.DataFrame({"record_id": ["a", "b"], "patient_id": ["a", "b"], EDEMA: [1, -1]})
    with pytest.raises(DataError, match="−1 and no 0"):
        audited_records(table, [EDEMA], "t")
    table.write_csv(tmp_path / "t.csv")
    with pytest.raises(DataError, match="−1 and no 0"):
        SOURCES["table"](tmp_path / "t.csv", ReadOptions(label_policy="uncertain-positive"))


@pytest.mark.parametrize("strange", [2, 0.5, -2, float("inf")])
def test_a_number_that_is_no_label_is_refused_wherever_the_release_goes(strange):
    with pytest.raises(DataError, match="unknown label in row 0"):
        with_labels(made(2.0), some(strange))
