"""MIMIC-CXR: the tables and images of MIMIC-CXR-JPG with the reports of MIMIC-CXR."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from leadapron.cohort.cohort import Cohort
from leadapron.cohort.labels import FINDINGS, apply_policy, label_column
from leadapron.cohort.sections import parse_sections
from leadapron.cohort.sources.draft import Draft, keep_images, keep_views
from leadapron.cohort.sources.mimic_reports import read_reports
from leadapron.cohort.sources.source_options import ReadOptions
from leadapron.cohort.sources.tables import find_file, join_one, read_csv, to_numbers

NAME = "mimic_cxr"
LAYOUT = (
    "a folder with mimic-cxr-2.0.0-metadata.csv.gz, mimic-cxr-2.0.0-chexpert.csv.gz, "
    "mimic-cxr-2.0.0-split.csv.gz (for the official split), images as "
    "files/p10/p10000032/s50414267/DICOM_ID.jpg and mimic-cxr-reports.zip"
)

OFTEN = 10
"""Reports: a heading that fewer of them have is not named."""


def read(path: Path, options: ReadOptions) -> Cohort:
    """Frontal images with findings or impression; the images of a study share its report.

    Images and reports may be absent altogether (nothing is then dropped for it), but a study that lacks what
    others have is dropped and counted.
    """
    for name in ("metadata", "chexpert", *(["split"] if options.official_split else [])):
        _table(path, name)  # refused before files are looked for and reports are read, if at all
    draft = keep_views(_images(path), options.views)
    draft = keep_images(
        draft,
        draft.table["image_path"].str.replace(r"/[^/]*$", ""),
        row_key=pl.col("record_id"),
        file_key=pl.col("image_path").str.extract(r"([^/]*)\.[^/.]*$"),
    )
    draft = _with_labels(_with_reports(draft, path), path, options)
    if options.official_split:
        draft = _with_split(draft, path)
    return draft.cohort(NAME, options)


def _images(path: Path) -> Draft:
    file = _table(path, "metadata")
    columns = ("dicom_id", "subject_id", "study_id", "ViewPosition", "StudyDate")
    subject, study = pl.col("subject_id"), pl.col("study_id")
    place = pl.format(
        "{}/files/p{}/p{}/s{}/{}.jpg",
        pl.lit(str(path.absolute())),
        subject.str.head(2),
        subject,
        study,
        pl.col("dicom_id"),
    )
    table = read_csv(file, columns, filled=columns[:3]).select(
        record_id="dicom_id",
        patient_id=subject,
        study_id=study,
        view="ViewPosition",
        image_path=place,
        date=pl.col("StudyDate").str.to_date("%Y%m%d", strict=False),
    )
    return Draft.start(f"rows of {file.name}", table)


def _with_reports(draft: Draft, path: Path) -> Draft:
    studies = draft.table.select("patient_id", "study_id").unique("study_id", maintain_order=True)
    texts = read_reports(path, studies)
    if texts is None:
        return draft.note("reports", "no mimic-cxr-reports.zip and no report files: every report is unknown")
    sections = pl.concat([studies.select("study_id", text=texts), parse_sections(texts)], how="horizontal")
    draft = draft.with_table(draft.table.join(sections, on="study_id", how="left", maintain_order="left"))
    draft = draft.keep(pl.col("text").is_not_null(), "report present", "the study has no report file")
    draft = draft.keep(
        pl.col("report").is_not_null(), "findings or impression", "the report has neither of the two sections"
    )
    return _note_unknown_headings(draft).with_table(draft.table.drop("text", "unknown"))


def _note_unknown_headings(draft: Draft) -> Draft:
    """A heading is named only if many reports have it: what stands in one alone may be anything, a name too."""
    reports = draft.table.unique("study_id").filter(pl.col("unknown").list.len() > 0)
    if reports.is_empty():
        return draft
    counts = reports.select(pl.col("unknown").list.unique()).explode("unknown")["unknown"].value_counts()
    counts = counts.filter(pl.col("count") >= OFTEN).sort("count", "unknown", descending=[True, False]).head(5)
    often = ", ".join(f"{heading} ({count:,})" for heading, count in counts.rows())
    said = f"{len(reports):,} reports have headings that are not understood, and count them to the section above"
    return draft.note("headings", f"{said}; most often {often}" if often else said)


def _with_labels(draft: Draft, path: Path, options: ReadOptions) -> Draft:
    """The CheXpert labeller's labels of the study; a study without a row there is unlabelled."""
    file = _table(path, "chexpert")
    names = {finding: label_column(finding) for finding in FINDINGS}
    labels = read_csv(file, ("study_id", *FINDINGS), filled=("study_id",)).with_columns(labelled=True)
    labels = to_numbers(labels, FINDINGS, where=file).rename(names)
    table = join_one(draft.table, labels, "study_id", where=file)
    labelled = pl.col("labelled").fill_null(value=False)
    table = apply_policy(table, options.label_policy, labelled=labelled, where=str(file))
    return draft.with_table(table.drop("labelled"))


def _with_split(draft: Draft, path: Path) -> Draft:
    file = _table(path, "split")
    splits = read_csv(file, ("dicom_id", "split")).rename({"dicom_id": "record_id"})
    return draft.with_table(join_one(draft.table, splits, "record_id", where=file))


def _table(path: Path, name: str) -> Path:
    return find_file(path, (f"mimic-cxr-*-{name}.csv.gz", f"mimic-cxr-*-{name}.csv"), layout=LAYOUT)
