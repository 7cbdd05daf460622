"""CheXpert Plus's layout, on a miniature of it."""

from __future__ import annotations

import pytest

import miniatures
from leadapron.cohort import LABEL_COLUMNS
from leadapron.cohort.sources import SOURCES, ReadOptions
from leadapron.errors import DataError
from miniatures import record, steps

read = SOURCES["chexpert_plus"]
TABLE = "df_chexpert_plus_240401.csv"


def test_every_dropped_row_is_in_the_funnel(tmp_path):
    cohort = read(miniatures.chexpert_plus(tmp_path), ReadOptions())
    assert steps(cohort) == [
        (f"rows of {TABLE}", 6, 0),
        ("frontal", 5, 1),
        ("view known", 4, 1),
        ("view AP or PA", 4, 0),
        ("image file present", 4, 0),
        ("findings or impression", 3, 1),
        ("labels", 3, 0),
    ]
    assert cohort.funnel.steps[-1].why == "report_fixed.json; 1 rows are not in it"


def test_records_carry_ids_sections_and_demographics(tmp_path):
    first = record(read(miniatures.chexpert_plus(tmp_path), ReadOptions()), "train/patient00004/study1/view1_frontal")
    assert (first["patient_id"], first["study_id"], first["view"]) == (
        "patient00004",
        "patient00004/study1",
        "PA",
    )
    assert first["report"] == 'Lungs, as imagined, are clear.\n\n1. "Nothing" was made up.'
    assert (first["age"], first["sex"], first["race"], first["report_order"]) == (62.0, "F", "Unknown", 1)


@pytest.mark.parametrize("root", [".", "PNG", "PNG/PNG", "images"])
def test_png_files_are_found_wherever_the_archive_was_unpacked(tmp_path, root):
    cohort = read(miniatures.chexpert_plus(tmp_path, image_root=root), ReadOptions())
    first = record(cohort, "train/patient00004/study1/view1_frontal")
    assert first["image_path"] == str(tmp_path / root / "train/patient00004/study1/view1_frontal.png")


def test_without_images_the_table_s_own_path_stays(tmp_path):
    cohort = read(miniatures.chexpert_plus(tmp_path, image_root=None), ReadOptions())
    assert ("image files", 4, 0) in steps(cohort)
    assert cohort.records["image_path"].str.ends_with("_frontal.jpg").all()


def test_a_row_without_its_image_is_dropped(tmp_path):
    folder = miniatures.chexpert_plus(tmp_path)
    (folder / "PNG/train/patient00004/study2/view1_frontal.png").unlink()
    assert ("image file present", 3, 1) in steps(read(folder, ReadOptions()))


@pytest.mark.parametrize("label_file", ["report", "impression", "findings"])
def test_labels_come_from_any_of_the_three_files(tmp_path, label_file):
    cohort = read(miniatures.chexpert_plus(tmp_path, label_file=label_file), ReadOptions())
    labelled = record(cohort, "train/patient00004/study2/view1_frontal")
    unlabelled = record(cohort, "valid/patient64541/study1/view1_frontal")
    assert (labelled["label_support_devices"], labelled["label_pneumonia"]) == (1, 0)
    assert [unlabelled[column] for column in LABEL_COLUMNS] == [None] * 14


def test_without_label_files_every_label_is_unknown(tmp_path):
    cohort = read(miniatures.chexpert_plus(tmp_path, label_file=None), ReadOptions())
    assert cohort.records.select(LABEL_COLUMNS).null_count().row(0) == (3,) * 14
    assert "every label is unknown" in cohort.funnel.steps[-1].why


def test_the_official_split_calls_valid_validate(tmp_path):
    cohort = read(miniatures.chexpert_plus(tmp_path), ReadOptions(official_split=True))
    assert cohort.records["split"].to_list() == ["train", "train", "validate"]


def test_lateral_images_stay_if_no_views_are_asked_for(tmp_path):
    cohort = read(miniatures.chexpert_plus(tmp_path), ReadOptions(views=()))
    assert "train/patient00004/study1/view2_lateral" in cohort.records["record_id"]


def test_bad_folders_tables_and_label_files_are_named(tmp_path):
    with pytest.raises(DataError, match=r"no file df_chexpert_plus_\*\.csv.*chexbert_labels"):
        read(tmp_path, ReadOptions())
    folder = miniatures.chexpert_plus(tmp_path)
    labels = folder / "chexbert_labels" / "report_fixed.json"
    labels.write_text("[not, json lines\n")
    with pytest.raises(DataError, match=r"report_fixed\.json: the file cannot be read as JSON lines"):
        read(folder, ReadOptions())
    table = folder / TABLE
    text = table.read_text()
    table.write_text(text.replace("valid/patient64541/study1/view1_frontal.jpg", "view1_frontal.jpg"))
    with pytest.raises(DataError, match=r"a path without patient and study in row \d+ \(1 rows do\); allowed: train/"):
        read(folder, ReadOptions())
    table.write_text(text.replace("section_impression", "impression"))
    with pytest.raises(DataError, match=r"column 'section_impression' is missing; got 'path_to_image, "):
        read(folder, ReadOptions())
