"""Tiny copies of the published layouts, warts included, and ways to look at the cohorts read from them.

Every id and every word of a report is invented.
"""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import polars as pl

from leadapron.cohort import FINDINGS, LABEL_COLUMNS

PLAIN = """                                 FINAL REPORT
 EXAMINATION:  CHEST (PA AND LAT)

 INDICATION:  ___F with an invented cough  // pneumonia?

 FINDINGS:

 The made-up lungs are clear and
 well expanded.
 HEART: of normal size.

 IMPRESSION:  No invented disease.  Compare with ___.
"""
JOINT = " FINAL REPORT\r\n FINDINGS AND IMPRESSION:  A fictional device\r\n ends in place.\r\n"
NO_SECTIONS = "                                 FINAL REPORT\n EXAMINATION:  One view was thought up.\n"
AMENDED = """ WET READ: ___ ___ 10:30 PM
 IMPRESSION: A first guess.
                                 FINAL REPORT
 CONCLUSION:
 A second guess.
 ADDENDUM:  The telephone rang.
"""

# dicom_id, patient, study, ViewPosition; the frontal images of study 50000001 share one report.
MIMIC_IMAGES = (
    ("aa-01", "10000011", "50000001", "PA"),
    ("aa-02", "10000011", "50000001", "AP"),
    ("aa-03", "10000011", "50000001", "LATERAL"),
    ("aa-04", "10000011", "50000002", ""),
    ("bb-01", "11000022", "50000003", "AP"),
    ("bb-02", "11000022", "50000004", "AP"),
    ("bb-03", "11000022", "50000005", "PA"),
    ("cc-01", "12000033", "50000006", "PA"),
    ("cc-02", "12000033", "50000007", "PA"),
    ("dd-01", "13000044", "50000008", "AP"),
)
WITHOUT_IMAGE_FILE = "cc-02"
# 50000004 is an empty file, 50000005 has no file, 50000006 has neither section.
MIMIC_REPORTS = {
    ("10000011", "50000001"): PLAIN,
    ("10000011", "50000002"): PLAIN,
    ("11000022", "50000003"): JOINT,
    ("11000022", "50000004"): "",
    ("12000033", "50000006"): NO_SECTIONS,
    ("12000033", "50000007"): PLAIN,
    ("13000044", "50000008"): AMENDED,
}
# 50000008 has no row: the labeller found no text to label.
MIMIC_LABELS = {
    "50000001": {"No Finding": "1.0", "Edema": "0.0", "Pneumonia": "-1.0"},
    "50000003": {"Support Devices": "1.0"},
}
MIMIC_SPLIT = {"10000011": "train", "11000022": "validate", "12000033": "test", "13000044": "test"}


def mimic_cxr(
    folder: Path,
    *,
    version: str = "2.0.0",
    packed: bool = True,
    reports: str | None = "zip",
    images: bool = True,
) -> Path:
    """``reports``: "zip", the folder to unpack them into ("mimic-cxr-reports" or "."), or None."""
    patients = {study: patient for _, patient, study, _ in MIMIC_IMAGES}
    metadata = ["dicom_id,subject_id,study_id,PerformedProcedureStepDescription,ViewPosition,StudyDate"]
    metadata += [f'{d},{p},{s},"CHEST (PA, LAT)",{v},21800506' for d, p, s, v in MIMIC_IMAGES]
    split = ["dicom_id,study_id,subject_id,split"]
    split += [f"{d},{s},{p},{MIMIC_SPLIT[p]}" for d, p, s, _ in MIMIC_IMAGES]
    labels = ["subject_id,study_id," + ",".join(FINDINGS)]
    for study, given in MIMIC_LABELS.items():
        labels.append(f"{patients[study]},{study}," + ",".join(given.get(name, "") for name in FINDINGS))
    for name, lines in (("metadata", metadata), ("split", split), ("chexpert", labels)):
        content = ("\n".join(lines) + "\n").encode()
        file = folder / f"mimic-cxr-{version}-{name}.csv{'.gz' if packed else ''}"
        write(file, gzip.compress(content) if packed else content)
    if images:
        for dicom, patient, study, _ in MIMIC_IMAGES:
            if dicom != WITHOUT_IMAGE_FILE:
                write(folder / f"files/p{patient[:2]}/p{patient}/s{study}/{dicom}.jpg", b"")
    texts = {f"files/p{p[:2]}/p{p}/s{s}.txt": text.encode() for (p, s), text in MIMIC_REPORTS.items()}
    if reports == "zip":
        with zipfile.ZipFile(folder / "mimic-cxr-reports.zip", "w") as archive:
            for name, content in texts.items():
                archive.writestr(name, content)
    elif reports is not None:
        for name, content in texts.items():
            write(folder / reports / name, content)
    return folder


CHEXPERT_HEADER = (
    "path_to_image,path_to_dcm,frontal_lateral,ap_pa,deid_patient_id,patient_report_date_order,report,"
    "section_narrative,section_clinical_history,section_history,section_comparison,section_technique,"
    "section_procedure_comments,section_findings,section_impression,section_end_of_impression,section_summary,"
    "section_accession_number,age,sex,race,ethnicity,interpreter_needed,insurance_type,recent_bmi,deceased,split"
)
CHEXPERT_COLUMNS = CHEXPERT_HEADER.split(",")
CHEXPERT_ROWS = (
    {
        "path_to_image": "train/patient00004/study1/view1_frontal.jpg",
        "frontal_lateral": "Frontal",
        "ap_pa": "PA",
        "section_findings": "\n  Lungs, as imagined,\n are clear.\n",
        "section_impression": '\n1. "Nothing" was made up.\n',
        "age": "62.0",
        "sex": "Female",
    },
    {
        "path_to_image": "train/patient00004/study1/view2_lateral.jpg",
        "frontal_lateral": "Lateral",
        "section_impression": '\n1. "Nothing" was made up.\n',
        "age": "62.0",
        "sex": "Female",
    },
    {
        "path_to_image": "train/patient00004/study2/view1_frontal.jpg",
        "frontal_lateral": "Frontal",
        "ap_pa": "AP",
        "section_impression": "A fictional line.",
        "age": "63.0",
        "sex": "Female",
    },
    {
        "path_to_image": "train/patient00007/study1/view1_frontal.jpg",
        "frontal_lateral": "Frontal",
        "ap_pa": "AP",
        "section_findings": "  \n ",
        "age": "41",
        "sex": "Unknown",
    },
    {
        "path_to_image": "train/patient00007/study2/view1_frontal.jpg",
        "frontal_lateral": "Frontal",
        "section_impression": "The view was not written down.",
        "age": "41",
        "sex": "Unknown",
    },
    {
        "path_to_image": "valid/patient64541/study1/view1_frontal.jpg",
        "frontal_lateral": "Frontal",
        "ap_pa": "AP",
        "section_impression": "A patient for validation, invented.",
        "age": "",
        "sex": "Male",
    },
)
# The last row has no labels.
CHEXPERT_LABELS = (
    ("train/patient00004/study1/view1_frontal.jpg", {"No Finding": 1.0, "Edema": 0.0}),
    ("train/patient00004/study2/view1_frontal.jpg", {"Support Devices": 1.0, "Pneumonia": -1.0}),
)


def chexpert_plus(folder: Path, *, image_root: str | None = "PNG", label_file: str | None = "report") -> Path:
    """Images are ``.png`` although the table says ``.jpg``, as in the release."""
    rows = []
    for row in CHEXPERT_ROWS:
        split, patient, _study, _view = row["path_to_image"].split("/")
        extra = {
            "deid_patient_id": patient,
            "split": split,
            "patient_report_date_order": "1",
            "race": "Unknown",
        }
        rows.append({column: {**extra, **row}.get(column) or None for column in CHEXPERT_COLUMNS})
        if image_root is not None:
            write(folder / image_root / row["path_to_image"].replace(".jpg", ".png"), b"")
    folder.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(rows, schema=dict.fromkeys(CHEXPERT_COLUMNS, pl.String)).write_csv(
        folder / "df_chexpert_plus_240401.csv"
    )
    if label_file is not None:
        lines = [
            json.dumps({"path_to_image": path, **{finding: given.get(finding) for finding in FINDINGS}})
            for path, given in CHEXPERT_LABELS
        ]
        write(folder / "chexbert_labels" / f"{label_file}_fixed.json", ("\n".join(lines) + "\n").encode())
    return folder


def write(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)


def steps(cohort):
    """The funnel without its reasons."""
    return [(step.what, step.kept, step.dropped) for step in cohort.funnel.steps]


def record(cohort, name):
    return cohort.records.row(by_predicate=pl.col("record_id") == name, named=True)


def positives(row):
    return {column.removeprefix("label_") for column in LABEL_COLUMNS if row[column] == 1}
