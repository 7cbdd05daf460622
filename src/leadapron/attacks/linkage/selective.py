"""The selective attacker: answers only when sure. How many patients fall to it at 90 % precision?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.linkage_task import Ints
from leadapron.attacks.linkage.ranks import Ranks
from leadapron.stats import share_limits

Floats = NDArray[np.float64]
PRECISION = 0.9
POINTS = 400
STEP = 1.1
"""By which the number of answers changes in the search for how many may be given."""


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

    The threshold is set with the truth at hand, so this bounds what any rule on the same margin can do. How many
    answers may be given is itself not known exactly: the lower end is of fewer, nine of ten of which are surely right,
    the upper end of as many as might be.
    """
    order, last = _surest_first(margin)
    _, compact = np.unique(patient[order], return_inverse=True)
    answers = _Answers(hit[order], compact, last)
    good = np.flatnonzero(np.cumsum(answers.hit)[last] >= PRECISION * (last + 1))
    stop = int(good[-1]) if len(good) else -1
    fewer, more = stop, stop + 1
    while fewer >= 0 and answers.precision(fewer)[0] < PRECISION:
        fewer = int(np.searchsorted(last, (last[fewer] + 1) / STEP - 1, side="right")) - 1
    while more < len(last) and answers.precision(more)[1] >= PRECISION:
        more = int(np.searchsorted(last, (last[more] + 1) * STEP, side="right"))
    linked, least, most = (answers.linked(at) for at in (stop, fewer, min(more, len(last) - 1)))
    everybody = np.ones(len(linked))
    low, high = share_limits(least, everybody)[0], share_limits(most, everybody)[1]
    return Selective(round(linked.sum()), float(linked.mean()), low, high)


@dataclass(frozen=True)
class _Answers:
    """The surest first; one may stop after each of ``last``."""

    hit: Floats
    patient: Ints
    last: Ints

    def linked(self, stop: int) -> Floats:
        """For each patient the chance that one of the answers given is right."""
        answered = slice(0, self.last[stop] + 1 if stop >= 0 else 0)
        missed = np.ones(int(self.patient.max()) + 1)
        np.multiply.at(missed, self.patient[answered], 1 - self.hit[answered])
        return 1 - missed

    def precision(self, stop: int) -> tuple[float, float]:
        """The limits of the share of the answers given that are right."""
        answered = slice(0, self.last[stop] + 1)
        given = np.bincount(self.patient[answered]).astype(np.float64)
        right = np.bincount(self.patient[answered], weights=self.hit[answered]).astype(np.float64)
        return share_limits(right[given > 0], given[given > 0])


def _surest_first(margin: Floats) -> tuple[Ints, Ints]:
    """The answers in the order in which they are given, and where one may stop: equally sure ones go together."""
    order = np.argsort(-margin, kind="stable")
    ordered = margin[order]
    return order, np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
