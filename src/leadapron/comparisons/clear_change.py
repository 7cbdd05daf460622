"""Whether a number got clearly worse, clearly better, or neither, by the interval of its paired difference."""

from __future__ import annotations

from typing import Literal

from leadapron.audits.measure import Measure
from leadapron.stats import PairedDifference

Status = Literal["worse", "better", "no clear change"]
"""More risk is worse, and so is less use."""


def more_risk(measure: Measure, change: PairedDifference) -> bool | None:
    """Whether all of the interval is on the side of more risk (or less use), or all on the other; None: neither."""
    low, high = sorted(map(measure.as_risk, (change.low, change.high)))
    return True if low > 0 else False if high < 0 else None


def status_of(measure: Measure, change: PairedDifference) -> Status:
    worse = more_risk(measure, change)
    return "no clear change" if worse is None else "worse" if worse else "better"
