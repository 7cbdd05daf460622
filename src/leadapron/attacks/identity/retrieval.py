"""Retrieval: what a query's standing means for mAP@R, R-precision, precision@1, CMC and galleries of any size.

Ties are broken at random, and every figure is the expectation over that. With g strangers above a query's best mate, e
level with it and t mates on that level, at least u of the e come before the first of the t with probability
C(e − u + t, t) / C(e + t, t).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from leadapron.attacks.identity.standing import Standing, mates_of
from leadapron.engine import kernel

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

FINE = 64
"""Ties are added up one by one as far as here, and beyond in stretches of a 64th of the way gone."""


@dataclass(frozen=True)
class Best:
    """Of every query that has a mate: strangers above its best mate and level with it, mates on that level, and all."""

    query: Ints
    above: Ints
    ties: Ints
    tied_mates: Ints
    mates: Ints
    strangers: Ints

    def only(self, kept: NDArray[np.bool_]) -> Best:
        return Best(*(getattr(self, field.name)[kept] for field in fields(self)))


def best_of(standing: Standing, strangers: Ints) -> Best:
    """``strangers`` is how many each query met; queries without a mate are left out."""
    mates = mates_of(standing.levels)
    query = np.flatnonzero(mates)
    best = standing.best[query]
    above, ties, tied = standing.above[best], standing.ties[best], standing.levels.count[best]
    return Best(query, above, ties, tied, mates[query], strangers[query])


def average_precision(standing: Standing) -> tuple[Doubles, Doubles]:
    """AP@R and R-precision of each query that has a mate, R being the number of its mates."""
    levels, mates = standing.levels, mates_of(standing.levels)
    average, share = (np.zeros(len(mates)) for _ in range(2))
    _at_r(levels.start, levels.count, standing.above, standing.ties, mates, average, share)
    return average[mates > 0], share[mates > 0]


@kernel
def _at_r(start: Ints, count: Ints, above: Ints, ties: Ints, mates: Ints, average: Doubles, share: Doubles) -> None:
    """Within a level of p mates and q strangers every order is equally likely."""
    for query in range(len(start) - 1):
        wanted, found, precise, right = mates[query], 0, 0.0, 0.0
        if wanted == 0:
            continue
        for place in range(start[query + 1] - 1, start[query] - 1, -1):
            here, level = found + above[place], count[place] + ties[place]
            for step in range(min(level, wanted - here)):
                chance = count[place] / level
                before = found + (count[place] - 1) * step / max(level - 1, 1)
                precise += chance * (before + 1) / (here + step + 1)
                right += chance
            found += count[place]
            if here + level >= wanted:
                break
        average[query], share[query] = precise / wanted, right / wanted


def first_in_gallery(best: Best, pool: int) -> Doubles:
    """The chance that a mate comes first in a gallery of all mates and ``pool`` − 1 strangers' images drawn."""
    drawn = np.minimum(pool - 1, best.strangers)
    none_above = _none_drawn(best.above, best.strangers, drawn)
    tied = np.flatnonzero((best.ties > 0) & (none_above > 0))
    if len(tied):
        columns = best.above, best.ties, best.tied_mates, best.strangers, drawn
        cases = np.stack([column[tied] for column in columns], axis=1)
        cases, which = np.unique(cases, axis=0, return_inverse=True)
        none_above[tied] = np.array([_first_among_ties(*case) for case in cases.tolist()])[which.ravel()]
    return none_above


def _first_among_ties(above: int, ties: int, tied_mates: int, strangers: int, drawn: int) -> float:
    edges = _stretches(ties + 1)
    at_least = _tail(np.full(len(edges), ties), np.full(len(edges), tied_mates), edges)
    middle = (edges[:-1] + edges[1:] - 1) / 2
    none = _none_drawn(above + middle, np.full(len(middle), strangers), np.full(len(middle), drawn))
    return float((-np.diff(at_least) * none).sum())


def _stretches(length: int) -> Ints:
    edges = [0]
    while edges[-1] < length:
        edges.append(min(length, edges[-1] + 1 + edges[-1] // FINE))
    return np.array(edges)


def _none_drawn(marked: Doubles | Ints, strangers: Ints, drawn: Ints) -> Doubles:
    """The chance that none of the marked is among those drawn."""
    chance: Doubles = np.exp(_log_choose(strangers - marked, drawn) - _log_choose(strangers, drawn))
    return chance


def _log_choose(n: Doubles | Ints, k: Ints | int) -> Doubles:
    ways = gammaln(n + 1.0) - gammaln(np.asarray(k) + 1.0) - gammaln(np.maximum(n - k, 0) + 1.0)
    return np.where(np.asarray(n) >= k, ways, -np.inf)


def found_within(best: Best, rank: int) -> Doubles:
    """The chance that a mate is among the first ``rank`` of the whole gallery: the CMC curve, query by query."""
    spare = rank - best.above  # the first mate may come behind fewer ties than that
    behind = np.clip(spare, 0, best.ties + 1)
    return np.where(spare > 0, 1 - _tail(best.ties, best.tied_mates, behind), 0.0)


def _tail(ties: Ints, tied_mates: Ints, least: Ints) -> Doubles:
    """The chance that ``least`` or more of the ties come before the first of the tied mates."""
    ways = _log_choose(np.maximum(ties - least, 0) + tied_mates, tied_mates)
    return np.where(least > ties, 0.0, np.exp(ways - _log_choose(ties + tied_mates, tied_mates)))


def chance_first(best: Best, pool: int) -> Doubles:
    """What guessing gives for ``first_in_gallery``."""
    chance: Doubles = best.mates / (best.mates + np.minimum(pool - 1, best.strangers))
    return chance


def chance_at_r(best: Best) -> tuple[float, float]:
    """What guessing gives for mAP@R and R-precision."""
    mates, size = best.mates, best.mates + best.strangers
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, mates.max() + 1))])[mates]
    later = (mates - 1) / np.maximum(size - 1, 1)
    average = (harmonic * (1 - later) + mates * later) / size
    return float(average.mean()), float((mates / size).mean())
