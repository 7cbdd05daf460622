"""The utility: what a clinician still gets out of a release."""

from leadapron.uses.utility_audit import UTILITY, UtilityConfig, measure_utility

__all__ = ["UTILITY", "UtilityConfig", "measure_utility"]
