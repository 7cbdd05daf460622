"""Shares of what is flagged where some images, or patients, that must not be flagged set the threshold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.stats import FAR, Estimate, at_false_rate, shares, usual

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


def threshold_at(null: Doubles, rate: float) -> float:
    """The score that at most this share of ``null`` lies above."""
    return float(np.sort(null)[::-1][min(int(np.floor(rate * len(null))), len(null) - 1)])


def flagged(null: Doubles, null_owner: Ints, scores: Doubles, owner: Ints, rate: float) -> tuple[Estimate, Doubles]:
    """The share of ``scores`` above the threshold at which ``rate`` of ``null`` is, and which they are.

    The interval allows for patients who are flagged together, and for the threshold, which few images set.
    """

    def above(wanted: float) -> Doubles:
        return (scores > threshold_at(null, wanted)).astype(np.float64)

    fixed = shares(above(rate)[:, None], owner)[0]
    sizes = np.bincount(np.unique(null_owner, return_inverse=True)[1]).astype(np.float64)
    estimate = at_false_rate(fixed, rate, float(len(null)), usual(sizes), lambda wanted: float(above(wanted).mean()))
    return estimate, above(rate)


def area(null: Doubles, scores: Doubles) -> tuple[Estimate, Doubles]:
    """AUC of one score a patient, with DeLong's interval, and every patient's share of others who score lower."""
    ranked, others = np.sort(null), np.sort(scores)

    def placed(values: Doubles, among: Doubles) -> Doubles:
        below, not_above = (np.searchsorted(among, values, side=side) for side in ("left", "right"))
        shares_below: Doubles = (below + not_above) / (2 * len(among))
        return shares_below

    mine, theirs = placed(scores, ranked), placed(null, others)
    value = float(mine.mean())
    sd = float(np.sqrt(mine.var(ddof=1) / len(mine) + theirs.var(ddof=1) / len(theirs)))
    low, high = max(0.0, value - FAR * sd), min(1.0, value + FAR * sd)
    return Estimate(value, low, high, sd, len(mine), len(mine)), mine
