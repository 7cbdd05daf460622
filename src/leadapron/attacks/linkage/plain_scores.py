"""Every query against every text of a small release: to compile what makes it fast would take longer than the work.

A product of matrices in double precision says nearly everything. Where its rounding leaves open which of two scores is
higher, both are summed in the one order in which all scores are, so the outcome is that of the fast pass, bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import kernel
from leadapron.engine.inner_product import inner_product

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST_PAIRS = 2**21
"""Beyond, the fast pass has made good for its compiling within a few attackers."""
QUERIES_AT_ONCE = 64
"""So many rows of scores stay in a core's cache."""
ROUNDING = 2.0**-52
"""Twice what one operation in double precision may be off, relative to its result."""


def is_small(queries: Floats, texts: int) -> bool:
    return len(queries) * texts <= MOST_PAIRS


def compare_all(
    queries: Floats, texts: Floats, own: Ints, true_score: Doubles, kept: int
) -> tuple[Flags, Flags, Ints, Doubles]:
    """Of each query the texts above its own one, those level with it, and the nearest ones, as ``nearest_texts``."""
    above, level = (np.zeros((len(queries), len(texts)), dtype=bool) for _ in range(2))
    places, highest = np.empty((len(queries), kept), dtype=np.int64), np.empty((len(queries), kept))
    for rows, scores, off in _blocks(queries, texts):
        true, number = true_score[rows, None], np.arange(len(scores))
        np.greater(scores, true + off, out=above[rows])
        row, column = np.nonzero(_may_be_best(scores, off, kept) | ((scores >= true - off) & ~above[rows]))
        exact = exact_scores(queries[rows], row, texts, column)
        above[rows][row, column] = exact > true[row, 0]
        level[rows][row, column] = exact == true[row, 0]
        above[rows][number, own[rows]] = level[rows][number, own[rows]] = False
        places[rows], highest[rows] = _best(row, column, exact, kept)
    return above, level, places, highest


def nearest_texts(queries: Floats, texts: Floats, kept: int) -> tuple[Ints, Doubles]:
    """For each query the ``kept`` texts with the highest scores, the highest first, among equals the first first."""
    places, highest = np.empty((len(queries), kept), dtype=np.int64), np.empty((len(queries), kept))
    for rows, scores, off in _blocks(queries, texts):
        row, column = np.nonzero(_may_be_best(scores, off, kept))
        places[rows], highest[rows] = _best(row, column, exact_scores(queries[rows], row, texts, column), kept)
    return places, highest


def _may_be_best(scores: Doubles, off: Doubles, kept: int) -> Flags:
    last = np.partition(scores, -kept, axis=1)[:, -kept, None]
    flags: Flags = scores >= last - 2 * off
    return flags


def _best(row: Ints, column: Ints, exact: Doubles, kept: int) -> tuple[Ints, Doubles]:
    order = np.lexsort((column, -exact, row))
    sizes = np.bincount(row)
    chosen = order[(np.cumsum(sizes) - sizes)[:, None] + np.arange(kept)]
    return column[chosen], exact[chosen]


def _blocks(queries: Floats, texts: Floats) -> Iterator[tuple[slice, Doubles, Doubles]]:
    """Some queries, their scores, and how far these may be from the sums in the one order."""
    right = texts.astype(np.float64)
    longest = np.sqrt(np.einsum("ij,ij->i", right, right).max(initial=0.0))
    for start in range(0, len(queries), QUERIES_AT_ONCE):
        rows = slice(start, start + QUERIES_AT_ONCE)
        left = queries[rows].astype(np.float64)
        length = np.sqrt(np.einsum("ij,ij->i", left, left))[:, None]
        yield rows, left @ right.T, ROUNDING * (queries.shape[1] + 8) * length * longest


def exact_scores(queries: Floats, row: Ints, texts: Floats, text: Ints) -> Doubles:
    """The score of each of these pairs, summed in the one order."""
    scores = np.empty(len(row))
    row, text = (np.ascontiguousarray(places) for places in (row, text))  # the loop is compiled for no others
    _sum_up(queries, row, texts, text, scores)
    return scores


@kernel
def _sum_up(queries: Floats, row: Ints, texts: Floats, text: Ints, scores: Doubles) -> None:
    for at in range(len(scores)):
        scores[at] = inner_product(queries, row[at], texts, text[at])
