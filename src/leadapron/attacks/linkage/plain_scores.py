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


def count_others(queries: Floats, texts: Floats, own: Ints, true_score: Doubles) -> tuple[Flags, Flags, Doubles]:
    """Of each query the texts above its own one, those level with it, and the two highest scores of all texts."""
    above, level = (np.zeros((len(queries), len(texts)), dtype=bool) for _ in range(2))
    highest = np.empty((len(queries), 2))
    for rows, scores, off in _blocks(queries, texts):
        true, number = true_score[rows, None], np.arange(len(scores))
        second = _two_highest(scores)[:, 1:]
        np.greater(scores, true + off, out=above[rows])
        open_yet = (scores >= true - off) & ~above[rows]
        open_yet |= scores >= second - 2 * off
        row, column = np.nonzero(open_yet)
        exact = exact_scores(queries[rows], row, texts, column)
        scores[row, column] = exact
        above[rows][row, column] = exact > true[row, 0]
        level[rows][row, column] = exact == true[row, 0]
        above[rows][number, own[rows]] = level[rows][number, own[rows]] = False
        highest[rows] = _two_highest(scores)
    return above, level, highest


def _two_highest(scores: Doubles) -> Doubles:
    """Of each row, and minus infinity where there is but one."""
    rows, best = np.arange(len(scores)), scores.argmax(axis=1)
    first = scores[rows, best]
    scores[rows, best] = -np.inf
    second = scores.max(axis=1)
    scores[rows, best] = first
    return np.stack([first, second], axis=1)


def nearest_texts(queries: Floats, texts: Floats, kept: int) -> tuple[Ints, Doubles]:
    """For each query the ``kept`` texts with the highest scores, the highest first, among equals the first first."""
    places, highest = np.empty((len(queries), kept), dtype=np.int64), np.empty((len(queries), kept))
    for rows, scores, off in _blocks(queries, texts):
        last = np.partition(scores, -kept, axis=1)[:, -kept, None]
        row, column = np.nonzero(scores >= last - 2 * off)
        exact = exact_scores(queries[rows], row, texts, column)
        order = np.lexsort((column, -exact, row))
        sizes = np.bincount(row, minlength=len(scores))
        chosen = order[(np.cumsum(sizes) - sizes)[:, None] + np.arange(kept)]
        places[rows], highest[rows] = column[chosen], exact[chosen]
    return places, highest


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
