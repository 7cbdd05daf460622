"""Open-I's layout, on invented reports."""

from __future__ import annotations

import gzip
import io
import tarfile

import pytest

import miniatures
from leadapron.cohort import LABEL_COLUMNS
from leadapron.cohort.sources import SOURCES, ReadOptions
from leadapron.errors import DataError
from miniatures import positives, record, steps

read = SOURCES["openi"]


def openi_xml(uid, findings, impression, mesh, images):
    """``None`` gives an empty element, as the collection has it."""
    texts = {"COMPARISON": "None.", "FINDINGS": findings, "IMPRESSION": impression}
    abstract = "".join(f'<AbstractText Label="{label}">{text or ""}</AbstractText>' for label, text in texts.items())
    terms = "".join(f"<major>{term}</major>" for term in mesh)
    parents = "".join(f'<parentImage id="{image}"><caption>x</caption></parentImage>' for image in images)
    body = f'<uId id="{uid}"/><Abstract>{abstract}</Abstract><MeSH>{terms}</MeSH>{parents}'
    return f"<eCitation>{body}</eCitation>"


OPENI = {
    "1.xml": openi_xml("CXR1", "Clear.", "Normal.", ["normal"], ["CXR1_1_IM-0001-3001", "CXR1_1_IM-0001-4001"]),
    "2.xml": openi_xml(
        "CXR2",
        None,
        "An invented\n mass.",
        ["Mass/lung/left", "Thickening/pleura/apex", "Catheters, Indwelling", "Opacity"],
        ["CXR2_IM-0652-1001"],
    ),
    "3.xml": openi_xml("CXR3", None, None, ["Cardiomegaly/mild"], ["CXR3_1_IM-1384-1001"]),
    "4.xml": openi_xml("CXR4", "No picture.", None, ["normal"], []),
    "5.xml": openi_xml("CXR5", "Not indexed.", None, ["No Indexing"], ["CXR5_IM-2117-1003002"]),
}


@pytest.fixture
def openi(tmp_path):
    for name, xml in OPENI.items():
        miniatures.write(tmp_path / "ecgen-radiology" / name, xml.encode())
    return tmp_path


def test_gives_a_record_an_image(openi):
    cohort = read(openi, ReadOptions())
    assert steps(cohort) == [
        ("images of 5 reports", 6, 0),
        ("patient is report", 6, 0),
        ("image named", 5, 1),
        ("view", 5, 0),
        ("findings or impression", 4, 1),
        ("image files", 4, 0),
    ]
    first, mass = record(cohort, "CXR1_1_IM-0001-3001"), record(cohort, "CXR2_IM-0652-1001")
    assert (first["patient_id"], first["study_id"], first["view"], first["image_path"]) == (
        "CXR1",
        "CXR1",
        None,
        None,
    )
    assert (first["report"], mass["report"]) == ("Clear.\n\nNormal.", "An invented mass.")
    assert positives(first) == {"no_finding"}
    assert positives(mass) == {"lung_lesion", "pleural_other", "support_devices", "lung_opacity"}
    unindexed = record(cohort, "CXR5_IM-2117-1003002")
    assert [unindexed[column] for column in LABEL_COLUMNS] == [None] * 14


def test_reads_the_archive_as_it_reads_the_folder(openi, tmp_path):
    archive = tmp_path / "elsewhere" / "NLMCXR_reports.tgz"
    archive.parent.mkdir()
    with tarfile.open(archive, "w:gz") as members:
        for name, xml in OPENI.items():
            member = tarfile.TarInfo(f"ecgen-radiology/{name}")
            member.size = len(xml.encode())
            members.addfile(member, io.BytesIO(xml.encode()))
    folder = read(openi, ReadOptions()).records
    for path in (archive, archive.parent):
        assert read(path, ReadOptions()).records.equals(folder)


def test_projections_leave_lateral_images_out(openi):
    lines = [
        "uid,filename,projection",
        "1,1_IM-0001-3001.dcm.png,Lateral",
        "1,1_IM-0001-4001.dcm.png,Frontal",
    ]
    (openi / "indiana_projections.csv").write_text("\n".join([*lines, "2,IM-0652-1001.dcm.png,Frontal"]))
    miniatures.write(openi / "images/images_normalized/1_IM-0001-4001.dcm.png", b"")
    cohort = read(openi, ReadOptions())
    assert ("frontal", 2, 3) in steps(cohort)
    assert steps(cohort)[-1] == ("image file present", 1, 1)
    only = record(cohort, "CXR1_1_IM-0001-4001")
    assert only["image_path"] == str(openi / "images/images_normalized/1_IM-0001-4001.dcm.png")


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"<eCitation><uId", "not well-formed XML"), (b"<eCitation/>", "the report has no uId")],
)
def test_names_a_bad_file(openi, content, message):
    (openi / "ecgen-radiology" / "2.xml").write_bytes(content)
    with pytest.raises(DataError, match=rf"2\.xml: .*{message}"):
        read(openi, ReadOptions())


@pytest.mark.parametrize(
    "content", [b"this is no archive", gzip.compress(b"x" * 4096)[:-12]], ids=["no archive", "cut short"]
)
def test_names_a_broken_archive(tmp_path, content):
    archive = tmp_path / "NLMCXR_reports.tgz"
    archive.write_bytes(content)
    with pytest.raises(DataError, match=r"NLMCXR_reports\.tgz: the archive cannot be read"):
        read(archive, ReadOptions())


def test_an_empty_folder_is_told_what_belongs_there(tmp_path):
    with pytest.raises(DataError, match="Expected: "):
        read(tmp_path, ReadOptions())
