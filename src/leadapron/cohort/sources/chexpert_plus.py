"""CheXpert Plus: Stanford's radiographs with their reports, demographics and CheXbert labels."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from leadapron.cohort.cohort import Cohort
from leadapron.cohort.labels import FINDINGS, apply_policy, label_column
from leadapron.cohort.sections import clean_text, join_sections
from leadapron.cohort.sources.draft import Draft, keep_images, keep_views
from leadapron.cohort.sources.source_options import ReadOptions
from leadapron.cohort.sources.tables import find_file, first_line, join_one, read_csv, sex, years
from leadapron.errors import DataError

NAME = "chexpert_plus"
LAYOUT = (
    "a folder with df_chexpert_plus_240401.csv, images as train/patient00004/study1/view1_frontal.png (in "
    "the folder itself, in PNG or in images) and chexbert_labels/report_fixed.json"
)
ID_COLUMNS = ("path_to_image", "deid_patient_id")
COLUMNS = (
    *ID_COLUMNS,
    "frontal_lateral",
    "ap_pa",
    "patient_report_date_order",
    "section_findings",
    "section_impression",
    "age",
    "sex",
    "race",
    "ethnicity",
    "insurance_type",
    "split",
)
IMAGE_ROOTS = ("", "PNG", "PNG/PNG", "PNGs", "DICOM", "images", "CheXpert-v1.0", "CheXpert-v1.0-small")
# CheXbert ran on three texts. The whole report comes first; findings come last, because three rows of four
# have no findings section and CheXbert calls an empty text normal.
LABEL_FILES = ("report_fixed.json", "impression_fixed.json", "findings_fixed.json")


def read(path: Path, options: ReadOptions) -> Cohort:
    """Frontal images with findings or impression; the images of a study share its report.

    The table names every image ``.jpg``; the release holds ``.png`` (or ``.dcm``), so files are found by the
    name without its suffix.
    """
    draft = _rows(path)
    if options.views:
        draft = draft.keep(pl.col("frontal_lateral") == "Frontal", "frontal", "the table calls it lateral")
    draft = keep_views(draft, options.views)
    root = _image_root(path)
    draft = draft.with_table(
        draft.table.drop("frontal_lateral").with_columns(
            image_path=pl.format("{}/{}", pl.lit(str(root)), pl.col("image_path"))
        )
    )
    stem = pl.col("image_path").str.replace(r"\.[^/.]*$", "")
    draft = keep_images(draft, draft.table["image_path"].str.replace(r"/[^/]*$", ""), row_key=stem, file_key=stem)
    draft = draft.keep(
        pl.col("report").is_not_null(), "findings or impression", "the report has neither of the two sections"
    )
    return _with_labels(draft, path, options).cohort(NAME, options)


def _rows(path: Path) -> Draft:
    file = find_file(path, ("df_chexpert_plus_*.csv", "df_chexpert_plus_*.csv.gz"), layout=LAYOUT)
    table = read_csv(file, COLUMNS, filled=ID_COLUMNS)
    place = pl.col("path_to_image")
    table = table.select(
        "frontal_lateral",
        record_id=place.str.replace(r"\.[^/.]*$", ""),
        patient_id="deid_patient_id",
        study_id=place.str.extract(r"([^/]+/[^/]+)/[^/]+$"),
        view="ap_pa",
        image_path=place,
        findings=clean_text(pl.col("section_findings")),
        impression=clean_text(pl.col("section_impression")),
        age=years(pl.col("age")),
        sex=sex(pl.col("sex")),
        race="race",
        ethnicity="ethnicity",
        insurance_type="insurance_type",
        report_order=pl.col("patient_report_date_order").cast(pl.Float64, strict=False).cast(pl.Int32),
        split=pl.col("split").replace({"valid": "validate"}),
    )
    odd = table["study_id"].is_null().arg_true()
    if len(odd):
        raise DataError(
            f"column 'path_to_image' holds a path without patient and study in row {odd[0] + 1} ({len(odd)} rows do)",
            where=file,
            allowed="train/patient00004/study1/view1_frontal.jpg",
        )
    table = table.with_columns(report=join_sections(pl.col("findings"), pl.col("impression")))
    return Draft.start(f"rows of {file.name}", table)


def _image_root(path: Path) -> Path:
    """The folder in which ``train`` and ``valid`` lie, which depends on how the archives were unpacked."""
    roots = [path.absolute() / name for name in IMAGE_ROOTS]
    return next((root for root in roots if (root / "train").is_dir() or (root / "valid").is_dir()), roots[0])


def _with_labels(draft: Draft, path: Path, options: ReadOptions) -> Draft:
    files = [path / "chexbert_labels" / name for name in LABEL_FILES] + [path / name for name in LABEL_FILES]
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        return draft.note("labels", f"none of {', '.join(LABEL_FILES)} found: every label is unknown")
    labels = _read_labels(file)
    table = join_one(draft.table, labels, "record_id", where=file)
    labelled = pl.col("labelled").fill_null(value=False)
    missing = len(table) - table["labelled"].count()
    table = apply_policy(table, options.label_policy, labelled=labelled, where=str(file))
    return draft.with_table(table.drop("labelled")).note("labels", f"{file.name}; {missing} rows are not in it")


def _read_labels(file: Path) -> pl.DataFrame:
    """One JSON object a line: the path of the image and the 14 findings as 1, 0, −1 or null."""
    schema = {"path_to_image": pl.String, **dict.fromkeys(FINDINGS, pl.Float64)}
    try:
        labels = pl.read_ndjson(file, schema=schema)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"the file cannot be read as JSON lines ({first_line(error)})", where=file) from error
    return labels.select(
        record_id=pl.col("path_to_image").str.replace(r"\.[^/.]*$", ""),
        labelled=True,
        **{label_column(finding): finding for finding in FINDINGS},
    )
