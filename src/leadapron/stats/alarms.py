"""A true-positive rate at a false-positive rate: the threshold is known no better than the few alarms that set it.

The interval of the rate at a fixed threshold is widened by how far the threshold itself may be off: to the rates at the
numbers of false alarms at which the wanted rate would just be an end of their own interval. Alarms that share a patient
count for fewer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from scipy.special import betaincinv

from leadapron.stats.estimate import Estimate
from leadapron.stats.shares import LEVEL

TAIL = (1 - LEVEL) / 2


def at_false_rate(
    fixed: Estimate, wanted: float, pairs: float, together: float, rate_at: Callable[[float], float]
) -> Estimate:
    """``fixed`` is the rate at the threshold as it stands, ``rate_at`` what it would be at another false-positive rate.

    ``pairs`` are all that could give a false alarm, of which ``together`` tell as much as one. Where so few alarms are
    expected that none at all would be no surprise, the lower end is zero.
    """
    tries = pairs / together
    fewer, more = _fewest(wanted, tries), _most(wanted, tries)
    strictest = 0.0 if fewer is None else rate_at(fewer)
    value, loosest = fixed.value, rate_at(more)
    low = value - math.hypot(value - fixed.low, max(value - strictest, 0.0)) if fewer is not None else 0.0
    high = value + math.hypot(fixed.high - value, max(loosest - value, 0.0))
    # of a leak by which some are surely recognised, and all others as often as alarms are given
    slack = 1.0 if fewer is None else wanted - fewer
    return replace(fixed, low=max(low, 0.0), high=min(high, 1.0), slack=slack)


def _fewest(wanted: float, tries: float) -> float | None:
    """The largest rate of alarms whose upper end is the wanted one still; None where even no alarm's is above it."""
    if betaincinv(1, tries, 1 - TAIL) > wanted:
        return None
    return _bisected(lambda rate: betaincinv(rate * tries + 1, (1 - rate) * tries, 1 - TAIL) <= wanted, 0.0, wanted)


def _most(wanted: float, tries: float) -> float:
    """The smallest rate of alarms whose lower end is the wanted one already."""
    most = 1.0
    return _bisected(lambda rate: betaincinv(rate * tries, (1 - rate) * tries + 1, TAIL) < wanted, wanted, most)


def _bisected(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where it stops to hold, which it does at ``low``."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
