"""Statistics that respect who the data are from: patients, not images, are what is drawn anew."""

from leadapron.stats.bootstrap import Estimate, bootstrap_means, redrawn_means
from leadapron.stats.outcome import OUTCOMES, Outcome
from leadapron.stats.paired import PairedDifference, paired_difference, paired_differences, two_sided_p

__all__ = [
    "OUTCOMES",
    "Estimate",
    "Outcome",
    "PairedDifference",
    "bootstrap_means",
    "paired_difference",
    "paired_differences",
    "redrawn_means",
    "two_sided_p",
]
