"""The release itself: checked once when it is made, immutable afterwards."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.errors import DataError

ARRAYS = ("image", "text", "image_features", "text_features")
"""Embeddings in the shared space, and the backbone features that the alignment heads were given."""

ID_COLUMNS = ("record_id", "patient_id", "study_id", "report_id")
ATTRIBUTES = ("age", "sex", "race", "ethnicity", "date", "insurance_type", "follow_up", "offset")
RELEASED_COLUMNS = (*ID_COLUMNS, "split", "view", *ATTRIBUTES)
"""What is released unasked, beside numeric ``label_*`` columns: nobody can list all the columns that hold a name."""

NEVER_RELEASED = ("report", "findings", "impression", "caption", "image_path")
"""Columns of text and paths: a release does not hold them, even if asked."""

ROWS_CHECKED_AT_ONCE = 65_536


@dataclass(frozen=True)
class Release:
    """Records with the embeddings of their images and reports, row by row.

    ``records`` holds at least ``record_id``, and where they are known ``patient_id``, ``study_id``, ``report_id``,
    ``split``, labels and attributes: the truth that an audit needs. It never holds report text or image paths.
    A record without a report has no row in ``text``: it is not in the release. The arrays are read-only views.
    """

    records: pl.DataFrame
    arrays: Mapping[str, NDArray[np.float32]]
    card: Mapping[str, object] = field(default_factory=dict)
    where: str = "release"

    def __post_init__(self) -> None:
        if not self.arrays:
            raise DataError("there is no array in it", where=self.where, allowed=", ".join(ARRAYS))
        if not len(self.records):
            raise DataError("there is no record in it", where=self.where, got=0, allowed="1 row or more")
        for name, array in self.arrays.items():
            if name not in ARRAYS:
                raise DataError("unknown array", where=self.where, got=name, allowed=", ".join(ARRAYS))
            _check_array(array, rows=len(self.records), where=f"{self.where}: {name}")
        _check_columns(self.records, where=self.where)
        twice = self.records["record_id"].is_duplicated()
        if twice.any():
            raise DataError(
                f"column 'record_id' holds the same id more than once ({int(twice.sum())} rows)",
                where=self.where,
                got=self.records["record_id"].filter(twice)[0],
                allowed="unique ids",
            )
        object.__setattr__(self, "arrays", {name: _read_only(array) for name, array in self.arrays.items()})

    def __len__(self) -> int:
        return len(self.records)

    @property
    def image(self) -> NDArray[np.float32]:
        return self.arrays["image"]

    @property
    def text(self) -> NDArray[np.float32]:
        return self.arrays["text"]


def split_columns(records: pl.DataFrame, keep: Collection[str] = ()) -> tuple[pl.DataFrame, list[str]]:
    """The records with the columns that may be released and those to ``keep``, and the names of all the others."""
    left_out = [
        name
        for name, dtype in records.schema.items()
        if name not in (*RELEASED_COLUMNS, *keep) and not (name.startswith("label_") and _is_label(dtype))
    ]
    return records.drop(left_out), left_out


def _is_label(dtype: pl.DataType) -> bool:
    return dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)


def _read_only(array: NDArray[np.float32]) -> NDArray[np.float32]:
    """A view that cannot be written to; the caller's own array stays as it is."""
    view = array.view()
    view.flags.writeable = False
    return view


def _check_columns(records: pl.DataFrame, *, where: str) -> None:
    """No reports, no paths, and ids that are text and there in every row."""
    for column in NEVER_RELEASED:
        if column in records.columns:
            raise DataError(
                f"a release must not hold the column {column!r}",
                where=where,
                got=", ".join(records.columns),
                allowed="ids, split, view, labels and attributes, without text and paths",
            )
    if "record_id" not in records.columns:
        raise DataError("column 'record_id' is missing", where=where, got=", ".join(records.columns))
    for column in ID_COLUMNS:
        if column not in records.columns:
            continue
        if records[column].dtype != pl.String:
            raise DataError(
                f"column {column!r} is not text", where=where, got=str(records[column].dtype), allowed="String"
            )
        empty = records[column].fill_null("") == ""
        if empty.any():
            raise DataError(f"column {column!r} is empty in row {empty.arg_true()[0]}", where=where, allowed="an id")


def _check_array(array: NDArray[np.float32], *, rows: int, where: str) -> None:
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError("embeddings must be rows x dimensions", where=where, got=array.shape)
    if array.dtype != np.float32:
        raise DataError("embeddings must be float32", where=where, got=str(array.dtype))
    if len(array) != rows:
        raise DataError(
            "the row counts differ",
            where=where,
            got=f"{len(array)} rows",
            allowed=f"{rows}, as in the records",
        )
    for start in range(0, rows, ROWS_CHECKED_AT_ONCE):
        finite = np.isfinite(array[start : start + ROWS_CHECKED_AT_ONCE])
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            raise DataError(
                f"row {start + row} holds a value that is not finite (NaN or infinity)",
                where=where,
                got=float(array[start + row, column]),
                allowed="finite numbers",
            )
