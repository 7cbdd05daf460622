"""Any CSV or parquet file with a mapping of its columns."""

from __future__ import annotations

import polars as pl
import pytest

from leadapron.cohort.sources import SOURCES, ReadOptions
from leadapron.errors import ConfigError, DataError
from miniatures import steps

read = SOURCES["table"]
CSV = """file,mrn,text,projection,effusion,edema,fracture,ward,age
a.png,007,An invented report.,pa,1,-1,,west,61
/abs/b.png,007,,AP,0,,,east,62
c.png,8,Another one.,lateral,1,1,,east,63
d.png,9,A third.,AP,,,,east,
"""
COLUMNS = {
    "record_id": "file",
    "image_path": "file",
    "patient_id": "mrn",
    "report": "text",
    "view": "projection",
    "label_pleural_effusion": "effusion",
    "label_edema": "edema",
    "label_fracture": "fracture",
}


@pytest.fixture
def csv(tmp_path):
    file = tmp_path / "ours.csv"
    file.write_text(CSV)
    return file


def test_mapped_columns_bear_our_names_and_the_others_stay(csv):
    cohort = read(csv, ReadOptions(columns=COLUMNS))
    assert steps(cohort) == [("rows of ours.csv", 4, 0), ("view known", 4, 0), ("view AP or PA", 3, 1)]
    records = cohort.records
    assert records["patient_id"].to_list() == ["007", "007", "9"]
    assert records["study_id"].to_list() == records["record_id"].to_list() == ["a.png", "/abs/b.png", "d.png"]
    assert records["image_path"].to_list() == [
        str(csv.parent / "a.png"),
        "/abs/b.png",
        str(csv.parent / "d.png"),
    ]
    assert records["view"].to_list() == ["PA", "AP", "AP"]
    assert records["report"].to_list() == ["An invented report.", None, "A third."]
    assert records["ward"].to_list() == ["west", "east", "east"]
    assert records["age"].to_list() == [61, 62, None]


def test_labels_follow_the_policy_where_there_are_labels(csv):
    records = read(csv, ReadOptions(columns=COLUMNS)).records
    assert records["label_pleural_effusion"].to_list() == [1, 0, None]  # the last row has no label at all
    assert records["label_edema"].to_list() == [0, 0, None]
    assert records["label_fracture"].null_count() == records["label_pneumonia"].null_count() == 3
    positive = read(csv, ReadOptions(columns=COLUMNS, label_policy="uncertain-positive")).records
    assert positive["label_edema"].to_list() == [1, 0, None]


def test_parquet_with_our_own_names_needs_no_mapping(tmp_path):
    table = pl.DataFrame(
        {
            "record_id": [1, 2],
            "patient_id": [10, 20],
            "study_id": [5, 6],
            "split": ["train", "test"],
            "label_edema": [float("nan"), 1.0],
            "label_pneumonia": [True, False],
        }
    )
    table.write_parquet(tmp_path / "ours.parquet")
    cohort = read(tmp_path / "ours.parquet", ReadOptions(official_split=True, label_policy="mentioned-only"))
    assert cohort.records.select("record_id", "patient_id", "study_id", "split").rows() == [
        ("1", "10", "5", "train"),
        ("2", "20", "6", "test"),
    ]
    assert cohort.records["label_edema"].to_list() == [None, 1]
    assert cohort.records["label_pneumonia"].to_list() == [1, 0]
    assert cohort.funnel.steps[-1].why == "the table has no column for it: the views are unknown"


def test_a_mapped_column_wins_over_one_that_bears_the_name(tmp_path):
    file = tmp_path / "ours.csv"
    file.write_text("record_id,patient_id,report,summary\n1,2,long,short\n")
    assert read(file, ReadOptions(columns={"report": "summary"})).records["report"].to_list() == ["short"]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"patient": "mrn"}, ConfigError, r"got 'patient'; allowed: .*did you mean 'patient_id'"),
        ({**COLUMNS, "report": "note"}, DataError, r"ours\.csv: column 'note' is missing; got 'file, mrn, "),
        ({"record_id": "file"}, DataError, r"ours\.csv: no column 'patient_id', and none is mapped to it"),
        ({"patient_id": "mrn"}, DataError, r"ours\.csv: no column 'record_id'"),
        (
            {**COLUMNS, "label_edema": "ward"},
            DataError,
            r"'label_edema' holds a value that is no number.*'west'",
        ),
        (
            {**COLUMNS, "label_edema": "age"},
            DataError,
            r"'label_edema' holds an unknown label",
        ),
        ({**COLUMNS, "patient_id": "text"}, DataError, r"column 'patient_id' is empty in row 2"),
    ],
)
def test_a_mapping_that_does_not_fit_is_named(csv, columns, error, message):
    with pytest.raises(error, match=message):
        read(csv, ReadOptions(columns=columns))


def test_files_that_are_no_tables_are_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere\.csv: the table does not exist"):
        read(tmp_path / "nowhere.csv", ReadOptions())
    for name in ("broken.parquet", "empty.csv"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(DataError, match=f"{name}: the file cannot be read as a table"):
            read(tmp_path / name, ReadOptions())
