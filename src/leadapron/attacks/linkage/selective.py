"""The selective attacker: answers only when sure. How many patients fall to it at 90 % precision?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.ranks import Ranks
from leadapron.attacks.linkage.task import Ints
from leadapron.stats import shares

Floats = NDArray[np.float64]
PRECISION = 0.9
POINTS = 400


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


def patients_linked(hit: Floats, margin: Floats, patient: Ints) -> Selective:
    """How many patients the attacker links who answers as often as it can with nine of ten answers right.

    The threshold is set with the truth at hand, so this bounds what any rule on the same margin can do. The interval is
    that of the share of patients who are linked at this threshold.
    """
    order, last = _surest_first(margin)
    hit = hit[order]
    everybody, compact = np.unique(patient[order], return_inverse=True)
    linked = _linked(hit, compact, last, len(everybody))
    share = shares(linked[:, None], everybody)[0]
    return Selective(round(linked.sum()), share.value, share.low, share.high)


def _surest_first(margin: Floats) -> tuple[Ints, Ints]:
    """The answers in the order in which they are given, and where one may stop: equally sure ones go together."""
    order = np.argsort(-margin, kind="stable")
    ordered = margin[order]
    return order, np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))


def _linked(hit: Floats, patient: Ints, last: Ints, patients: int) -> Floats:
    """For each patient the chance of a hit among the most answers whose precision is high enough."""
    given, right = last + 1, np.cumsum(hit)[last]
    good = np.flatnonzero(right >= PRECISION * given)
    missed = np.ones(patients)
    if len(good):
        answered = slice(0, last[good[-1]] + 1)
        np.multiply.at(missed, patient[answered], 1 - hit[answered])
    return 1 - missed
