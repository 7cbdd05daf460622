"""NIH ChestX-ray14's layout, on invented rows."""

from __future__ import annotations

import pytest

import miniatures
from leadapron.cohort.sources import SOURCES, ReadOptions
from leadapron.errors import DataError
from miniatures import positives, record, steps

read = SOURCES["chestxray14"]

NIH_HEADER = (
    "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age,Patient Gender,View Position,"
    "OriginalImage[Width,Height],OriginalImagePixelSpacing[x,y],"
)
NIH_ROWS = (
    "00000001_000.png,Effusion|Mass|Hernia,0,1,058Y,M,PA,2682,2749,0.143,0.143,",
    "00000001_001.png,No Finding,1,1,059Y,M,AP,2894,2729,0.143,0.143,",
    "00000002_000.png,Pleural_Thickening|Infiltration,0,2,081Y,F,PA,2500,2048,0.171,0.171,",
    "00000003_000.png,Emphysema,0,3,081Y,F,PA,2582,2991,0.143,0.143,",
)


@pytest.fixture
def nih(tmp_path):
    """Images over two folders, as the twelve archives unpack; that of patient 3 is absent."""
    miniatures.write(tmp_path / "Data_Entry_2017.csv", "\n".join((NIH_HEADER, *NIH_ROWS)).encode())
    for place in ("images_001/images/00000001_000.png", "images_001/images/00000001_001.png"):
        miniatures.write(tmp_path / place, b"")
    miniatures.write(tmp_path / "images_002/images/00000002_000.png", b"")
    return tmp_path


def test_maps_its_findings_and_finds_its_images(nih):
    cohort = read(nih, ReadOptions())
    assert steps(cohort)[-1] == ("image file present", 3, 1)
    first = record(cohort, "00000001_000")
    assert (first["patient_id"], first["study_id"], first["follow_up"]) == ("1", "1_0", 0)
    assert (first["age"], first["sex"], first["view"]) == (58.0, "M", "PA")
    assert first["finding_labels"] == "Effusion|Mass|Hernia"
    assert positives(first) == {"pleural_effusion", "lung_lesion"}
    assert first["label_pneumonia"] == first["label_no_finding"] == 0
    assert positives(record(cohort, "00000001_001")) == {"no_finding"}
    third = record(cohort, "00000002_000")
    assert positives(third) == {"pleural_other", "lung_opacity"}
    assert third["image_path"] == str(nih / "images_002/images/00000002_000.png")
    for finding in ("fracture", "support_devices", "enlarged_cardiomediastinum"):
        assert cohort.records[f"label_{finding}"].null_count() == 3


def test_an_age_that_cannot_be_is_unknown_and_counted(nih):
    table = nih / "Data_Entry_2017.csv"
    table.write_text(table.read_text().replace("059Y", "414Y"))
    cohort = read(nih, ReadOptions())
    assert record(cohort, "00000001_001")["age"] is None
    assert "1 ages above 122 years count as unknown" in str(cohort.funnel)


def test_official_split_needs_both_lists_and_every_image_in_one(nih):
    options = ReadOptions(official_split=True)
    (nih / "train_val_list.txt").write_text("00000001_000.png\r\n00000001_001.png\n")
    with pytest.raises(DataError, match=r"no file test_list\.txt"):
        read(nih, options)
    (nih / "test_list.txt").write_text("00000003_000.png\n")
    with pytest.raises(DataError, match=r"1 images stand in neither .* nor test_list\.txt\.$"):
        read(nih, options)
    (nih / "test_list.txt").write_text("00000003_000.png\n00000002_000.png")
    assert read(nih, options).records["split"].to_list() == ["train", "train", "test"]


def test_an_empty_folder_is_told_what_belongs_there(tmp_path):
    with pytest.raises(DataError, match="Expected: "):
        read(tmp_path, ReadOptions())
