"""The labels of a release as the probe needs them: only positive is positive, unknown is masked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.errors import DataError

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

UNKNOWN = -1
MOST_LABELS = 63


@dataclass(frozen=True)
class Labels:
    """A column a label. ``truth`` is 1 for positive, 0 for not positive, -1 for unknown."""

    names: tuple[str, ...]
    truth: NDArray[np.int8]

    @property
    def known(self) -> Bools:
        found: Bools = self.truth != UNKNOWN
        return found

    @property
    def positive(self) -> Bools:
        found: Bools = self.truth == 1
        return found

    def rows(self, rows: Bools | Ints) -> Labels:
        return Labels(self.names, self.truth[rows])

    def both_classes(self) -> Bools:
        """The labels of which some records are positive and some are not: only these can be learnt or judged."""
        found: Bools = self.positive.any(axis=0) & (self.truth == 0).any(axis=0)
        return found

    def codes(self) -> Ints:
        """The positive labels of each record as bits; unknown counts as not there."""
        total: Ints = (self.positive.astype(np.int64) << np.arange(len(self.names))).sum(axis=1)
        return total


def read_labels(records: pl.DataFrame, where: str) -> Labels:
    """The ``label_*`` columns: 1 is positive; 0 and -1 (uncertain) are not; null and NaN are unknown."""
    columns = [name for name in records.columns if name.startswith("label_")]
    if not columns:
        raise DataError(
            "there are no labels in it, and utility is judged by them",
            where=where,
            got=", ".join(records.columns),
            allowed="columns label_<finding> with 1, 0, -1 or null",
        )
    if len(columns) > MOST_LABELS:
        raise DataError("there are too many labels in it", where=where, got=len(columns), allowed=f"{MOST_LABELS}")
    truth = np.stack([_column(records, name, where) for name in columns], axis=1)
    return Labels(tuple(name.removeprefix("label_") for name in columns), truth)


def _column(records: pl.DataFrame, name: str, where: str) -> NDArray[np.int8]:
    dtype = records[name].dtype
    if not (dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)):
        raise DataError(f"column {name!r} is not numeric", where=where, got=str(dtype), allowed="1, 0, -1 or null")
    values = records[name].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    known = ~np.isnan(values)
    wrong = known & ~np.isin(values, (1, 0, -1))
    if wrong.any():
        raise DataError(
            f"column {name!r} holds an unknown label in row {wrong.argmax()} ({int(wrong.sum())} rows do)",
            where=where,
            got=float(values[wrong.argmax()]),
            allowed="1, 0, -1 or null",
        )
    return np.where(known, values == 1, UNKNOWN).astype(np.int8)
