"""The COVID-19 collection's layout, on invented rows."""

from __future__ import annotations

import pytest

import miniatures
from leadapron.cohort.sources import SOURCES, ReadOptions
from leadapron.errors import DataError
from miniatures import record, steps

read = SOURCES["covid19"]

COVID_HEADER = (
    "patientid,offset,sex,age,finding,view,modality,date,location,folder,filename,doi,url,license,clinical_notes"
)
COVID_ROWS = (
    '7,0,F,40,Pneumonia/Viral,AP Supine,X-ray,2020,"Town, Land",images,a.jpg,,http://www.a.example/7,CC0,'
    '"One  invented\nnote."',
    '7,0,F,40,Pneumonia/Viral,PA,X-ray,2020,"Town, Land",images,b.jpg,,http://www.a.example/7,CC0,"One invented note."',
    "7,3,F,40,todo,AP Erect,X-ray,2020,,images,c.jpg,,http://www.a.example/7,CC0,A note.",
    "7,3,F,40,todo,AP,X-ray,2020,,images,d.jpg,,http://www.a.example/7,CC0,Another note.",
    "7a,,,,No Finding,PA,X-ray,2020,,images,e.jpg,,http://www.a.example/7,CC0,",
    "7a,,,,No Finding,PA,X-ray,2020,,images,f.jpg,,http://www.a.example/7,CC0,",
    "8,,M,55,Pneumonia,L,X-ray,2020,,images,g.jpg,,http://www.a.example/7,CC0,Lateral.",
    "8,,M,55,Pneumonia,Axial,CT,2020,,volumes,h.nii.gz,,http://www.a.example/7,CC0,Not a radiograph.",
    "9,,M,55,Pneumonia,AP,X-ray,2020,,images,absent.jpg,,http://www.a.example/7,CC0,No file.",
)


@pytest.fixture
def covid(tmp_path):
    miniatures.write(tmp_path / "metadata.csv", "\n".join((COVID_HEADER, *COVID_ROWS)).encode())
    for name in "abcdefg":
        miniatures.write(tmp_path / "images" / f"{name}.jpg", b"")
    return tmp_path


def test_keeps_frontal_radiographs(covid):
    cohort = read(covid, ReadOptions())
    assert steps(cohort) == [
        ("rows of metadata.csv", 9, 0),
        ("X-ray", 8, 1),
        ("view known", 8, 0),
        ("view AP or PA", 7, 1),
        ("image file present", 6, 1),
    ]
    assert cohort.records["view"].to_list() == ["AP", "PA", "AP", "AP", "PA", "PA"]
    first = record(cohort, "a.jpg")
    assert first["report"] == "One invented note."
    assert (first["age"], first["sex"], first["offset"], first["location"]) == (40.0, "F", 0.0, "Town, Land")
    assert first["image_path"] == str(covid / "images/a.jpg")
    assert first["source"] == "a.example"


def test_never_merges_images_that_may_be_of_different_studies(covid):
    studies = read(covid, ReadOptions()).records["study_id"].to_list()
    assert studies[0] == studies[1]  # the same day and the same note
    assert len(set(studies)) == 5  # different notes of one day, and images without a day, stay apart


def test_knows_pneumonia_and_no_finding_only(covid):
    records = read(covid, ReadOptions()).records
    assert records["label_pneumonia"].to_list() == [1, 1, None, None, 0, 0]
    assert records["label_no_finding"].to_list() == [0, 0, None, None, 1, 1]
    assert records["label_edema"].null_count() == 6


def test_a_source_without_official_split_says_so(covid):
    with pytest.raises(DataError, match="covid19: this source has no official split"):
        read(covid, ReadOptions(official_split=True))


def test_an_empty_folder_is_told_what_belongs_there(tmp_path):
    with pytest.raises(DataError, match="Expected: "):
        read(tmp_path, ReadOptions())
