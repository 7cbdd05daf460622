"""The selective attacker: answers only when sure. How many patients fall to it at 90 % precision?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.ranks import Ranks
from leadapron.attacks.linkage.task import Ints, Task

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


def hits(task: Task, ranks: Ranks) -> Floats:
    """For each query the chance that the text with the highest score is the true one: ties share it."""
    own = task.database.text_of[task.truth]
    return np.where(ranks.best == own, 1 / task.database.copies[own], 0.0)


def precision_coverage(hit: Floats, margin: Floats) -> dict[str, Floats]:
    """Precision among the surest answers, as more and more are given; a few hundred points."""
    right = np.cumsum(hit[np.argsort(-margin, kind="stable")])
    given = np.arange(1, len(hit) + 1)
    shown = np.unique(np.geomspace(1, len(hit), POINTS).astype(int)) - 1
    return {"coverage": given[shown] / len(hit), "precision": right[shown] / given[shown]}


def patients_linked(hit: Floats, margin: Floats, patient: Ints, seed: int) -> Selective:
    """How many patients the attacker links who answers as often as it can with nine of ten answers right.

    The threshold is set with the truth at hand, so this bounds what any rule on the same margin can do. The interval is
    over redraws of patients, the threshold set anew each time.
    """
    order = np.argsort(-margin, kind="stable")
    hit, who = hit[order], patient[order]
    everybody = len(np.unique(who))
    _, compact = np.unique(who, return_inverse=True)
    linked = _linked(hit, compact, np.ones(everybody), everybody)
    rng = np.random.default_rng(seed)
    shares = [
        _linked(hit, compact, np.bincount(rng.integers(0, everybody, everybody), minlength=everybody), everybody)
        / everybody
        for _ in range(REDRAWS)
    ]
    low, high = np.percentile(shares, [2.5, 97.5])
    return Selective(round(linked), linked / everybody, float(low), float(high))


def _linked(hit: Floats, patient: Ints, weight: NDArray[Any], everybody: int) -> float:
    """Patients, each counted by weight, with a hit among the most answers whose precision is high enough."""
    given, right = np.cumsum(weight[patient]), np.cumsum(weight[patient] * hit)
    good = np.flatnonzero((right >= PRECISION * given) & (given > 0))
    if not len(good):
        return 0.0
    answered = slice(0, good[-1] + 1)
    missed = np.ones(everybody)
    np.multiply.at(missed, patient[answered], 1 - hit[answered])
    return float(((1 - missed) * weight).sum())
