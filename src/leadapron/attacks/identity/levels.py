"""Levels: the distinct scores of each query's mates, and how many of them share one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Levels:
    """Levels in ascending order, group after group; those of group g are ``start[g]`` to ``start[g + 1]``.

    ``score`` is the whole number that a level stands for, and ``count`` of the given scores are on it.
    """

    start: Ints
    score: Doubles
    count: Ints


def find_levels(group: Ints, score: Doubles, groups: int) -> Levels:
    """The levels of scores that belong to groups numbered from 0."""
    order = np.lexsort((score, group))
    group, score = group[order], score[order]
    first = np.flatnonzero((np.diff(group, prepend=-1) != 0) | (np.diff(score, prepend=np.nan) != 0))
    return Levels(
        start=np.searchsorted(group[first], np.arange(groups + 1)).astype(np.int64),
        score=score[first],
        count=np.diff(first, append=len(order)).astype(np.int64),
    )
