"""Levels: scores that are told apart, and those that float32 cannot tell apart.

A product of matrices gives the same two rows a score that differs in its last bits with the shape of the block it was
computed in. Scores nearer than that are one level and count as ties; without this, equal vectors (a defence may release
many) would be ranked by rounding.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Levels:
    """Levels in ascending order, group after group; those of group g are ``start[g]`` to ``start[g + 1]``.

    A score is level with one if it is at least ``low`` and below ``high``; ``count`` of the given scores are in it.
    ``of`` is the level of each given score.
    """

    start: Ints
    low: Floats
    high: Floats
    count: Ints
    of: Ints


def find_levels(group: Ints, score: Floats, groups: int, tolerance: float) -> Levels:
    """The levels of scores that belong to groups numbered from 0."""
    order = np.lexsort((score, group))
    sorted_group, sorted_score = group[order], score[order].astype(np.float64)
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(sorted_group) != 0) | (np.diff(sorted_score) > 2 * tolerance)
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(order)) - 1 if len(order) else first
    of = np.empty(len(order), dtype=np.int64)
    of[order] = np.cumsum(new) - 1
    return Levels(
        start=np.searchsorted(sorted_group[first], np.arange(groups + 1)).astype(np.int64),
        low=(sorted_score[first] - tolerance).astype(np.float32),
        high=(sorted_score[last] + tolerance).astype(np.float32),
        count=(last - first + 1).astype(np.int64),
        of=of,
    )
