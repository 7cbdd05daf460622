"""Rows of numbers: at length one, whatever their scale, and equal ones worked on once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Mapped = TypeVar("Mapped", Floats, Doubles)


def row_lengths(rows: NDArray[np.floating[Any]]) -> Doubles:
    """In double precision, where no square of what float32 can hold is too large or too small."""
    lengths: Doubles = np.sqrt(np.square(rows, dtype=np.float64, order="C").sum(axis=1))
    return lengths


def unit_doubles(rows: NDArray[np.floating[Any]]) -> Doubles:
    """The rows at length one; a row of zeros, which a map may make, stays."""
    lengths = row_lengths(rows)[:, None]
    at_length_one: Doubles = np.divide(rows, np.where(lengths > 0, lengths, 1), dtype=np.float64)
    return at_length_one


def unit(rows: NDArray[np.floating[Any]]) -> Floats:
    """``unit_doubles`` in float32. All that brings vectors to length one, in attacks and defences, does it here."""
    return unit_doubles(rows).astype(np.float32)


def at_one_scale(rows: Floats) -> Floats:
    """All divided by the same power of two, so that the largest number is about one and their squares are numbers."""
    exponent = int(np.frexp(np.abs(rows).max(initial=0.0))[1])
    scaled: Floats = np.ldexp(rows, -exponent)
    return scaled


def distinct_rows(rows: Floats) -> tuple[Ints, Ints]:
    """The first place of each distinct row, and for every row its number among those."""
    whole = np.ascontiguousarray(rows) + np.float32(0)  # there is a zero below zero, and it is the same number
    keys = whole.view(np.dtype((np.void, whole.dtype.itemsize * whole.shape[1]))).ravel()
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return first.astype(np.int64), number.astype(np.int64)


def mapped(rows: Floats, function: Callable[[Floats], Mapped]) -> Mapped:
    """``function(rows)``, each distinct row once: equal rows stay equal bit by bit, whatever a matrix product does."""
    first, number = distinct_rows(rows)
    return function(rows[first])[number]
