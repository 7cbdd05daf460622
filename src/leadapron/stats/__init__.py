"""Statistics that respect who the data are from: patients, not images, are the units."""

from leadapron.stats.alarms import at_false_rate
from leadapron.stats.bootstrap import bootstrap_means, redrawn_means
from leadapron.stats.choice import Best, best_of
from leadapron.stats.estimate import Estimate
from leadapron.stats.outcome import OUTCOMES, Outcome
from leadapron.stats.paired import PairedDifference, mean_difference, share_differences, two_sided_p
from leadapron.stats.shares import (
    FAR,
    added_up,
    exact_limits,
    joined,
    ratio_limits,
    share_limits,
    shares,
    shares_of,
    smallest_seen,
    smallest_seen_by_error,
    usual,
)

__all__ = [
    "FAR",
    "OUTCOMES",
    "Best",
    "Estimate",
    "Outcome",
    "PairedDifference",
    "added_up",
    "at_false_rate",
    "best_of",
    "bootstrap_means",
    "exact_limits",
    "joined",
    "mean_difference",
    "ratio_limits",
    "redrawn_means",
    "share_differences",
    "share_limits",
    "shares",
    "shares_of",
    "smallest_seen",
    "smallest_seen_by_error",
    "two_sided_p",
    "usual",
]
