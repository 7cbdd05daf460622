"""A folder of DICOM files, as a hospital's archive exports them: no tables, everything is in the tags."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from leadapron.cohort.cohort import Cohort
from leadapron.cohort.sources.draft import Draft, keep_views
from leadapron.cohort.sources.source_options import ReadOptions
from leadapron.cohort.sources.tables import sex, years
from leadapron.engine import parallel_map
from leadapron.errors import DataError

NAME = "dicom_folder"
MODALITIES = ("CR", "DX", "RG", "DR")  # DR is no term of the standard, yet devices write it
TAGS = (
    "PatientID",
    "StudyInstanceUID",
    "SOPInstanceUID",
    "ViewPosition",
    "PatientSex",
    "PatientAge",
    "StudyDate",
    "Modality",
    "PhotometricInterpretation",
    "Rows",  # the reader does not notice a file that is cut off; without this one the header is not whole
)
NOT_DICOM, BROKEN = "not DICOM", "broken"


def read(path: Path, options: ReadOptions) -> Cohort:
    """Projection radiographs with the patient and study that their tags name; pixels are not read.

    Files need no ``.dcm`` suffix. One without StudyInstanceUID is a study of its own; one without PatientID
    is an error, because nobody can say whom it would be linked with.
    """
    draft = _rows(path)
    draft = draft.keep(pl.col("problem").ne_missing(NOT_DICOM), "DICOM", "the file is not DICOM")
    draft = draft.keep(
        pl.col("Modality").is_in(MODALITIES) | (pl.col("problem") == BROKEN),
        "radiograph",
        f"no Modality, or any but {', '.join(MODALITIES)}",
    )
    draft = draft.keep(
        pl.col("problem").is_null() & pl.col("Rows").is_not_null(),
        "readable",
        "the DICOM header is broken or ends before the image",
    )
    nobody = draft.table.filter(pl.col("PatientID").is_null())
    if len(nobody):
        raise DataError(
            f"the file has no PatientID ({len(nobody)} files have none)",
            where=nobody["image_path"][0],
            fix="Give each file the id, or the pseudonym, of its patient.",
        )
    return keep_views(draft.with_table(_columns(draft.table)), options.views).cohort(NAME, options)


def _rows(path: Path) -> Draft:
    from pydicom.config import disable_value_validation

    if not path.is_dir():
        raise DataError("the folder does not exist", where=path, fix="Expected: a folder with DICOM files below it.")
    files = sorted(file for file in path.absolute().rglob("*") if file.is_file())
    with disable_value_validation():  # archives are full of values outside the standard, a warning each
        rows = parallel_map(_read_tags, files)
    schema = dict.fromkeys(("image_path", "problem", *TAGS), pl.String)
    table = pl.DataFrame(rows, schema=schema, orient="row")
    below = pl.col("image_path").str.strip_prefix(f"{path.absolute()}/")
    return Draft.start("files", table.with_columns(below=below))


def _read_tags(file: Path) -> tuple[str | None, ...]:
    """The file, what is wrong with it (or null), and its tags, null where absent or empty."""
    import pydicom
    from pydicom.errors import InvalidDicomError

    nothing = (None,) * len(TAGS)
    try:
        dataset = pydicom.dcmread(file, stop_before_pixels=True, specific_tags=list(TAGS))
        values = [dataset.get(tag) for tag in TAGS]
    except InvalidDicomError:
        return (str(file), NOT_DICOM, *nothing)
    except Exception:  # pydicom raises whatever its parser stumbles over
        return (str(file), BROKEN, *nothing)
    texts = ("" if value is None else str(value).strip() for value in values)
    return (str(file), None, *(text or None for text in texts))


def _columns(table: pl.DataFrame) -> pl.DataFrame:
    record = pl.coalesce("SOPInstanceUID", "below")
    return table.select(
        record_id=record,
        patient_id="PatientID",
        study_id=pl.coalesce("StudyInstanceUID", record),
        view=pl.col("ViewPosition").str.to_uppercase(),
        image_path="image_path",
        age=years(pl.col("PatientAge")),
        sex=sex(pl.col("PatientSex")),
        date=pl.col("StudyDate").str.to_date("%Y%m%d", strict=False),
        modality="Modality",
        photometric="PhotometricInterpretation",
    )
