"""A folder of DICOM files: what the tags say, and what is not DICOM."""

from __future__ import annotations

import datetime as dt

import pydicom
import pytest
from pydicom.uid import DeflatedExplicitVRLittleEndian

from dicom_files import write
from leadapron.cohort.sources import SOURCES, ReadOptions
from leadapron.errors import DataError
from miniatures import steps

read = SOURCES["dicom_folder"]


def test_tags_become_columns_and_other_files_are_counted(tmp_path):
    write(tmp_path / "a.dcm", "1.1")
    odd = write(tmp_path / "deep" / "IM0001", "1.2", ViewPosition="AP", PatientAge="018M", PatientSex="O")
    odd.write_bytes(odd.read_bytes().replace(b"CS\2\0AP", b"CS\2\0ap"))  # outside the standard, yet seen
    write(tmp_path / "lateral.dcm", "1.3", ViewPosition="LL")
    write(tmp_path / "silent.dcm", "1.4", ViewPosition="")
    write(tmp_path / "ct.dcm", "1.5", Modality="CT", PatientID="")
    whole = write(tmp_path / "cut.dcm", "1.6").read_bytes()
    (tmp_path / "cut.dcm").write_bytes(whole[:-40])
    (tmp_path / "notes.txt").write_text("not DICOM")
    (tmp_path / "empty.dcm").write_bytes(b"")
    cohort = read(tmp_path, ReadOptions())
    assert steps(cohort) == [
        ("files", 8, 0),
        ("DICOM", 6, 2),
        ("radiograph", 5, 1),
        ("readable", 4, 1),
        ("view known", 3, 1),
        ("view AP or PA", 2, 1),
    ]
    first, second = cohort.records.sort("record_id").iter_rows(named=True)
    assert (first["record_id"], first["patient_id"], first["study_id"]) == ("1.1", "P1", "1.2.3")
    assert (first["age"], first["sex"], first["date"]) == (61.0, "F", dt.date(2020, 2, 29))
    assert (first["modality"], first["photometric"]) == ("DX", "MONOCHROME2")
    assert first["image_path"] == str(tmp_path / "a.dcm")
    assert (second["view"], second["age"], second["sex"]) == ("AP", 1.5, None)


def test_a_header_that_cannot_be_parsed_is_counted(tmp_path):
    good = write(tmp_path / "good.dcm", "1.1")
    dataset = pydicom.dcmread(good)
    dataset.file_meta.TransferSyntaxUID = DeflatedExplicitVRLittleEndian
    pydicom.dcmwrite(tmp_path / "broken.dcm", dataset)
    content = (tmp_path / "broken.dcm").read_bytes()
    (tmp_path / "broken.dcm").write_bytes(content[:-100] + b"\xff" * 100)
    assert ("readable", 1, 1) in steps(read(tmp_path, ReadOptions()))


def test_a_file_without_patient_is_an_error_that_names_it(tmp_path):
    write(tmp_path / "known.dcm", "1.1")
    write(tmp_path / "nobody.dcm", "1.2", without=("PatientID",))
    with pytest.raises(DataError, match=r"nobody\.dcm: the file has no PatientID \(1 files have none\)"):
        read(tmp_path, ReadOptions())


def test_an_id_outside_the_standard_is_taken_as_it_is(tmp_path, caplog):
    file = write(tmp_path / "a.dcm", "1.1")
    file.write_bytes(file.read_bytes().replace(b"1.2.3\0", b"1.2.x\0"))
    assert read(tmp_path, ReadOptions()).records["study_id"].to_list() == ["1.2.x"]
    assert not caplog.records


def test_missing_uids_fall_back_to_the_file(tmp_path):
    write(tmp_path / "sub" / "a.dcm", "", without=("SOPInstanceUID", "StudyInstanceUID"))
    record = read(tmp_path, ReadOptions()).records.row(0, named=True)
    assert record["record_id"] == record["study_id"] == "sub/a.dcm"


def test_a_wrong_age_or_date_is_unknown(tmp_path):
    write(tmp_path / "a.dcm", "1.1", without=("PatientAge", "StudyDate"))
    record = read(tmp_path, ReadOptions()).records.row(0, named=True)
    assert record["age"] is None
    assert record["date"] is None


def test_nothing_left_shows_the_funnel(tmp_path):
    (tmp_path / "notes.txt").write_text("not DICOM")
    with pytest.raises(DataError, match=r"no record is left: .*the file is not DICOM"):
        read(tmp_path, ReadOptions())
    with pytest.raises(DataError, match="the folder does not exist"):
        read(tmp_path / "nowhere", ReadOptions())
