"""What the phantom clinic writes in a published layout is read as the real files are, and says the same."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

from leadapron.cohort import LABEL_COLUMNS, SOURCES, ReadOptions, read_image
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.published_layouts import LAYOUTS


@pytest.fixture(scope="module")
def clinic():
    return build_clinic(Dials(patients=12, seed=3))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_cohort_that_is_read_is_the_clinic_that_was_written(layout, clinic, tmp_path):
    LAYOUTS[layout](clinic, tmp_path / "data", 64)
    read, true = SOURCES[layout](tmp_path / "data", ReadOptions()).records, clinic.cohort.records
    true = true.filter(pl.col("view").is_in(["AP", "PA"]))
    assert len(read) == len(true)
    assert read["patient_id"].n_unique() == true["patient_id"].n_unique()
    assert read["study_id"].n_unique() == true["study_id"].n_unique()
    for column in ("view", *LABEL_COLUMNS):
        assert read[column].fill_null("" if column == "view" else 0).to_list() == (
            true[column].fill_null("" if column == "view" else 0).to_list()
        ), column
    assert alike(read["report"]) == alike(true["report"])
    assert read_image(Path(read["image_path"][0])).shape == (64, 64)


def alike(texts):
    """Which neighbours have the same words."""
    return [before == after for before, after in pairwise(texts)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_two_patients_become_one(layout, clinic, tmp_path):
    """Records of one patient, and no others, have one patient id."""
    LAYOUTS[layout](clinic, tmp_path / "data", 32)
    read = SOURCES[layout](tmp_path / "data", ReadOptions()).records["patient_id"]
    pairs = pl.DataFrame({"read": read, "true": clinic.cohort.records["patient_id"]}).unique()
    assert pairs["read"].n_unique() == pairs["true"].n_unique() == len(pairs)
