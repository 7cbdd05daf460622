"""Where mates stand among strangers: exact chances to come first in random pools, query by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.retrieval import Best, first_in_gallery
from leadapron.attacks.images.likeness import Likeness, Mates

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

AT_ONCE = 256
DIGITS = 1e-9
"""Of the spread of all scores: what is nearer is level, because sums by blocks differ by their rounding."""


@dataclass(frozen=True)
class Ranked:
    """Of every query with a mate: the chance that a mate comes first in a pool of each size, and AUC.

    A pool is one mate, each as likely, and strangers' rows drawn at random, without repeats. AUC is the share of
    strangers who score lower.
    """

    query: Ints
    first: dict[int, Doubles]
    auc: Doubles


def rank_mates(likeness: Likeness, mates: Mates, held: Ints, owner: tuple[Ints, Ints], pools: Sequence[int]) -> Ranked:
    """``held`` are all rows that the attacker has; those of the query's own patient are no strangers."""
    above, ties, strangers = (np.zeros(len(mates.query), dtype=np.int64) for _ in range(3))
    order = np.argsort(mates.query, kind="stable")
    for start in range(0, len(order), AT_ONCE):
        some = order[start : start + AT_ONCE]
        queries, place = np.unique(mates.query[some], return_inverse=True)
        scores = likeness.between(queries, held)
        unit = max(float(scores.std()) * DIGITS, 1e-300)
        scores = np.rint(scores / unit)
        stranger = owner[0][queries][:, None] != owner[1][held]
        own = scores[place, np.searchsorted(held, mates.mate[some])]
        among = np.where(stranger, scores, -np.inf)[place]
        above[some] = (among > own[:, None]).sum(axis=1)
        ties[some] = (among == own[:, None]).sum(axis=1)
        strangers[some] = stranger.sum(axis=1)[place]
    one = np.ones(len(order), dtype=np.int64)
    best = Best(np.arange(len(order)), above, ties, one, one, strangers)
    query, whose, times = np.unique(mates.query, return_inverse=True, return_counts=True)

    def mean(values: Doubles) -> Doubles:
        return np.bincount(whose, weights=values) / times

    first = {pool: mean(first_in_gallery(best, pool)) for pool in pools}
    return Ranked(query, first, mean(1 - (above + ties / 2) / np.maximum(strangers, 1)))


def other_studies(rows: Ints, patient: Ints, study: Ints) -> Mates:
    """Every row with every row of the same patient and another study."""
    order = rows[np.argsort(patient[rows], kind="stable")]
    starts = np.flatnonzero(np.r_[True, np.diff(patient[order]) != 0, True])
    pairs = [
        (one, other)
        for start, stop in pairwise(starts.tolist())
        for one in order[start:stop].tolist()
        for other in order[start:stop].tolist()
        if study[one] != study[other]
    ]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return Mates(both[:, 0], both[:, 1])


def themselves(rows: Ints) -> Mates:
    """Every row with the row of its own record."""
    return Mates(rows, rows)
