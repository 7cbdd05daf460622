"""Rows of length one that are made when they are asked for, so that their source may lie in a file beyond memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import DataError

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

ROWS_AT_ONCE = 65_536


@dataclass(frozen=True)
class UnitRows:
    """Row i is the mean of ``sizes[i]`` rows of the source, those that ``members`` names from ``first[i]`` on.

    It is indexed as an array is; ``np.asarray`` brings the whole into memory.
    """

    source: Floats
    members: Ints
    first: Ints
    sizes: Ints
    lengths: Floats

    def __len__(self) -> int:
        return len(self.first)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.source.shape[1]

    def __getitem__(self, index: slice | Ints) -> Floats:
        rows: Floats = self._means(self.first[index], self.sizes[index]) / self.lengths[index]
        return rows

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401
        rows = np.empty(self.shape, dtype=np.float32)
        for start in range(0, len(self), ROWS_AT_ONCE):
            rows[start : start + ROWS_AT_ONCE] = self[start : start + ROWS_AT_ONCE]
        return rows if dtype is None else rows.astype(dtype)

    def only(self, kept: Ints) -> UnitRows:
        """Some of the rows, still unread."""
        return replace(self, first=self.first[kept], sizes=self.sizes[kept], lengths=self.lengths[kept])

    def _means(self, first: Ints, sizes: Ints) -> Floats:
        if (sizes == 1).all():
            return np.asarray(self.source[self.members[first]])
        starts = np.cumsum(sizes) - sizes
        places = np.arange(sizes.sum()) + np.repeat(first - starts, sizes)
        sums = np.add.reduceat(self.source[self.members[places]], starts, axis=0)
        return (sums / sizes[:, None]).astype(np.float32)


def unit_rows(source: Floats, members: Ints, group: Ints | None, where: str) -> UnitRows:
    """The source's rows ``members`` one by one, or where ``group`` numbers them from 0, the mean of each group."""
    if group is None:
        first, sizes = np.arange(len(members)), np.ones(len(members), dtype=np.int64)
    else:
        members = members[np.argsort(group, kind="stable")]
        sizes = np.bincount(group)
        first = np.cumsum(sizes) - sizes
    rows = UnitRows(source, members, first, sizes, np.ones((len(first), 1), dtype=np.float32))
    lengths = np.empty_like(rows.lengths)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        lengths[block] = np.linalg.norm(rows[block], axis=1, keepdims=True)
    if not lengths.all():
        raise DataError("an embedding is all zeros and has no direction", where=where, got=f"row {lengths.argmin()}")
    return replace(rows, lengths=lengths)


def unit(rows: NDArray[np.floating[Any]]) -> Floats:
    """The rows at length one; a row of zeros, which a map may make, stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
