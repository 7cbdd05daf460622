"""The cohort: what it refuses and how it says so, that it does not change, and its folder."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from leadapron.cohort import LABEL_COLUMNS, SPLITS, Cohort, Funnel, Step, read_cohort, split_by_patient, write_cohort
from leadapron.cohort.cohort import ID_COLUMNS, TEXT_COLUMNS, build_cohort
from leadapron.errors import ConfigError, DataError

COLUMNS = (*ID_COLUMNS, "split", *TEXT_COLUMNS, *LABEL_COLUMNS)


def records(**columns) -> pl.DataFrame:
    """Three sound records of two patients, with some columns replaced."""
    sound = {
        "record_id": ["a", "b", "c"],
        "patient_id": ["p", "p", "q"],
        "study_id": ["s", "s", "t"],
        "split": ["train", "train", "test"],
        "view": ["AP", None, "PA"],
        "report": ["Clear.", "Clear.", None],
        "image_path": ["images/a.png", "/elsewhere/b.png", None],
        **{column: pl.Series([1, 0, None], dtype=pl.Int8) for column in LABEL_COLUMNS},
        "age": [61, 61, None],
    }
    return pl.DataFrame(sound | columns)


def cohort_of(**columns) -> Cohort:
    return Cohort("ours", records(**columns), Funnel.start("rows", 3))


def error_of(**columns) -> str:
    with pytest.raises(DataError) as caught:
        cohort_of(**columns)
    return str(caught.value)


def test_a_sound_cohort_counts_its_records_and_patients():
    cohort = cohort_of()
    assert (len(cohort), cohort.patients) == (3, 2)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_missing_column_is_named(column):
    table = records().drop(column)
    with pytest.raises(DataError) as caught:
        Cohort("ours", table, Funnel())
    assert str(caught.value) == f"ours: column {column!r} is missing; got {', '.join(table.columns)!r}."


@pytest.mark.parametrize("column", [*ID_COLUMNS, *TEXT_COLUMNS, "split"])
def test_a_column_that_is_not_text_is_named(column):
    assert error_of(**{column: [1, 2, 3]}) == f"ours: column {column!r} is not text; got 'Int64'; allowed: String."


@pytest.mark.parametrize("column", ID_COLUMNS)
@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_id_is_named_with_its_row(column, empty):
    assert error_of(**{column: ["x", empty, "z"]}) == f"ours: column {column!r} is empty in row 2."


def test_a_duplicated_record_id_is_named():
    assert error_of(record_id=["b", "a", "b"]) == (
        "ours: column 'record_id' holds the same id more than once (2 rows); got 'rows 1 and 3'; allowed: unique ids."
    )


def test_a_patient_in_two_splits_is_named():
    message = error_of(split=["train", "test", "test"])
    assert message.startswith("ours: column 'split': the patient of row 1 stands in more than one split")
    assert "got 'test, train'; allowed: one split a patient" in message


def test_an_unknown_split_is_named():
    message = error_of(split=["train", "train", "dev"])
    assert message.startswith("ours: column 'split' holds an unknown split in row 3 (1 rows do)")
    assert message.endswith("got 'dev'; allowed: train, validate, test.")


@pytest.mark.parametrize("value", [-1, 2])
def test_a_label_outside_the_allowed_is_named(value):
    message = error_of(label_pneumonia=[0, value, None])
    assert message.startswith("ours: column 'label_pneumonia' holds an unknown label")
    assert message.endswith(f"got {value}; allowed: 1, 0 or null.")


def test_an_empty_cohort_shows_the_funnel_that_emptied_it():
    with pytest.raises(DataError) as caught:
        cohort_of().keep(pl.col("age") > 90, "of age", "all are children")
    assert str(caught.value) == (
        "ours: no record is left: rows: 3 kept, 0 dropped; of age: 0 kept, 3 dropped (all are children)."
    )


def test_nothing_in_it_can_be_set():
    cohort = cohort_of()
    for field in ("name", "records", "funnel"):
        with pytest.raises(FrozenInstanceError):
            setattr(cohort, field, None)


def test_keep_gives_a_new_cohort_and_counts_in_the_funnel():
    cohort = cohort_of()
    kept = cohort.keep(pl.col("view").is_not_null(), "view known", "no view")
    assert kept.records["record_id"].to_list() == ["a", "c"]
    assert kept.funnel.steps == (Step("rows", 3, 0), Step("view known", 2, 1, "no view"))
    assert_frame_equal(cohort.records, records())
    assert cohort.funnel == Funnel.start("rows", 3)


def test_keep_counts_from_the_records_where_no_funnel_was_given():
    kept = Cohort("ours", records(), Funnel()).keep(pl.col("patient_id") == "p", "patient p")
    assert kept.funnel.steps == (Step("records", 3, 0), Step("patient p", 2, 1))


def test_labels_are_a_matrix_with_nan_for_unknown():
    labels = cohort_of(label_fracture=[None, 1, 0]).labels()
    slow = np.full((3, 14), np.nan)
    for row, values in enumerate([(1, None), (0, 1), (None, 0)]):
        for place, column in enumerate(LABEL_COLUMNS):
            value = values[column == "label_fracture"]
            if value is not None:
                slow[row, place] = value
    assert labels.dtype == np.float32
    np.testing.assert_array_equal(labels, slow)


def test_a_source_need_only_bring_ids():
    table = pl.DataFrame({"ward": ["west", "east"], "study_id": [5, 6], "record_id": [1, 2], "patient_id": [10, 20]})
    built = build_cohort("ours", table, Funnel.start("rows", 2)).records
    assert built.columns == [*COLUMNS, "ward"]
    assert built.select("record_id", "patient_id", "study_id", "ward").rows() == [
        ("1", "10", "5", "west"),
        ("2", "20", "6", "east"),
    ]
    assert {built.schema[column] for column in TEXT_COLUMNS} == {pl.String}
    assert {built.schema[column] for column in LABEL_COLUMNS} == {pl.Int8}
    assert built.select(*TEXT_COLUMNS, *LABEL_COLUMNS).null_count().row(0) == (2,) * 17


def test_a_column_of_nulls_without_a_type_is_as_good_as_none():
    table = records(report=[None] * 3, label_edema=[None] * 3)
    built = build_cohort("ours", table, Funnel.start("rows", 3)).records
    assert (built.schema["report"], built.schema["label_edema"]) == (pl.String, pl.Int8)
    assert built["view"].to_list() == ["AP", None, "PA"]
    assert built["label_edema"].null_count() == 3


def test_patients_are_split_by_id_and_seed_unless_the_official_split_is_asked_for():
    patients = [f"p{number}" for number in range(60)]
    table = pl.DataFrame({"record_id": patients, "patient_id": patients, "study_id": patients, "split": "test"})
    funnel = Funnel.start("rows", len(table))
    official = build_cohort("ours", table, funnel, official_split=True).records
    assert set(official["split"]) == {"test"}
    for seed in (0, 1):
        ours = build_cohort("ours", table, funnel, seed=seed).records
        assert ours["split"].to_list() == split_by_patient(table["patient_id"], seed).to_list()
        assert set(ours["split"]) == set(SPLITS)


def test_a_source_without_an_official_split_says_so():
    with pytest.raises(DataError, match=r"^ours: this source has no official split\. Leave --official-split out\.$"):
        build_cohort("ours", records().drop("split"), Funnel(), official_split=True)


@pytest.mark.parametrize("column", ID_COLUMNS)
def test_a_source_without_an_id_column_is_told_which(column):
    with pytest.raises(DataError, match=f"^ours: column '{column}' is missing; got '"):
        build_cohort("ours", records().drop(column), Funnel())


def test_a_source_whose_rows_lack_an_id_is_told_the_row():
    with pytest.raises(DataError, match="column 'patient_id' is empty in row 3"):
        build_cohort("ours", records(patient_id=["p", "p", None]), Funnel())


def test_writing_and_reading_again_keeps_everything(tmp_path):
    cohort = cohort_of(image_path=["/x/a.png", "/x/b.png", None]).keep(pl.col("age") == 61, "age known", "“–”")
    write_cohort(cohort, tmp_path / "made" / "cohort")
    again = read_cohort(tmp_path / "made" / "cohort")
    assert again.name == "ours"
    assert again.funnel == cohort.funnel
    assert_frame_equal(again.records, cohort.records)
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["cohort"]


def test_relative_image_paths_start_at_the_folder(tmp_path, monkeypatch):
    write_cohort(cohort_of(), tmp_path / "cohort")
    expected = [f"{tmp_path}/cohort/images/a.png", "/elsewhere/b.png", None]
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path / "cohort", (tmp_path / "cohort").relative_to(tmp_path)):
        assert read_cohort(folder).records["image_path"].to_list() == expected


def test_a_cohort_is_not_overwritten_unasked(tmp_path):
    write_cohort(cohort_of(), tmp_path / "cohort")
    other = Cohort("other", records(), Funnel())
    with pytest.raises(ConfigError, match="exists already"):
        write_cohort(other, tmp_path / "cohort")
    assert read_cohort(tmp_path / "cohort").name == "ours"
    write_cohort(other, tmp_path / "cohort", overwrite=True)
    assert read_cohort(tmp_path / "cohort").name == "other"


def test_nothing_half_written_is_left_behind(tmp_path, monkeypatch):
    def fail(*_args, **_options):
        raise OSError("the disk is full")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", fail)
    with pytest.raises(OSError, match="disk is full"):
        write_cohort(cohort_of(), tmp_path / "cohort")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_no_cohort_says_how_to_make_one(tmp_path):
    with pytest.raises(DataError, match=r"it has no cohort\.json\. Make one with `leadapron cohort") as caught:
        read_cohort(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}: ")


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("cohort.json", b"{", "JSONDecodeError"),
        (
            "cohort.json",
            b"{}",
            r"cannot be read \(cohort\.json: .*allowed: 'name' and 'funnel', a list of \[what, kept",
        ),
        ("cohort.json", b"[]", r"cannot be read \(cohort\.json: .*got \[\]; allowed: 'name' and 'funnel'"),
        ("cohort.json", json.dumps({"name": "ours", "funnel": [["rows"]]}).encode(), "kept"),
        ("records.parquet", None, "No such file"),
        ("records.parquet", b"not a table", "parquet"),
    ],
)
def test_a_damaged_cohort_folder_is_named(tmp_path, file, content, reason):
    write_cohort(cohort_of(), tmp_path / "cohort")
    (tmp_path / "cohort" / file).unlink()
    if content is not None:
        (tmp_path / "cohort" / file).write_bytes(content)
    with pytest.raises(DataError, match=reason) as caught:
        read_cohort(tmp_path / "cohort")
    assert str(caught.value).startswith(f"{tmp_path / 'cohort'}: the cohort cannot be read (")


def test_a_table_that_was_spoilt_after_writing_is_refused_with_its_folder(tmp_path):
    write_cohort(cohort_of(), tmp_path / "cohort")
    records().drop("image_path").write_parquet(tmp_path / "cohort" / "records.parquet")
    with pytest.raises(DataError, match="column 'image_path' is missing") as caught:
        read_cohort(tmp_path / "cohort")
    assert str(tmp_path / "cohort") in str(caught.value)
