"""Results: the numbers of an audit as typed, frozen documents, in memory and on disk."""

from leadapron.results.audit_results import About, Attacked, Findings, FittedOn, Inputs, Results, Subject
from leadapron.results.measured import GroupTest, Measured, Spot
from leadapron.results.results_folder import read_results, save_results

__all__ = [
    "About",
    "Attacked",
    "Findings",
    "FittedOn",
    "GroupTest",
    "Inputs",
    "Measured",
    "Results",
    "Spot",
    "Subject",
    "read_results",
    "save_results",
]
