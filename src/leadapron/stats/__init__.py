"""Statistics that respect who the data are from: patients, not images, are what is drawn anew."""

from leadapron.stats.bootstrap import Estimate, bootstrap_means
from leadapron.stats.paired import PairedDifference, paired_difference

__all__ = ["Estimate", "PairedDifference", "bootstrap_means", "paired_difference"]
