"""Intervals of what is read off the ROC curve: patients are the units, and nothing is drawn or compared again.

Same-patient pairs are shares of patients' pairs, and have the limits of shares. A strangers' pair belongs to two
patients; to first order its part in a figure is twice what the sums by patient say (Hájek's projection of a
U-statistic). Both parts are put together by their squares. A threshold that is not known exactly moves a true-positive
rate along the curve.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.pair_sweeps import Swept
from leadapron.attacks.identity.roc import FPRS, cell_at, placements, watched_cells
from leadapron.stats import FAR, Estimate, at_false_rate, exact_limits, joined, share_limits, shares_of

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Reading:
    """A figure with what guessing gives for it."""

    metric: str
    chance: float
    estimate: Estimate


@dataclass(frozen=True)
class Sums:
    """Sums by patient over a set of same-patient pairs, and over all strangers."""

    swept: Swept
    part: int

    @cached_property
    def pairs(self) -> Doubles:
        return self.over_pairs(np.ones(len(self.swept.sets[self.part].cells)))

    @cached_property
    def strangers(self) -> Doubles:
        return self.over_strangers(self.swept.strangers)

    def reached(self, cell: int) -> Doubles:
        """Same-patient pairs that score at least a cell."""
        return self.over_pairs(self.swept.sets[self.part].cells >= cell)

    def alarms(self, watched: int) -> Doubles:
        """Strangers who score at least a watched threshold."""
        return self.over_strangers(self.swept.passed.over[:, watched])

    def over_pairs(self, values: NDArray[Any]) -> Doubles:
        return self._by_patient(values, self.swept.sets[self.part].patient)

    def over_strangers(self, values: NDArray[Any]) -> Doubles:
        return self._by_patient(values, self.swept.patient)

    def _by_patient(self, values: NDArray[Any], who: Ints) -> Doubles:
        return np.bincount(who, weights=values, minlength=int(self.swept.patient.max()) + 1).astype(np.float64)


def read_off(swept: Swept, part: int) -> list[Reading]:
    """AUC, equal error rate and TPR at each FPR, each with its interval, for one of the sets of same-patient pairs."""
    roc, sums = swept.rocs[part], Sums(swept, part)
    cells = watched_cells(roc)
    readings = [Reading("auc", 0.5, _auc(sums)), Reading("eer", 0.5, _equal_error(sums, cells[0]))]
    for at, (wanted, cell) in enumerate(zip(FPRS, cells[1:], strict=True), start=1):
        if wanted * roc.strangers >= 2:  # with fewer strangers than that there is no such rate
            fixed = shares_of(sums.reached(cell)[:, None], sums.pairs)[0]
            crowd = together(sums.alarms(at), sums.strangers)
            rate = at_false_rate(fixed, wanted, roc.strangers / 2, crowd, lambda fpr: float(roc.tpr[cell_at(roc, fpr)]))
            readings.append(Reading(f"tpr@fpr={wanted:g}", wanted, rate))
    return readings


def _auc(sums: Sums) -> Estimate:
    """The patient who is imagined has as many pairs as others on average: an AUC is no share of rare hits."""
    placed = placements(sums.swept.sets[sums.part].cells, sums.swept.passed.strangers)
    value, there = float(placed.mean()), sums.pairs > 0
    places, beaten = sums.over_pairs(placed), sums.over_strangers(sums.swept.passed.beaten[:, sums.part])
    low, high = share_limits(places[there], sums.pairs[there], imagined=float(sums.pairs[there].mean()))
    own = (places - value * sums.pairs) / len(placed)
    others = 2 * (beaten - beaten.sum() / sums.strangers.sum() * sums.strangers) / sums.strangers.sum()
    more = float(np.sqrt(len(own) / (len(own) - 1)))
    length = float(np.linalg.norm(own) * np.linalg.norm(others))
    alike = float(own @ others) / length if length > 0 else 0.0
    of_strangers = FAR * more * float(np.linalg.norm(others))
    return Estimate(
        value,
        max(0.0, value - joined(value - low, of_strangers, alike)),
        min(1.0, value + joined(high - value, of_strangers, alike)),
        more * float(np.linalg.norm(own + others)),
        len(placed),
        int(there.sum()),
    )


def _equal_error(sums: Sums, cell: int) -> Estimate:
    """At any threshold it lies between the two errors there: the limits are where those of the errors meet."""
    roc, there = sums.swept.rocs[sums.part], sums.pairs > 0
    crowd, pairs = together(sums.alarms(0), sums.strangers), sums.pairs[there]

    def errors(cell: int, end: int) -> tuple[float, float]:
        """The lower limits of alarms and misses, or the upper ones."""
        reached = share_limits(sums.reached(cell)[there], pairs, imagined=float(pairs.mean()))
        return alarm_limits(float(roc.fpr[cell]), sums.strangers, crowd)[end], 1 - reached[1 - end]

    value = float(roc.fpr[cell] + 1 - roc.tpr[cell]) / 2
    ends = []
    for end in (0, 1):
        few, many = 0, len(roc.fpr) - 1  # at the first cell everybody gives alarm, at the last nobody
        while many - few > 1:
            middle = (few + many) // 2
            alarm, miss = errors(middle, end)
            few, many = (middle, many) if alarm > miss else (few, middle)
        (alarm, miss), (fewer_alarms, more_missed) = errors(few, end), errors(many, end)
        ends.append(min(alarm, more_missed) if end else max(miss, fewer_alarms))
    low, high = min(ends[0], value), max(ends[1], value)
    return Estimate(value, low, high, (high - low) / (2 * FAR), roc.pairs, int(there.sum()))


def alarm_limits(fpr: float, strangers: Doubles, crowd: float) -> tuple[float, float]:
    """The limits of a false-positive rate; ``strangers`` are those whom each patient meets."""
    tries = float(strangers.sum()) / 2 / crowd
    low, high = exact_limits(fpr * tries, tries)
    return float(low), float(high)


def together(alarms: Doubles, strangers: Doubles) -> float:
    """How many false alarms tell as much as one: a patient who is taken for many others brings many at once.

    ``alarms`` are those of the ``strangers`` of each patient; every alarm touches two patients. Its number scatters as
    the patients' parts in it, less what each would by itself, which stands in two of these.
    """
    rate, pairs = alarms.sum() / strangers.sum(), alarms.sum() / 2
    if rate in (0.0, 1.0):
        return 1.0
    off = alarms - rate * strangers
    return max(1.0, float(off @ off) / float(pairs * (1 - rate)) - 1)
