"""The labels of records as arrays: what is positive, what is negative, and what nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort.labels import label_names, with_known_labels
from leadapron.errors import DataError

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

UNKNOWN = -1
MOST_LABELS = 62
"""One bit each in a word."""


@dataclass(frozen=True)
class Labels:
    """A column a label. ``truth`` is 1 for positive, 0 for negative, -1 for unknown."""

    names: tuple[str, ...]
    truth: NDArray[np.int8]

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(f"label_{name}" for name in self.names)

    @property
    def known(self) -> Bools:
        found: Bools = self.truth != UNKNOWN
        return found

    @property
    def positive(self) -> Bools:
        found: Bools = self.truth == 1
        return found

    @property
    def signs(self) -> NDArray[np.int8]:
        """To multiply a logit with: 1 for positive, -1 for negative, 0 for unknown."""
        return np.where(self.known, 2 * self.truth - 1, 0).astype(np.int8)

    def rows(self, rows: Bools | Ints) -> Labels:
        return Labels(self.names, self.truth[rows])

    def columns(self, columns: Sequence[int] | Ints) -> Labels:
        return Labels(tuple(self.names[at] for at in columns), self.truth[:, columns])

    def both_classes(self, fewest: int = 1) -> Bools:
        """The labels that at least so many records have, and as many have not: only these can be learnt or judged."""
        found: Bools = np.minimum(self.positive.sum(axis=0), (self.truth == 0).sum(axis=0)) >= fewest
        return found

    def codes(self) -> Ints:
        """The positive labels of each record as bits; unknown counts as not there."""
        if len(self.names) > MOST_LABELS:
            raise DataError("too many labels to match by", got=len(self.names), allowed=f"{MOST_LABELS} at most")
        codes = np.zeros(len(self.truth), dtype=np.int64)
        for place, positive in enumerate(self.positive.T):
            codes |= positive.astype(np.int64) << place
        return codes


def labels_of(records: pl.DataFrame, where: str) -> Labels:
    """The ``label_*`` columns, by their names without ``label_``."""
    records, names = with_known_labels(records, where=where), label_names(records)
    columns = [records[name].fill_null(UNKNOWN).to_numpy() for name in names]
    truth = np.stack(columns, axis=1) if columns else np.empty((len(records), 0))
    return Labels(tuple(name.removeprefix("label_") for name in names), truth.astype(np.int8))
