"""The grid: up to two million cells that scores fall into, some divided so finely that AUC is right to 10⁻⁶.

Cells lie over the range of same-patient pairs. Strangers who share a cell with a pair count as level with it, which
scores that are equal always are, and others may be wrong by one half. Where that could add up to too much, since many
scores crowd there, each pair's score gets a cell of its own, with one on either side for what is between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import kernel

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.int32]

FEWEST, MOST = 2**16, 2**21
NOTHING, BELOW, INSIDE = 0, 1, 2
"""Wide cells: of what is no score, of what is below the range, and the first inside it. One more lies above it."""
MOST_WRONG = 1e-6
USUALLY_WRONG = 0.9 * MOST_WRONG
"""What AUC may be off at most, and what it may be off by those who were drawn."""


@dataclass(frozen=True)
class Grid:
    """From scores, which are ``unit`` times a whole number, to cells.

    The wide cell w inside the range begins w − 2 times 1 / ``per_whole`` above ``lowest``. ``marks`` are the whole
    numbers that have a cell of their own; from ``first[w]`` to ``first[w + 1]`` they are in w.
    """

    unit: float
    lowest: float
    per_whole: float
    marks: Doubles
    first: Words

    @property
    def above(self) -> int:
        """The last wide cell."""
        return len(self.first) - 2

    @property
    def size(self) -> int:
        return self.above + 1 + 2 * len(self.marks)

    @cached_property
    def starts(self) -> Ints:
        """The first cell of each wide cell."""
        starts: Ints = np.arange(self.above + 1) + 2 * self.first[:-1]
        return starts

    def cells(self, scores: Doubles) -> Ints:
        """The cell of each score."""
        whole = np.rint(scores / self.unit)
        cells = self.wide(whole)
        _narrow(cells, whole, self.marks, self.first)
        return cells

    def wide(self, whole: Doubles) -> Ints:
        """The wide cell of each whole number; compiled loops do the same."""
        wide: Ints = np.clip((whole - self.lowest) * self.per_whole + INSIDE, BELOW, self.above).astype(np.int64)
        return wide

    def score(self, cell: int) -> float:
        """The lowest score in a cell, or in the first after it that has any; infinite for the cell after the last."""
        if cell >= self.size:
            return np.inf
        wide = int(np.searchsorted(self.starts, cell, side="right")) - 1
        within = cell - wide - 2 * int(self.first[wide])
        if within:
            return float(self.unit * (self.marks[self.first[wide] + (within - 1) // 2] + (within + 1) % 2))
        if wide <= BELOW:
            return -np.inf
        whole = np.ceil(self.lowest + (wide - INSIDE) / self.per_whole) - 1
        while self.wide(whole) < wide:
            whole += 1
        return float(self.unit * whole)

    def divided(self, sets: Sequence[Doubles], strangers: Ints) -> Grid:
        """Where pairs of a set crowd together; ``strangers`` is about how strangers' pairs lie in wide cells."""
        marks = np.unique(np.concatenate([self._crowded(pairs, strangers) for pairs in sets]))
        first = np.cumsum(np.bincount(self.wide(marks) + 1, minlength=self.above + 2)).astype(np.int32)
        return replace(self, marks=marks, first=first)

    def _crowded(self, pairs: Doubles, strangers: Ints) -> Doubles:
        """The pairs in the fullest cells, so many that what the others leave open is little."""
        occupied, place, crowd = np.unique(self.wide(pairs), return_inverse=True, return_counts=True)
        order = np.argsort(crowd, kind="stable")
        left_open = np.cumsum((crowd * strangers[occupied])[order]) / (2 * len(pairs) * max(strangers.sum(), 1))
        crowded = np.zeros(len(occupied), dtype=bool)
        crowded[order[left_open > USUALLY_WRONG]] = True
        return pairs[crowded[place]]

    def most_wrong(self, pairs: Doubles, strangers: Ints) -> float:
        """What AUC of these pairs may be off with these numbers of strangers in every cell."""
        level = strangers[self.cells(self.unit * pairs[~np.isin(pairs, self.marks)])]
        return float(level.sum() / (2 * len(pairs) * max(strangers.sum(), 1)))


def grid_over(pairs: Doubles, strangers: int, unit: float) -> Grid:
    """Over the whole numbers of same-patient pairs, about a cell for each pair of strangers, none divided yet."""
    lowest, highest = float(pairs.min()), float(pairs.max())
    inside = min(max(1 << strangers.bit_length(), FEWEST), MOST)
    per_whole = (inside - 1) / (highest - lowest) if highest > lowest else 1.0
    return Grid(unit, lowest, per_whole, np.empty(0), np.zeros(inside + 4, dtype=np.int32))


@kernel
def _narrow(cells: Ints, whole: Doubles, marks: Doubles, first: Words) -> None:
    for at in range(len(cells)):
        cells[at] = narrow_cell(cells[at], whole[at], marks, first)


@kernel
def narrow_cell(wide: int, whole: float, marks: Doubles, first: Words) -> int:
    """The cell of a whole number within its wide cell: that of a mark, or that between two."""
    left, right, last = first[wide], first[wide + 1], first[wide + 1]
    while left < right:
        middle = (left + right) // 2
        if marks[middle] < whole:
            left = middle + 1
        else:
            right = middle
    cell: int = wide + 2 * left + (left < last and marks[left] == whole)
    return cell
