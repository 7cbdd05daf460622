"""Who is in a cohort, counted by hand."""

from __future__ import annotations

import polars as pl

from leadapron.cohort import LABEL_COLUMNS, Cohort, Funnel
from leadapron.cohort.characteristics import as_text, characteristics

RECORDS = pl.DataFrame(
    {
        "record_id": ["a", "b", "c", "d"],
        "patient_id": ["p", "p", "q", "r"],
        "study_id": ["s", "s", "t", "u"],
        "split": ["train", "train", "train", "test"],
        "view": ["AP", "PA", "AP", None],
        "report": ["Clear.", "Clear.", None, "Edema."],
        "image_path": pl.Series([None] * 4, dtype=pl.String),
        **{column: pl.Series([None] * 4, dtype=pl.Int8) for column in LABEL_COLUMNS},
        "label_edema": pl.Series([1, 0, None, 1], dtype=pl.Int8),
        "age": [None, 40, 70, 90],
        "sex": ["F", "F", None, "M"],
    }
)


def test_every_number_of_a_small_cohort():
    table = {row[0]: row[1:] for row in characteristics(Cohort("mine", RECORDS, Funnel()))}
    assert table == {
        "": ("all", "train", "validate", "test"),
        "patients": ("3", "2", "0", "1"),
        "radiographs": ("4", "3", "0", "1"),
        "with a report": ("3", "2", "0", "1"),
        "age, median": ("70", "55", "–", "90"),
        "age, mean ± sd": ("66.7 ± 25.2", "55.0 ± 21.2", "–", "90.0 ± 0.0"),
        "age, range": ("40–90", "40–70", "–", "90–90"),
        "sex, % of patients: F": ("33.3", "50.0", "–", "–"),
        "sex, % of patients: M": ("33.3", "–", "–", "100.0"),
        "sex, % of patients: not known": ("33.3", "50.0", "–", "–"),
        "view, % of radiographs: AP": ("50.0", "66.7", "–", "–"),
        "view, % of radiographs: PA": ("25.0", "33.3", "–", "–"),
        "view, % of radiographs: not known": ("25.0", "–", "–", "100.0"),
        "edema, % of those known": ("66.7", "50.0", "–", "100.0"),
    }


def test_columns_that_are_not_there_have_no_row():
    table = characteristics(Cohort("mine", RECORDS.drop("age", "sex"), Funnel()))
    assert not [row for row in table if row[0].startswith(("age", "sex"))]


def test_text_has_columns_below_each_other():
    lines = as_text([("", "all"), ("patients", "3"), ("of them", "1,000")]).splitlines()
    assert lines == ["            all", "patients      3", "of them   1,000"]
