"""Statistics that respect who the data are from: patients, not images, are the units."""

from leadapron.stats.alarms import at_false_rate
from leadapron.stats.bootstrap import bootstrap_means, redrawn_means
from leadapron.stats.estimate import Estimate
from leadapron.stats.outcome import OUTCOMES, Outcome
from leadapron.stats.paired import (
    PairedDifference,
    difference_limits,
    mean_difference,
    paired_shares,
    ratio_limits,
    share_differences,
    two_sided_p,
)
from leadapron.stats.shares import exact_limits, shares, shares_of, smallest_seen, smallest_seen_by_error

__all__ = [
    "OUTCOMES",
    "Estimate",
    "Outcome",
    "PairedDifference",
    "at_false_rate",
    "bootstrap_means",
    "difference_limits",
    "exact_limits",
    "mean_difference",
    "paired_shares",
    "ratio_limits",
    "redrawn_means",
    "share_differences",
    "shares",
    "shares_of",
    "smallest_seen",
    "smallest_seen_by_error",
    "two_sided_p",
]
