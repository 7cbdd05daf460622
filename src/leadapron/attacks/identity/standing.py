"""Standing: where a query's mates, the other images of its patient, stand in the list ranked by score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.levels import Levels
from leadapron.engine import kernel

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


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
    """``mates`` are the levels of each query's mates; a query without any is passed over."""

    def __init__(self, mates: Levels) -> None:
        self._mates = mates
        self._above, self._ties = (np.zeros(len(mates.low), dtype=np.int64) for _ in range(2))
        first, best = mates.start[:-1], mates.start[1:] - 1
        self._wanted = mates_of(mates)
        lowest = mates.low[np.minimum(first, len(mates.low) - 1)]
        self._floor = np.where(first < best, lowest, np.inf).astype(np.float32)

    def count(self, block: Floats, rows: slice, _start: int) -> None:
        start = self._mates.start[rows.start : rows.stop + 1]
        _stand(block, start, self._mates.low, self._mates.high, self._wanted[rows], self._floor[rows],
               self._above, self._ties)  # fmt: skip

    def result(self) -> Standing:
        above = self._above.copy()
        _add_up(self._mates.start, above, self._ties)
        return Standing(self._mates, above, self._ties.copy())


def mates_of(levels: Levels) -> Ints:
    """How many mates each query has."""
    sums = np.concatenate([[0], np.cumsum(levels.count)])
    counts: Ints = sums[levels.start[1:]] - sums[levels.start[:-1]]
    return counts


@kernel
def _stand(
    block: Floats, start: Ints, low: Floats, high: Floats, wanted: Ints, floor: Floats, above: Ints, ties: Ints
) -> None:
    """Strangers above the best level are counted without a branch; lower levels only while they matter.

    ``above[k]`` gathers those between level k and the next, until ``_add_up``.
    """
    for row in range(block.shape[0]):
        line, bar, best = block[row], floor[row], start[row + 1] - 1
        if best < start[row]:
            continue
        top_low, top_high = low[best], high[best]
        higher, at_least, news = np.int32(0), np.int32(0), np.int32(0)
        for column in range(len(line)):
            score = line[column]
            higher += np.int32(score >= top_high)
            at_least += np.int32(score >= top_low)
            news += np.int32(score >= bar)
        above[best] += higher
        ties[best] += at_least - higher
        if news > at_least:
            for column in range(len(line)):
                score = line[column]
                if bar <= score < top_low:
                    place = best - 1
                    while score < low[place]:
                        place -= 1
                    if score >= high[place]:
                        above[place] += 1
                    else:
                        ties[place] += 1
            floor[row] = _raised(start[row], best, wanted[row], bar, low, above, ties)


@kernel
def _raised(first: int, best: int, wanted: int, bar: np.float32, low: Floats, above: Ints, ties: Ints) -> np.float32:
    """Below which score nothing matters any more: as many strangers stand above as the query has mates."""
    higher = above[best] + ties[best]
    lowest = best
    for place in range(best - 1, first - 1, -1):
        higher += above[place]
        if higher >= wanted:
            break
        higher += ties[place]
        lowest = place
    raised: np.float32 = max(bar, low[lowest]) if lowest < best else np.float32(np.inf)
    return raised


@kernel
def _add_up(start: Ints, above: Ints, ties: Ints) -> None:
    """From strangers between two levels to strangers above each."""
    for query in range(len(start) - 1):
        for place in range(start[query + 1] - 2, start[query] - 1, -1):
            above[place] += above[place + 1] + ties[place + 1]
