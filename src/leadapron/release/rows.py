"""Rows that are equal, bit by bit: worked on once, so that they stay equal whatever the shape of a matrix product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


def distinct_rows(rows: Floats) -> tuple[Ints, Ints]:
    """The first place of each distinct row, and for every row its number among those."""
    whole = np.ascontiguousarray(rows)
    keys = whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).ravel()
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return first.astype(np.int64), number.astype(np.int64)
