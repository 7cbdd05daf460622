"""The selective attacker: answers only when sure. How many patients fall to it at 90 % precision?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.ranks import Ranks
from leadapron.attacks.linkage.task import Ints

Floats = NDArray[np.float64]
PRECISION = 0.9
POINTS = 400
REDRAWS = 300


@dataclass(frozen=True)
class Selective:
    """Patients for whom the attacker is right at least once among the answers that it dares to give."""

    patients: int
    share: float
    low: float
    high: float


def hits(ranks: Ranks) -> Floats:
    """For each query the chance that the candidate with the highest score is the true one: ties share it."""
    return np.where(ranks.above == 0, 1 / (ranks.ties + 1), 0.0)


def precision_coverage(hit: Floats, margin: Floats) -> dict[str, Floats]:
    """Precision among the surest answers, as more and more are given; a few hundred points."""
    order, last = _surest_first(margin)
    right, given = np.cumsum(hit[order])[last], last + 1
    shown = np.unique(np.searchsorted(given, np.geomspace(1, len(hit), POINTS)).clip(max=len(given) - 1))
    return {"coverage": given[shown] / len(hit), "precision": right[shown] / given[shown]}


def patients_linked(hit: Floats, margin: Floats, patient: Ints, seed: int) -> Selective:
    """How many patients the attacker links who answers as often as it can with nine of ten answers right.

    The threshold is set with the truth at hand, so this bounds what any rule on the same margin can do. The interval is
    over redraws of patients, the threshold set anew each time.
    """
    order, last = _surest_first(margin)
    hit, who = hit[order], patient[order]
    everybody = len(np.unique(who))
    _, compact = np.unique(who, return_inverse=True)
    linked = _linked(hit, compact, last, np.ones(everybody))
    rng = np.random.default_rng(seed)
    shares = [
        _linked(hit, compact, last, np.bincount(rng.integers(0, everybody, everybody), minlength=everybody)) / everybody
        for _ in range(REDRAWS)
    ]
    low, high = np.percentile(shares, [2.5, 97.5])
    return Selective(round(linked), linked / everybody, float(low), float(high))


def _surest_first(margin: Floats) -> tuple[Ints, Ints]:
    """The answers in the order in which they are given, and where one may stop: equally sure ones go together."""
    order = np.argsort(-margin, kind="stable")
    ordered = margin[order]
    return order, np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))


def _linked(hit: Floats, patient: Ints, last: Ints, weight: NDArray[Any]) -> float:
    """Patients, each counted by weight, with a hit among the most answers whose precision is high enough."""
    given, right = np.cumsum(weight[patient])[last], np.cumsum(weight[patient] * hit)[last]
    good = np.flatnonzero((right >= PRECISION * given) & (given > 0))
    if not len(good):
        return 0.0
    answered = slice(0, last[good[-1]] + 1)
    missed = np.ones(len(weight))
    np.multiply.at(missed, patient[answered], 1 - hit[answered])
    return float(((1 - missed) * weight).sum())
