"""The COVID-19 Image Data Collection: radiographs out of publications, with clinical notes."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from leadapron.cohort.cohort import Cohort
from leadapron.cohort.labels import label_column
from leadapron.cohort.sections import clean_text
from leadapron.cohort.sources.draft import Draft, keep_images, keep_views
from leadapron.cohort.sources.source_options import ReadOptions
from leadapron.cohort.sources.tables import find_file, read_csv, sex, years

NAME = "covid19"
LAYOUT = "a folder with metadata.csv and images"
COLUMNS = (
    "patientid",
    "filename",
    "offset",
    "sex",
    "age",
    "finding",
    "view",
    "modality",
    "location",
    "license",
    "doi",
    "url",
    "clinical_notes",
)


def read(path: Path, options: ReadOptions) -> Cohort:
    """Frontal radiographs; the report is the clinical notes, which many rows do not have.

    Only pneumonia and "no finding" are known of our findings, and only where the collection says so.
    """
    draft = _rows(path).keep(pl.col("modality") == "X-ray", "X-ray", "CT and other modalities")
    draft = keep_views(draft, options.views)
    draft = keep_images(
        draft,
        [str(path.absolute() / "images")],
        row_key=pl.col("record_id"),
        file_key=pl.col("image_path").str.extract(r"([^/]*)$"),
    )
    return draft.with_table(draft.table.drop("modality")).cohort(NAME, options)


def _rows(path: Path) -> Draft:
    file = find_file(path, ("metadata.csv",), layout=LAYOUT)
    table = read_csv(file, COLUMNS, filled=COLUMNS[:2])
    patient, name, finding = pl.col("patientid"), pl.col("filename"), pl.col("finding")
    pneumonia, healthy = finding.str.starts_with("Pneumonia"), finding == "No Finding"
    table = table.with_columns(report=clean_text(pl.col("clinical_notes"))).select(
        "modality",
        "report",
        "finding",
        "location",
        "license",
        "doi",
        record_id=name,
        patient_id=patient,
        study_id=_study(),
        source=pl.col("url").str.extract(r"^\w+://(?:www\.)?([^/]+)"),
        view=pl.col("view").str.replace(r"^(AP|PA)\b.*$", "$1"),  # AP Supine, AP Erect
        image_path=pl.format("{}/images/{}", pl.lit(str(path.absolute())), name),
        age=years(pl.col("age")),
        sex=sex(pl.col("sex")),
        offset=pl.col("offset").cast(pl.Float64, strict=False),
        **{
            label_column("Pneumonia"): pl.when(pneumonia | healthy).then(pneumonia.cast(pl.Int8)),
            label_column("No Finding"): pl.when(pneumonia | healthy).then(healthy.cast(pl.Int8)),
        },
    )
    return Draft.start(f"rows of {file.name}", table)


def _study() -> pl.Expr:
    """The patient's images of one day, if they carry one note; else the image is a study of its own.

    Dates are of no help: most are a bare year, which would merge a patient's whole course.
    """
    day = ["patientid", "offset"]
    together = pl.col("offset").is_not_null() & (pl.col("report").n_unique().over(day) == 1)
    of_day = pl.format("{}@{}", pl.col("patientid"), pl.col("offset"))
    return pl.when(together).then(of_day).otherwise(pl.format("{}/{}", pl.col("patientid"), pl.col("filename")))
