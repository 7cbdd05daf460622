"""NIH ChestX-ray14: images and labels, follow-ups of the same patient, no reports."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from leadapron.cohort.cohort import Cohort
from leadapron.cohort.labels import label_column
from leadapron.cohort.sources.draft import Draft, keep_images, keep_views
from leadapron.cohort.sources.source_options import ReadOptions
from leadapron.cohort.sources.tables import find_file, join_one, mentions, read_csv, sex, years
from leadapron.errors import DataError

NAME = "chestxray14"
LAYOUT = (
    "a folder with Data_Entry_2017_v2020.csv, images in images or in images_001/images to images_012/images, "
    "and train_val_list.txt and test_list.txt (for the official split)"
)
TABLES = ("Data_Entry_2017_v2020.csv", "Data_Entry_2017_v2020.csv.gz", "Data_Entry_2017*.csv")
COLUMNS = (
    "Image Index",
    "Patient ID",
    "Follow-up #",
    "Finding Labels",
    "Patient Age",
    "Patient Gender",
    "View Position",
)
# Emphysema, Fibrosis and Hernia have no counterpart among our findings; Enlarged Cardiomediastinum, Fracture
# and Support Devices were not annotated and stay unknown.
COUNTERPARTS = {
    "Atelectasis": ("Atelectasis",),
    "Cardiomegaly": ("Cardiomegaly",),
    "Consolidation": ("Consolidation",),
    "Edema": ("Edema",),
    "Lung Lesion": ("Nodule", "Mass"),
    "Lung Opacity": ("Infiltration",),
    "No Finding": ("No Finding",),
    "Pleural Effusion": ("Effusion",),
    "Pleural Other": ("Pleural_Thickening",),
    "Pneumonia": ("Pneumonia",),
    "Pneumothorax": ("Pneumothorax",),
}


def read(path: Path, options: ReadOptions) -> Cohort:
    """Frontal images; a finding that is not listed is a true negative: the list is meant to be complete."""
    draft = keep_views(_rows(path), options.views)
    folders = [path.absolute() / "images", *sorted(path.absolute().glob("images_*/images"))]
    draft = keep_images(
        draft,
        (str(folder) for folder in folders),
        row_key=pl.col("file"),
        file_key=pl.col("image_path").str.extract(r"([^/]*)$"),
    )
    if options.official_split:
        draft = _with_split(draft, path)
    return draft.with_table(draft.table.drop("file")).cohort(NAME, options)


def _rows(path: Path) -> Draft:
    file = find_file(path, TABLES, layout=LAYOUT)
    table = read_csv(file, COLUMNS, filled=COLUMNS[:4])
    name, patient, follow_up = pl.col("Image Index"), pl.col("Patient ID"), pl.col("Follow-up #")
    listed = pl.col("Finding Labels")
    table = table.select(
        file=name,
        record_id=name.str.replace(r"\.[^.]*$", ""),
        patient_id=patient,
        study_id=pl.format("{}_{}", patient, follow_up),
        view="View Position",
        image_path=pl.format("{}/images/{}", pl.lit(str(path.absolute())), name),
        age=years(pl.col("Patient Age")),
        sex=sex(pl.col("Patient Gender")),
        follow_up=follow_up.cast(pl.Int32, strict=False),
        finding_labels=listed,
        **{label_column(finding): mentions(listed, terms) for finding, terms in COUNTERPARTS.items()},
    )
    return Draft.start(f"rows of {file.name}", table)


def _with_split(draft: Draft, path: Path) -> Draft:
    """The official lists name the files of the test and of the training and validation patients."""
    parts = []
    for name, split in (("train_val_list.txt", "train"), ("test_list.txt", "test")):
        file = find_file(path, (name,), layout=LAYOUT)
        names = file.read_text().split()
        parts.append(pl.DataFrame({"file": names, "split": [split] * len(names)}))
    table = join_one(draft.table, pl.concat(parts), "file", where=path)
    unlisted = table.filter(pl.col("split").is_null())
    if len(unlisted):
        raise DataError(
            f"{len(unlisted)} images stand in neither train_val_list.txt nor test_list.txt",
            where=path,
        )
    return draft.with_table(table)
