"""Verification: every pair of strangers against every pair of one patient, none of them drawn.

Strangers' pairs are counted by cell of the grid; all that is read off the ROC curve follows from the counts.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.grid import BELOW, INSIDE, NOTHING, Grid, narrow_cell
from leadapron.attacks.identity.sweep import OWN
from leadapron.engine import kernel

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.int32]

COARSE_BITS = 12
"""So many bits tell wide cells apart where only an image's part in the error of the whole is wanted."""
WHOLE_SHARE = 2**20
"""Shares are added up in whole numbers, so that their sum does not hang on the order; a block's fits into 32 bits."""
MOST_COUNTED = 2**31


@dataclass(frozen=True)
class Passed:
    """Strangers' pairs by cell, each counted from both of its sides.

    For each image, ``beaten[:, s]`` adds up over its strangers the share of the same-patient pairs of set s that score
    higher, and ``over[:, w]`` counts its strangers who score at least ``watched[w]``.
    """

    strangers: Ints
    beaten: Doubles
    over: Ints
    watched: Doubles


class VerificationCounter:
    """``sets`` are the cells of sets of same-patient pairs, of ``images`` images. Every pair of these is met once."""

    def __init__(self, grid: Grid, sets: Sequence[Ints], images: int, watched: Doubles) -> None:
        self._grid, self._images, self._watched = grid, images, watched
        self._divided = np.packbits(np.diff(grid.first) > 0, bitorder="little")
        self._limits = np.maximum(np.rint(watched / grid.unit), np.finfo(np.float64).min)
        self._shift = (grid.above - INSIDE).bit_length() - 1 - COARSE_BITS
        self._higher = np.stack([_share_higher(pairs, grid, self._shift) for pairs in sets])
        self._thread = threading.local()
        self._parts: list[_Part] = []

    def count(self, block: Doubles, queries: slice, images: slice, *, mutual: bool) -> None:
        assert mutual
        if not hasattr(self._thread, "part"):
            sizes = self._grid.above + 1, self._grid.size
            self._thread.part = _Part(sizes, self._images, len(self._higher), len(self._limits))
            self._parts.append(self._thread.part)
        part, grid = self._thread.part, self._grid
        wide, narrow = part.room_for(block.size)
        _pass(
            block, queries.start, images.start, grid.lowest, grid.per_whole, grid.marks, grid.first, self._divided,
            self._shift, self._higher, self._limits, wide, narrow, part.beaten, part.over,
        )  # fmt: skip

    def result(self) -> Passed:
        wide, narrow = (sum(parts) for parts in zip(*(part.totals() for part in self._parts), strict=True))
        wide[(np.diff(self._grid.first) > 0) | (np.arange(len(wide)) == NOTHING)] = 0
        narrow[self._grid.starts] += wide
        beaten, over = (sum(getattr(part, name) for part in self._parts) for name in ("beaten", "over"))
        return Passed(2 * narrow, beaten / WHOLE_SHARE, over, self._watched)


def _share_higher(pairs: Ints, grid: Grid, shift: int) -> Words:
    """For each coarse cell the share of pairs above it, half of those in it included, as a whole number.

    What lies outside the range is in no coarse cell with what is inside.
    """
    before, wide = (1 << shift) - INSIDE, np.searchsorted(grid.starts, pairs, side="right") - 1
    counts = np.bincount((wide + before) >> shift, minlength=((grid.above + before) >> shift) + 1) / len(pairs)
    return np.rint(WHOLE_SHARE * (1 - np.cumsum(counts) + counts / 2)).astype(np.int32)


class _Part:
    """What one thread has counted: cells in small numbers, emptied into large ones before they run over."""

    def __init__(self, sizes: tuple[int, int], images: int, sets: int, watched: int) -> None:
        self.beaten = np.zeros((images, sets), dtype=np.int64)
        self.over = np.zeros((images, watched), dtype=np.int64)
        self._small = [np.zeros(number, dtype=np.uint32) for number in sizes]
        self._large = [np.zeros(number, dtype=np.int64) for number in sizes]
        self._counted = 0

    def room_for(self, pairs: int) -> list[NDArray[np.uint32]]:
        """Counts of wide cells and, of those that are divided, of cells."""
        if self._counted + pairs > MOST_COUNTED:
            self.totals()
        self._counted += pairs
        return self._small

    def totals(self) -> list[Ints]:
        for small, large in zip(self._small, self._large, strict=True):
            large += small
            small[:] = 0
        self._counted = 0
        return self._large


@kernel
def _pass(
    block: Doubles, query: int, image: int, lowest: float, per_whole: float, marks: Doubles, first: Words,
    divided: NDArray[np.uint8], shift: int, higher: Words, limits: Doubles, wide_counts: NDArray[np.uint32],
    counts: NDArray[np.uint32], beaten: Ints, over: Ints,
) -> None:  # fmt: skip
    """Loops of their own, so that those without look-ups take several scores at once."""
    width, above, before = block.shape[1], len(first) - 2, (1 << shift) - INSIDE
    room = np.empty((3, width), dtype=np.int32)
    wide, there, crowded = room[0], room[1], room[2]
    beaten_there = np.zeros((len(higher), width), dtype=np.int32)
    over_there = np.zeros((len(limits), width), dtype=np.int32)
    for row in range(block.shape[0]):
        line = block[row]
        for column in range(width):
            score = line[column]
            inside = min(max((score - lowest) * per_whole + INSIDE, float(BELOW)), float(above))
            there[column] = np.int32(score > OWN)
            wide[column] = np.int32(inside) * there[column]
        for column in range(width):
            wide_counts[wide[column]] += np.uint32(1)
        if len(marks):
            number = 0
            for column in range(width):
                crowded[number] = column
                number += (divided[wide[column] >> 3] >> (wide[column] & 7)) & 1
            for column in crowded[:number]:
                counts[narrow_cell(wide[column], line[column], marks, first)] += np.uint32(1)
        for part in range(len(higher)):
            table, total = higher[part], np.int64(0)
            for column in range(width):
                share = table[(wide[column] + before) >> shift] * there[column]
                total += share
                beaten_there[part, column] += share
            beaten[query + row, part] += total
        for at in range(len(limits)):
            limit, many = limits[at], np.int32(0)
            for column in range(width):
                is_over = np.int32(line[column] >= limit)
                many += is_over
                over_there[at, column] += is_over
            over[query + row, at] += many
    for column in range(width):
        for part in range(len(higher)):
            beaten[image + column, part] += beaten_there[part, column]
        for at in range(len(limits)):
            over[image + column, at] += over_there[at, column]
