"""The release itself: checked once when it is made, immutable afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.errors import DataError

ARRAYS = ("image", "text", "image_features", "text_features")
"""Embeddings in the shared space, and the backbone features that the alignment heads were given."""

NEVER_RELEASED = ("report", "findings", "impression", "caption", "image_path")
"""Columns of text and paths: a release does not hold them."""

ROWS_CHECKED_AT_ONCE = 65_536


@dataclass(frozen=True)
class Release:
    """Records with the embeddings of their images and reports, row by row.

    ``records`` holds at least ``record_id``, and where they are known ``patient_id``, ``study_id``, ``report_id``,
    ``split``, labels and attributes: the truth that an audit needs. It never holds report text or image paths.
    A record without a report has no row in ``text``: it is not in the release.
    """

    records: pl.DataFrame
    arrays: Mapping[str, NDArray[np.float32]]
    card: Mapping[str, object] = field(default_factory=dict)
    where: str = "release"

    def __post_init__(self) -> None:
        if not self.arrays:
            raise DataError("there is no array in it", where=self.where, allowed=", ".join(ARRAYS))
        for name, array in self.arrays.items():
            if name not in ARRAYS:
                raise DataError("unknown array", where=self.where, got=name, allowed=", ".join(ARRAYS))
            _check_array(array, rows=len(self.records), where=f"{self.where}: {name}")
        if "record_id" not in self.records.columns:
            raise DataError("column 'record_id' is missing", where=self.where, got=", ".join(self.records.columns))
        twice = self.records["record_id"].is_duplicated()
        if twice.any():
            raise DataError(
                f"column 'record_id' holds the same id more than once ({int(twice.sum())} rows)",
                where=self.where,
                got=self.records["record_id"].filter(twice)[0],
                allowed="unique ids",
            )

    def __len__(self) -> int:
        return len(self.records)

    @property
    def image(self) -> NDArray[np.float32]:
        return self.arrays["image"]

    @property
    def text(self) -> NDArray[np.float32]:
        return self.arrays["text"]


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
