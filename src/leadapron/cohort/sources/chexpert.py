"""CheXpert as first published: Stanford's radiographs with labels, sex and age, without the reports."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from leadapron.cohort.cohort import Cohort
from leadapron.cohort.labels import FINDINGS, apply_policy, label_column
from leadapron.cohort.sources.draft import Draft, keep_images, keep_views
from leadapron.cohort.sources.source_options import ReadOptions
from leadapron.cohort.sources.tables import find_file, read_csv, sex, to_numbers, years
from leadapron.errors import DataError

NAME = "chexpert"
LAYOUT = "a folder with train.csv, perhaps valid.csv, and images as train/patient00004/study1/view1_frontal.jpg"
COLUMNS = ("Path", "Sex", "Age", "Frontal/Lateral", "AP/PA", *FINDINGS)


def read(path: Path, options: ReadOptions) -> Cohort:
    """Frontal images with the labeller's findings; patient and study are read off the path."""
    files = [find_file(path, ("train.csv", "train.csv.gz"), layout=LAYOUT)]
    files += [path / name for name in ("valid.csv", "valid.csv.gz") if (path / name).is_file()]
    table = pl.concat([_rows(file, path) for file in files])
    draft = Draft.start(f"rows of {' and '.join(file.name for file in files)}", table)
    if options.views:
        draft = draft.keep(pl.col("frontal_lateral") == "Frontal", "frontal", "the table calls it lateral")
    draft = keep_views(draft.with_table(draft.table.drop("frontal_lateral")), options.views)
    place = pl.col("image_path")
    draft = keep_images(draft, draft.table["image_path"].str.replace(r"/[^/]*$", ""), row_key=place, file_key=place)
    labels = apply_policy(draft.table, options.label_policy, labelled=pl.lit(value=True), where=str(path))
    return draft.with_table(labels).cohort(NAME, options)


def _rows(file: Path, folder: Path) -> pl.DataFrame:
    """The table's paths start with the name of the folder that the archive was unpacked to."""
    inside = pl.col("Path").str.extract(r"((?:train|valid)/patient\d+/study\d+/[^/]+)$")
    table = to_numbers(read_csv(file, COLUMNS, filled=("Path",)), FINDINGS, where=file).with_columns(inside=inside)
    odd = table["inside"].is_null().arg_true()
    if len(odd):
        raise DataError(
            f"column 'Path' holds a path without patient and study in row {odd[0] + 1} ({len(odd)} rows do)",
            where=file,
            allowed="CheXpert-v1.0-small/train/patient00004/study1/view1_frontal.jpg",
        )
    return table.select(
        record_id=pl.col("inside").str.replace(r"\.[^/.]*$", ""),
        patient_id=pl.col("inside").str.extract(r"(patient\d+)"),
        study_id=pl.col("inside").str.extract(r"(patient\d+/study\d+)"),
        frontal_lateral="Frontal/Lateral",
        view="AP/PA",
        image_path=pl.format("{}/{}", pl.lit(str(folder.absolute())), pl.col("inside")),
        age=years(pl.col("Age")),
        sex=sex(pl.col("Sex")),
        split=pl.lit("train" if file.name.startswith("train") else "validate"),
        **{label_column(finding): finding for finding in FINDINGS},
    )
