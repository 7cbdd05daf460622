"""MIMIC-CXR's layout, on a miniature of it."""

from __future__ import annotations

import datetime as dt
import gzip

import pytest

import miniatures
from leadapron.cohort import LABEL_COLUMNS
from leadapron.cohort.sources import SOURCES, ReadOptions, mimic_cxr
from leadapron.errors import DataError
from miniatures import record, steps

read = SOURCES["mimic_cxr"]


def test_every_dropped_row_is_in_the_funnel(tmp_path):
    cohort = read(miniatures.mimic_cxr(tmp_path), ReadOptions())
    assert steps(cohort) == [
        ("rows of mimic-cxr-2.0.0-metadata.csv.gz", 10, 0),
        ("view known", 9, 1),
        ("view AP or PA", 8, 1),
        ("image file present", 7, 1),
        ("report present", 6, 1),
        ("findings or impression", 4, 2),
    ]
    assert cohort.records["record_id"].to_list() == ["aa-01", "aa-02", "bb-01", "dd-01"]


def test_records_carry_ids_path_date_and_sections(tmp_path):
    cohort = read(miniatures.mimic_cxr(tmp_path), ReadOptions())
    first, second = record(cohort, "aa-01"), record(cohort, "aa-02")
    assert (first["patient_id"], first["study_id"], first["view"]) == ("10000011", "50000001", "PA")
    assert first["image_path"] == str(tmp_path / "files/p10/p10000011/s50000001/aa-01.jpg")
    assert first["date"] == dt.date(2180, 5, 6)
    assert first["findings"] == "The made-up lungs are clear and well expanded. HEART: of normal size."
    assert first["impression"] == "No invented disease. Compare with ___."
    assert first["report"] == second["report"] == f"{first['findings']}\n\n{first['impression']}"
    assert record(cohort, "bb-01")["report"] == "A fictional device ends in place."
    assert record(cohort, "dd-01")["report"] == "A second guess."


def test_headings_that_are_not_understood_stand_in_the_funnel_and_rare_ones_are_not_named(tmp_path, monkeypatch):
    odd = miniatures.PLAIN.replace(" HEART:", " QUALITY:")
    monkeypatch.setitem(miniatures.MIMIC_REPORTS, ("10000011", "50000001"), odd)
    folder = miniatures.mimic_cxr(tmp_path)
    said = "1 reports have headings that are not understood, and count them to the section above"
    assert read(folder, ReadOptions()).funnel.steps[-1].why == said
    monkeypatch.setattr(mimic_cxr, "OFTEN", 1)
    cohort = read(folder, ReadOptions())
    assert cohort.funnel.steps[-1].why == f"{said}; most often QUALITY (1)"
    assert "QUALITY: of normal size." in record(cohort, "aa-01")["report"]


@pytest.mark.parametrize(
    ("policy", "unsure", "unmentioned"),
    [("positive-only", 0, 0), ("uncertain-positive", 1, 0), ("mentioned-only", None, None)],
)
def test_labels_follow_the_policy_and_unlabelled_studies_stay_unknown(tmp_path, policy, unsure, unmentioned):
    cohort = read(miniatures.mimic_cxr(tmp_path), ReadOptions(label_policy=policy))
    labelled, unlabelled = record(cohort, "aa-02"), record(cohort, "dd-01")
    assert (labelled["label_no_finding"], labelled["label_edema"]) == (1, 0)
    assert labelled["label_pneumonia"] == unsure
    assert labelled["label_fracture"] == unmentioned
    assert [unlabelled[column] for column in LABEL_COLUMNS] == [None] * 14


def test_official_split_is_taken_only_when_asked_for(tmp_path):
    folder = miniatures.mimic_cxr(tmp_path)
    official = read(folder, ReadOptions(official_split=True)).records
    assert official["split"].to_list() == ["train", "train", "validate", "test"]
    (folder / "mimic-cxr-2.0.0-split.csv.gz").unlink()
    assert read(folder, ReadOptions()).records["split"].is_in(["train", "validate", "test"]).all()
    with pytest.raises(DataError, match=r"no file mimic-cxr-\*-split\.csv\.gz"):
        read(folder, ReadOptions(official_split=True))


@pytest.mark.parametrize("reports", ["mimic-cxr-reports", "."])
def test_unpacked_reports_and_plain_tables_of_another_version_read_the_same(tmp_path, reports):
    packed = read(miniatures.mimic_cxr(tmp_path / "packed"), ReadOptions())
    other = miniatures.mimic_cxr(tmp_path / "plain", version="2.1.0", packed=False, reports=reports)
    unpacked = read(other, ReadOptions())
    assert unpacked.records.drop("image_path").equals(packed.records.drop("image_path"))
    assert steps(unpacked)[1:] == steps(packed)[1:]


def test_without_images_no_row_is_dropped_for_it(tmp_path):
    cohort = read(miniatures.mimic_cxr(tmp_path, images=False), ReadOptions())
    assert ("image files", 8, 0) in steps(cohort)
    assert record(cohort, "cc-02")["image_path"].endswith("/files/p12/p12000033/s50000007/cc-02.jpg")


def test_without_any_reports_the_reports_are_unknown(tmp_path):
    cohort = read(miniatures.mimic_cxr(tmp_path, reports=None), ReadOptions())
    assert steps(cohort)[-1] == ("reports", 7, 0)
    assert cohort.records["report"].null_count() == 7


def test_no_views_asked_for_keeps_all_views(tmp_path):
    views = read(miniatures.mimic_cxr(tmp_path), ReadOptions(views=())).records["view"]
    assert set(views) == {"AP", "PA", "LATERAL", None}


def test_wrong_folder_names_the_file_and_the_layout(tmp_path):
    with pytest.raises(DataError, match=r"no file mimic-cxr-\*-metadata\.csv\.gz.*Expected: a folder with"):
        read(tmp_path, ReadOptions())
    with pytest.raises(DataError, match="the folder does not exist"):
        read(tmp_path / "nowhere", ReadOptions())


def rewrite(folder, name, old, new):
    file = folder / f"mimic-cxr-2.0.0-{name}.csv.gz"
    text = gzip.decompress(file.read_bytes()).decode()
    assert old in text
    file.write_bytes(gzip.compress(text.replace(old, new, 1).encode()))


@pytest.mark.parametrize(
    ("table", "old", "new", "message"),
    [
        ("metadata", "ViewPosition", "View", r"metadata.*column 'ViewPosition' is missing; got 'dicom_id, "),
        ("metadata", "aa-02,10000011", "aa-02,", r"metadata.*column 'subject_id' is empty in row 2"),
        ("chexpert", "-1.0", "perhaps", r"chexpert.*'Pneumonia' holds a value that is no number.*'perhaps'"),
        ("chexpert", "-1.0", "7.0", r"chexpert.*column 'label_pneumonia' holds an unknown label.*got 7\.0"),
        ("chexpert", "50000003", "50000001", r"chexpert.*'study_id' holds the same id more than once"),
    ],
)
def test_a_bad_table_is_named_with_its_column(tmp_path, table, old, new, message):
    folder = miniatures.mimic_cxr(tmp_path)
    rewrite(folder, table, old, new)
    with pytest.raises(DataError, match=message):
        read(folder, ReadOptions())


def test_broken_tables_and_archives_are_named(tmp_path):
    folder = miniatures.mimic_cxr(tmp_path)
    archive = folder / "mimic-cxr-reports.zip"
    archive.write_bytes(archive.read_bytes()[:100])
    with pytest.raises(DataError, match=r"mimic-cxr-reports\.zip: the archive is broken"):
        read(folder, ReadOptions())
    (folder / "mimic-cxr-2.0.0-metadata.csv.gz").write_bytes(b"")
    with pytest.raises(DataError, match=r"metadata\.csv\.gz: the file cannot be read as CSV"):
        read(folder, ReadOptions())
