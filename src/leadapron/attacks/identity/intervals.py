"""Intervals of what is read off the ROC curve: patients are drawn anew, pairs are re-weighted and never compared again.

A redraw counts patient p w_p times. Same-patient pairs then weigh w_p, which is exact. A strangers' pair of p and q
weighs w_p w_q; to first order that is w_p + w_q − 1, so its part in a figure is twice what the sums by patient say
(Hájek's projection of a U-statistic). A threshold that moves with the redraw moves TPR along the curve, by its slope.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.measure import Swept
from leadapron.attacks.identity.roc import FPRS, placements, slope_at, watched_cells
from leadapron.stats import Estimate, redrawn_means

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
    everybody = int(patient.max()) + 1
    placed = placements(pairs.cells, passed.strangers)
    auc = float(placed.mean())
    watched = swept.grid.cells(passed.watched)

    columns = [
        by_patient(np.ones(len(placed)), pairs.patient, everybody),
        by_patient(placed, pairs.patient, everybody),
        by_patient(strangers, patient, everybody),
        by_patient(passed.beaten[:, part], patient, everybody),
    ]
    for at, cell in enumerate(watched[: 1 + len(FPRS)]):
        over = passed.over[:, at]
        columns += [by_patient(pairs.cells >= cell, pairs.patient, everybody), by_patient(over, patient, everybody)]
    drawn = redrawn_means(np.stack(columns, axis=1), np.arange(everybody), redraws=redraws, seed=seed)
    sums = np.stack(columns, axis=1).mean(axis=0)
    drawn = drawn[(drawn[:, 0] > 0) & (drawn[:, 2] > 0)]  # a redraw of few patients may have no pair of a kind
    tprs, fprs = drawn[:, 4::2] / drawn[:, :1], drawn[:, 5::2] / drawn[:, 2:3]
    tpr, fpr = sums[4::2] / sums[0], sums[5::2] / sums[2]
    moved_tpr, moved_fpr = tprs - tpr, 2 * (fprs - fpr)
    beaten = sums[3] / sums[2]
    aucs = auc + (drawn[:, 1] / drawn[:, 0] - auc) + 2 * (drawn[:, 3] / drawn[:, 2] - beaten)

    readings = [Reading("auc", 0.5, spread_of(auc, aucs, len(placed)))]
    cells = watched_cells(roc)
    equal = (roc.fpr[cells[0]] + 1 - roc.tpr[cells[0]]) / 2
    slope = slope_at(roc, cells[0])
    eers = equal + (slope * moved_fpr[:, 0] - moved_tpr[:, 0]) / (1 + slope)
    readings.append(Reading("eer", 0.5, spread_of(float(equal), eers, len(placed))))
    for at, (wanted, cell) in enumerate(zip(FPRS, cells[1:], strict=True), start=1):
        if wanted * roc.strangers >= 2:  # with fewer strangers than that there is no such rate
            values = roc.tpr[cell] + moved_tpr[:, at] - slope_at(roc, cell) * moved_fpr[:, at]
            name = f"tpr@fpr={wanted:g}"
            readings.append(Reading(name, wanted, spread_of(float(roc.tpr[cell]), values, len(placed))))
    return readings


def by_patient(values: NDArray[Any], who: Ints, everybody: int) -> Doubles:
    """Sums over the rows of each patient."""
    sums: Doubles = np.bincount(who, weights=values, minlength=everybody).astype(np.float64)
    return sums


def spread_of(value: float, redrawn: Doubles, n: int) -> Estimate:
    low, high = np.percentile(np.clip(redrawn, 0, 1), [2.5, 97.5])
    return Estimate(value, float(low), float(high), float(redrawn.std(ddof=1)), n)
