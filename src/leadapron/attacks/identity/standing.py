"""Standing: where a query's mates, the other images of its patient, stand in the list ranked by score."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.levels import Levels
from leadapron.engine import kernel

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

WORD = 8
"""Flags that are looked at together."""


@dataclass(frozen=True)
class Standing:
    """For every query and every level of its mates' scores: strangers above it and level with it.

    Those of the best level are exact. Of the others they are exact as long as fewer strangers stand above than the
    query has mates, which is all that a figure "at R" looks at.
    """

    levels: Levels
    above: Ints
    ties: Ints

    @property
    def best(self) -> Ints:
        """Of each query the place of its best level, which it must have."""
        return self.levels.start[1:] - 1


class StandingCounter:
    """``mates`` are the levels of each query's mates; a query without any is passed over.

    Each thread counts for itself. All share the floor, the score of the lowest level that still matters to a query:
    once it does not matter to one thread, it matters to none.
    """

    def __init__(self, mates: Levels) -> None:
        self._mates = mates
        self._wanted, self._best, self._floor = bounds_of(mates)
        self._thread = threading.local()
        self._parts: list[Ints] = []

    def count(self, block: Doubles, queries: slice, images: slice, *, mutual: bool) -> None:
        if not hasattr(self._thread, "part"):
            self._thread.part = np.zeros((2, len(self._mates.score)), dtype=np.int64)
            self._parts.append(self._thread.part)
        above, ties = self._thread.part
        state = self._mates.start, self._mates.score, self._wanted, self._best, self._floor, above, ties
        _stand_rows(block, queries.start, *state)
        if mutual:
            _stand_columns(block, images.start, *state)

    def result(self) -> Standing:
        above, ties = np.sum(self._parts, axis=0)
        add_up(self._mates.start, above, ties)
        return Standing(self._mates, above, ties)


def bounds_of(mates: Levels) -> tuple[Ints, Doubles, Doubles]:
    """Of each query how many mates it has, their highest score, and the lowest that matters yet."""
    wanted = mates_of(mates)
    best, floor = (np.full(len(wanted), np.inf) for _ in range(2))
    best[wanted > 0] = mates.score[mates.start[1:][wanted > 0] - 1]
    floor[wanted > 0] = mates.score[mates.start[:-1][wanted > 0]]
    return wanted, best, floor


def mates_of(levels: Levels) -> Ints:
    """How many mates each query has."""
    sums = np.concatenate([[0], np.cumsum(levels.count)])
    counts: Ints = sums[levels.start[1:]] - sums[levels.start[:-1]]
    return counts


@kernel
def _stand_rows(
    block: Doubles, query: int, start: Ints, level: Doubles, wanted: Ints, best: Doubles, floor: Doubles, above: Ints,
    ties: Ints,
) -> None:  # fmt: skip
    """Strangers above the best level are only counted; those on levels that matter, who are few, are placed one by one.

    ``above[k]`` gathers those between level k and the next, until ``add_up``.
    """
    for row in range(block.shape[0]):
        line, top, bar = block[row], best[query + row], floor[query + row]
        higher, reach = np.int64(0), np.int64(0)
        for column in range(len(line)):
            higher += np.int64(line[column] > top)
            reach += np.int64(line[column] >= bar)
        if reach:
            last = start[query + row + 1] - 1
            above[last] += higher
            if reach > higher:
                for column in range(len(line)):
                    if bar <= line[column] <= top:
                        place_among(line[column], start[query + row], last, level, above, ties)
            raise_floor(query + row, start, level, wanted, floor, above, ties)


@kernel
def _stand_columns(
    block: Doubles, query: int, start: Ints, level: Doubles, wanted: Ints, best: Doubles, floor: Doubles, above: Ints,
    ties: Ints,
) -> None:  # fmt: skip
    """The same pairs from their other side."""
    width = block.shape[1]
    tops, bars = best[query : query + width], floor[query : query + width].copy()
    higher, reach = np.zeros(width, dtype=np.int64), np.zeros(width, dtype=np.int64)
    flags = np.zeros((width + WORD - 1) // WORD * WORD, dtype=np.uint8)
    words = flags.view(np.uint64)
    for row in range(block.shape[0]):
        line = block[row]
        for column in range(width):
            score = line[column]
            higher[column] += np.int64(score > tops[column])
            flags[column] = np.uint8((score >= bars[column]) & (score <= tops[column]))
        for word in range(len(words)):
            if words[word]:
                for column in range(word * WORD, min(word * WORD + WORD, width)):
                    if flags[column]:
                        reach[column] += 1
                        first, last = start[query + column], start[query + column + 1] - 1
                        place_among(line[column], first, last, level, above, ties)
    for column in range(width):
        if higher[column]:
            above[start[query + column + 1] - 1] += higher[column]
        if higher[column] or reach[column]:
            raise_floor(query + column, start, level, wanted, floor, above, ties)


@kernel
def place_among(score: float, first: int, last: int, level: Doubles, above: Ints, ties: Ints) -> None:
    """A score between the levels ``first`` and ``last``, to its own level or to the gap above one."""
    while first < last:
        middle = (first + last + 1) // 2
        if level[middle] <= score:
            first = middle
        else:
            last = middle - 1
    if score > level[first]:
        above[first] += 1
    else:
        ties[first] += 1


@kernel
def raise_floor(
    query: int, start: Ints, level: Doubles, wanted: Ints, floor: Doubles, above: Ints, ties: Ints
) -> None:  # fmt: skip
    """To the lowest level that matters: below it, as many strangers stand above as the query has mates."""
    best = start[query + 1] - 1
    higher, lowest = above[best] + ties[best], best
    for place in range(best - 1, start[query] - 1, -1):
        higher += above[place]
        if higher >= wanted[query]:
            break
        higher += ties[place]
        lowest = place
    floor[query] = max(floor[query], level[lowest])


@kernel
def add_up(start: Ints, above: Ints, ties: Ints) -> None:
    """From strangers between two levels to strangers above each."""
    for query in range(len(start) - 1):
        for place in range(start[query + 1] - 2, start[query] - 1, -1):
            above[place] += above[place + 1] + ties[place + 1]
