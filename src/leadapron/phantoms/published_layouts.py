"""A phantom clinic in the layout of a published data set: what reads the real files reads these."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image

from leadapron.cohort.labels import FINDINGS, label_column
from leadapron.cohort.sections import parse_sections
from leadapron.engine import Progress, atomic_folder, parallel_map, silent
from leadapron.phantoms.clinic import Clinic

FIRST_PATIENT, FIRST_STUDY = 10_000_001, 50_000_001
SPELT = {"F": "Female", "M": "Male"}


def as_mimic_cxr(clinic: Clinic, folder: Path, size: int = 128, *, progress: Progress = silent) -> None:
    """The tables and images of MIMIC-CXR-JPG, and the reports of MIMIC-CXR in their archive."""
    records = clinic.cohort.records.with_columns(
        subject_id=_numbered("patient_id", FIRST_PATIENT),
        study=_numbered("study_id", FIRST_STUDY),
        dicom_id=pl.int_range(pl.len()).hash(seed=1).map_elements(lambda value: f"{value:016x}", pl.String),
    )
    place = pl.format("p{}/p{}/s{}", pl.col("subject_id").str.head(2), "subject_id", "study")
    records = records.with_columns(place=place)
    studies = records.unique("study", maintain_order=True)
    names = {finding: label_column(finding) for finding in FINDINGS}
    tables = {
        "metadata": records.select(
            "dicom_id",
            "subject_id",
            study_id="study",
            ViewPosition="view",
            StudyDate=pl.col("date").dt.strftime("%Y%m%d"),
        ),
        "split": records.select("dicom_id", "subject_id", study_id="study", split="split"),
        "chexpert": studies.select("subject_id", study_id="study", **names).with_columns(
            pl.col(FINDINGS).cast(pl.Float64)
        ),
    }
    with atomic_folder(folder, private=True) as partial:
        for name, table in tables.items():
            table.write_csv(partial / f"mimic-cxr-2.0.0-{name}.csv")
        with zipfile.ZipFile(partial / "mimic-cxr-reports.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for where, report in studies.select("place", "report").iter_rows():
                archive.writestr(f"files/{where}.txt", f"FINAL REPORT\n {report}\n")
        places = (records["place"] + "/" + records["dicom_id"] + ".jpg").to_list()
        _save(clinic.radiographs(size, progress=progress), [partial / "files" / place for place in places], quality=95)


def as_chexpert_plus(clinic: Clinic, folder: Path, size: int = 128, *, progress: Progress = silent) -> None:
    """The table, images and labels of CheXpert Plus; the table calls every image ``.jpg``, as the real one does."""
    records = clinic.cohort.records
    sections = parse_sections(records["report"])
    order = pl.col("study_id").rank("dense").over("patient_id")
    image = pl.int_range(pl.len()).over("study_id") + 1
    patient = pl.format("patient{}", _numbered("patient_id", FIRST_PATIENT))
    place = pl.format("train/{}/study{}/view{}_frontal.jpg", patient, order, image)
    table = records.select(
        path_to_image=place,
        frontal_lateral=pl.lit("Frontal"),
        ap_pa="view",
        deid_patient_id=patient,
        patient_report_date_order=order,
        section_findings=sections["findings"],
        section_impression=sections["impression"],
        age="age",
        sex=pl.col("sex").replace(SPELT),
        race="race",
        ethnicity=pl.lit("Unknown"),
        insurance_type=pl.lit("Unknown"),
        split=pl.lit("train"),
    )
    labels = records.select(**{finding: label_column(finding) for finding in FINDINGS}).cast(pl.Float64)
    with atomic_folder(folder, private=True) as partial:
        table.write_csv(partial / "df_chexpert_plus_240401.csv")
        (partial / "chexbert_labels").mkdir()
        said = zip(table["path_to_image"], labels.iter_rows(named=True), strict=True)
        lines = (json.dumps({"path_to_image": where, **found}) for where, found in said)
        (partial / "chexbert_labels" / "report_fixed.json").write_text("\n".join(lines) + "\n")
        files = [partial / "PNG" / name.replace(".jpg", ".png") for name in table["path_to_image"]]
        _save(clinic.radiographs(size, progress=progress), files)


LAYOUTS: dict[str, Callable[..., None]] = {"mimic_cxr": as_mimic_cxr, "chexpert_plus": as_chexpert_plus}


def _numbered(column: str, first: int) -> pl.Expr:
    return (pl.col(column).rank("dense").cast(pl.Int64) - 1 + first).cast(pl.String)


def _save(films: NDArray[np.uint8], files: list[Path], **how: Any) -> None:  # noqa: ANN401 (of the format)
    for folder in {file.parent for file in files}:
        folder.mkdir(parents=True, exist_ok=True)
    parallel_map(lambda row: Image.fromarray(films[row]).save(files[row], **how), range(len(files)))
