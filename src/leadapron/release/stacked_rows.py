"""Rows that lie in several files, one below the other: indexed as one array, and never joined."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.release.in_memory import single_precision

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

ROWS_AT_ONCE = 65_536


@dataclass(frozen=True, eq=False)
class StackedRows:
    """Memory-mapped parts of one width. What is asked for is read, in single precision; ``np.asarray`` reads all."""

    parts: tuple[NDArray[np.floating[Any]], ...]

    dtype = np.dtype(np.float32)
    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        return int(self._starts[-1]), self.parts[0].shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    @cached_property
    def _starts(self) -> Ints:
        return np.cumsum([0, *map(len, self.parts)])

    def __getitem__(self, index: Any) -> Floats:  # noqa: ANN401 (whatever NumPy takes)
        """Rows by a slice, by their numbers or by a mask; a pair takes columns, too."""
        rows, columns = index if isinstance(index, tuple) else (index, slice(None))
        wanted = np.arange(len(self))[rows] if not isinstance(rows, np.ndarray | list) else _numbers(rows, len(self))
        if np.ndim(wanted) == 0:
            return self[np.atleast_1d(wanted)][0, columns]  # type: ignore[no-any-return]
        found = np.empty((len(wanted), self.shape[1]), dtype=np.float32)
        of_part = np.searchsorted(self._starts, wanted, side="right") - 1
        for number in np.unique(of_part):
            mine = of_part == number
            place = wanted[mine] - self._starts[number]
            found[mine] = single_precision(self.parts[number][_as_slice(place)])
        return found[:, columns]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:  # noqa: ANN401
        whole = np.empty(self.shape, dtype=np.float32)
        for start in range(0, len(self), ROWS_AT_ONCE):
            whole[start : start + ROWS_AT_ONCE] = self[start : start + ROWS_AT_ONCE]
        return whole if dtype is None else whole.astype(dtype)


def _numbers(rows: NDArray[Any] | list[Any], count: int) -> Ints:
    """Numbers of rows from their numbers, which may count from the end, or from a mask."""
    chosen: Ints = np.arange(count)[np.asarray(rows, dtype=None if len(rows) else np.int64)]
    return chosen


def _as_slice(places: Ints) -> Ints | slice:
    """Rows that follow each other are read from a file in one go."""
    if len(places) and places[-1] - places[0] == len(places) - 1 and (np.diff(places) == 1).all():
        return slice(int(places[0]), int(places[-1]) + 1)
    return places
