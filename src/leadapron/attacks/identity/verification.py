"""Verification: every pair of strangers against every pair of one patient, none of them drawn.

Scores fall into two million cells of equal width. Cells are about as fine as a product of float32 can be trusted to be,
so two scores in one cell or in neighbouring cells are a tie; otherwise equal vectors, of which a defence may release
many, would be told apart by rounding. All that is read off the ROC curve follows from the counts.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.scores import Scores
from leadapron.engine import kernel

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

CELLS = 2**21
COARSE = 2**9
"""Cells that are taken together where only an image's part in the error of the whole is wanted."""
MOST_COUNTED = 2**31


@dataclass(frozen=True)
class Grid:
    """From a score to its cell; whatever is below the lowest score is in cell 0."""

    lowest: np.float32
    per_score: np.float32

    def cells(self, score: Floats) -> Ints:
        cells: Ints = ((np.maximum(score, self.lowest) - self.lowest) * self.per_score).astype(np.int64)
        return cells

    def score(self, cell: int) -> float:
        """Where a cell begins."""
        return float(self.lowest) + cell / float(self.per_score)


def grid_for(scores: Scores) -> Grid:
    """Over all scores there can be, with a cell to spare at either end for rounding."""
    lowest, highest = scores.bounds
    width = (highest - lowest) * (1 + 1e-5) or 1.0
    return Grid(np.float32(lowest - width / CELLS), np.float32((CELLS - 4) / width))


@dataclass(frozen=True)
class Passed:
    """Strangers' pairs by cell, each counted from both of its sides.

    For each image, ``beaten[:, s]`` adds up over its strangers the share of the same-patient pairs of set s that score
    higher, and ``over[:, w]`` counts its strangers who score at least ``watched[w]``.
    """

    strangers: Ints
    beaten: Doubles
    over: Ints
    watched: Floats


class VerificationCounter:
    """``sets`` are the cells of sets of same-patient pairs; ``own`` is how many images each query leaves out.

    Queries and images are the same, in the same order, so that every pair is met twice, and each image meets itself.
    Cells are counted once a pair and doubled in the end: to look a counter up costs more than all the rest.
    """

    def __init__(self, grid: Grid, sets: Sequence[Ints], own: Ints, watched: Floats) -> None:
        self._grid, self._own, self._watched = grid, own, watched.astype(np.float32)
        self._higher = np.stack([_share_higher(pairs) for pairs in sets])
        self._beaten = np.zeros((len(own), len(sets)))
        self._over = np.zeros((len(own), len(watched)), dtype=np.int64)
        self._thread = threading.local()
        self._sums: list[_Sum] = []

    def count(self, block: Floats, rows: slice, start: int) -> None:
        if not hasattr(self._thread, "sum"):
            self._thread.sum = _Sum()
            self._sums.append(self._thread.sum)
        counts = self._thread.sum.room_for(block.size)
        _pass(
            block, rows.start + 1 - start, self._grid.lowest, self._grid.per_score, self._higher, self._watched, counts,
            self._beaten[rows], self._over[rows],
        )  # fmt: skip

    def result(self) -> Passed:
        strangers: Ints = 2 * np.sum([part.total() for part in self._sums], axis=0)
        strangers[0] -= self._own.sum() - len(self._own)  # these stood in cell 0, as the lowest of scores
        return Passed(strangers, self._beaten - np.outer(self._own, self._higher[:, 0]), self._over, self._watched)


def _share_higher(pairs: Ints) -> Floats:
    """For each coarse cell the share of pairs above it, half of those in it included."""
    counts = np.bincount(pairs // COARSE, minlength=CELLS // COARSE + 1) / len(pairs)
    return (1 - np.cumsum(counts) + counts / 2).astype(np.float32)


class _Sum:
    """A thread's counts: small numbers that stay in cache, emptied into large ones before they run over."""

    def __init__(self) -> None:
        self._small = np.zeros(CELLS + 1, dtype=np.uint32)
        self._large = np.zeros(CELLS + 1, dtype=np.int64)
        self._counted = 0

    def room_for(self, pairs: int) -> NDArray[np.uint32]:
        if self._counted + pairs > MOST_COUNTED:
            self.total()
        self._counted += pairs
        return self._small

    def total(self) -> Ints:
        self._large += self._small
        self._small[:] = 0
        self._counted = 0
        return self._large


@kernel
def _pass(
    block: Floats, later: int, lowest: np.float32, per_score: np.float32, higher: Floats, watched: Floats,
    counts: NDArray[np.uint32], beaten: Doubles, over: Ints,
) -> None:  # fmt: skip
    """Loops of their own, so that those without look-ups take eight scores at once.

    Four sums side by side: one sum would wait for each addition before the next. From the column ``later`` on, and one
    further with each row, images stand behind the query.
    """
    width = block.shape[1]
    fours = width - width % 4
    cells = np.empty(width, dtype=np.int32)
    for row in range(block.shape[0]):
        line = block[row]
        for column in range(width):
            cells[column] = np.int32((max(line[column], lowest) - lowest) * per_score)
        for column in range(min(max(later + row, 0), width), width):
            counts[cells[column]] += np.uint32(1)
        for part in range(len(higher)):
            table = higher[part]
            first, second, third, fourth = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
            for column in range(0, fours, 4):
                first += table[cells[column] // COARSE]
                second += table[cells[column + 1] // COARSE]
                third += table[cells[column + 2] // COARSE]
                fourth += table[cells[column + 3] // COARSE]
            for column in range(fours, width):
                first += table[cells[column] // COARSE]
            beaten[row, part] += (first + second) + (third + fourth)
        for at in range(len(watched)):
            least, many = watched[at], np.int32(0)
            for column in range(width):
                many += np.int32(line[column] >= least)
            over[row, at] += many
