"""Rows of length one that are made when they are asked for, so that their source may lie in a file beyond memory."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.release.rows import unit

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

ROWS_AT_ONCE = 65_536


@dataclass(frozen=True)
class UnitRows:
    """Row i is the mean of the source's rows ``members[starts[i]:starts[i + 1]]``, or without ``starts`` the one row
    ``members[i]``, at length one.

    It is indexed as an array is; ``np.asarray`` brings the whole into memory.
    """

    source: Floats
    members: Ints
    starts: Ints | None

    def __len__(self) -> int:
        return len(self.members) if self.starts is None else len(self.starts) - 1

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.source.shape[1]

    def __getitem__(self, index: slice | Ints) -> Floats:
        return unit(self.means(np.arange(len(self))[index] if isinstance(index, slice) else index))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401
        rows = np.empty(self.shape, dtype=np.float32)
        for start in range(0, len(self), ROWS_AT_ONCE):
            rows[start : start + ROWS_AT_ONCE] = self[start : start + ROWS_AT_ONCE]
        return rows if dtype is None else rows.astype(dtype)

    def only(self, kept: Ints) -> UnitRows:
        """Some of the rows, still unread."""
        if self.starts is None:
            return replace(self, members=self.members[kept])
        places, starts = self._places(kept)
        return replace(self, members=self.members[places], starts=starts)

    def means(self, rows: Ints) -> NDArray[np.floating[Any]]:
        """The rows before they are brought to length one."""
        if self.starts is None:
            return np.asarray(self.source[self.members[rows]])
        places, starts = self._places(rows)
        sums = np.add.reduceat(self.source[self.members[places]], starts[:-1], axis=0, dtype=np.float64)
        return sums / np.diff(starts)[:, None]

    def _places(self, rows: Ints) -> tuple[Ints, Ints]:
        """Where the members of these rows are, row after row, and where each row starts among them."""
        assert self.starts is not None
        sizes = self.starts[rows + 1] - self.starts[rows]
        starts = np.append(0, np.cumsum(sizes))
        places: Ints = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], sizes)
        return places, starts


def unit_rows(source: Floats, members: Ints, group: Ints | None, where: str) -> UnitRows:
    """The source's rows ``members`` one by one, or where ``group`` numbers them from 0, the mean of each group."""
    starts = None
    if group is not None:
        members = members[np.argsort(group, kind="stable")]
        sizes = np.bincount(group)
        starts = None if (sizes == 1).all() else np.append(0, np.cumsum(sizes))
    rows = UnitRows(source, members, starts)
    for start in range(0, len(rows), ROWS_AT_ONCE):
        some = rows.means(np.arange(start, min(start + ROWS_AT_ONCE, len(rows)))).any(axis=1)
        if not some.all():
            what = "an embedding is" if group is None else "the mean of a study's embeddings is"
            raise DataError(f"{what} all zeros and has no direction", where=where, got=f"row {start + some.argmin()}")
    return rows
