"""Intervals of what is read off the ROC curve: patients are drawn anew, pairs are re-weighted and never compared again.

A redraw counts patient p w_p times. Same-patient pairs then weigh w_p, which is exact. A strangers' pair of p and q
weighs w_p w_q; to first order that is w_p + w_q − 1, so its part in a figure is twice what the sums by patient say
(Hájek's projection of a U-statistic). A threshold that moves with the redraw moves the equal error along the curve, by
its slope. A true-positive rate at a false-positive rate is a share, and has the interval of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.measure import Swept
from leadapron.attacks.identity.roc import FPRS, cell_at, placements, slope_at, watched_cells
from leadapron.stats import Estimate, at_false_rate, redrawn_means, shares_of

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Reading:
    """A figure with what guessing gives for it."""

    metric: str
    chance: float
    estimate: Estimate


def read_off(swept: Swept, part: int, *, redraws: int, seed: int) -> list[Reading]:
    """AUC, equal error rate and TPR at each FPR, each with its interval, for one of the sets of same-patient pairs."""
    roc, pairs, passed = swept.rocs[part], swept.sets[part], swept.passed
    patient, strangers = swept.patient, swept.strangers
    everybody, people = int(patient.max()) + 1, len(np.unique(pairs.patient))
    placed = placements(pairs.cells, passed.strangers)
    auc = float(placed.mean())
    watched = swept.grid.cells(passed.watched)

    columns = [
        by_patient(np.ones(len(placed)), pairs.patient, everybody),
        by_patient(placed, pairs.patient, everybody),
        by_patient(strangers, patient, everybody),
        by_patient(passed.beaten[:, part], patient, everybody),
    ]
    over = by_patient(passed.over[:, 0], patient, everybody)
    columns += [by_patient(pairs.cells >= watched[0], pairs.patient, everybody), over]
    drawn = redrawn_means(np.stack(columns, axis=1), np.arange(everybody), redraws=redraws, seed=seed)
    sums = np.stack(columns, axis=1).mean(axis=0)
    drawn = drawn[(drawn[:, 0] > 0) & (drawn[:, 2] > 0)]  # a redraw of few patients may have no pair of a kind
    moved_tpr = drawn[:, 4] / drawn[:, 0] - sums[4] / sums[0]
    moved_fpr = 2 * (drawn[:, 5] / drawn[:, 2] - sums[5] / sums[2])
    beaten = sums[3] / sums[2]
    aucs = auc + (drawn[:, 1] / drawn[:, 0] - auc) + 2 * (drawn[:, 3] / drawn[:, 2] - beaten)

    readings = [Reading("auc", 0.5, spread_of(auc, aucs, len(placed), people))]
    cells = watched_cells(roc)
    equal = (roc.fpr[cells[0]] + 1 - roc.tpr[cells[0]]) / 2
    slope = slope_at(roc, cells[0])
    eers = equal + (slope * moved_fpr - moved_tpr) / (1 + slope)
    readings.append(Reading("eer", 0.5, spread_of(float(equal), eers, len(placed), people)))
    by_pairs = columns[0]
    for at, (wanted, cell) in enumerate(zip(FPRS, cells[1:], strict=True), start=1):
        if wanted * roc.strangers >= 2:  # with fewer strangers than that there is no such rate
            fixed = shares_of(by_patient(pairs.cells >= cell, pairs.patient, everybody)[:, None], by_pairs)[0]
            alarms = by_patient(passed.over[:, at], patient, everybody)
            rate = at_false_rate(
                fixed, wanted, roc.strangers / 2, _together(alarms), lambda fpr: float(roc.tpr[cell_at(roc, fpr)])
            )
            readings.append(Reading(f"tpr@fpr={wanted:g}", wanted, rate))
    return readings


def _together(alarms: Doubles) -> float:
    """How many false alarms tell as much as one: a patient who is taken for many others brings many at once.

    ``alarms`` counts those that touch each patient; every alarm touches two.
    """
    pairs = alarms.sum() / 2
    if pairs == 0:
        return 1.0
    return max(1.0, float((alarms @ alarms - 4 * pairs**2 / len(alarms)) / pairs - 1))


def by_patient(values: NDArray[Any], who: Ints, everybody: int) -> Doubles:
    """Sums over the rows of each patient."""
    sums: Doubles = np.bincount(who, weights=values, minlength=everybody).astype(np.float64)
    return sums


def spread_of(value: float, redrawn: Doubles, n: int, patients: int) -> Estimate:
    low, high = np.percentile(np.clip(redrawn, 0, 1), [2.5, 97.5])
    return Estimate(value, float(low), float(high), float(redrawn.std(ddof=1)), n, patients)
