"""Rows that are equal, bit by bit, are scored once: so they tie exactly, whatever the shape of a matrix product."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def distinct_rows(rows: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """The rows without repetition, and for each row its place among them."""
    contiguous = np.ascontiguousarray(rows)
    whole = contiguous.view(np.dtype((np.void, contiguous.dtype.itemsize * contiguous.shape[1]))).ravel()
    _, first, place = np.unique(whole, return_index=True, return_inverse=True)
    return contiguous[first], place.astype(np.int64)
