"""The utility: what a clinician still gets out of a release."""

from leadapron.utility.comparison import UtilityChange, compare_utility
from leadapron.utility.measure import measure_utility
from leadapron.utility.saved import read_utility, write_utility
from leadapron.utility.table import as_table, withheld_labels
from leadapron.utility.utility import Utility, UtilityConfig, UtilityEstimate

__all__ = [
    "Utility",
    "UtilityChange",
    "UtilityConfig",
    "UtilityEstimate",
    "as_table",
    "compare_utility",
    "measure_utility",
    "read_utility",
    "withheld_labels",
    "write_utility",
]
