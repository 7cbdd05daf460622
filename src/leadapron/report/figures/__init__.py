"""The figures of the report, as SVG made here and now: no script, no library, no network."""

from leadapron.report.figures.attackers import random_against_hard, side_by_side
from leadapron.report.figures.curves import enrichment, pool_size
from leadapron.report.figures.figure import Figure
from leadapron.report.figures.patients import survival
from leadapron.report.figures.selective import precision_coverage
from leadapron.report.figures.subgroups import subgroups

FIGURES = (
    pool_size,
    random_against_hard,
    enrichment,
    side_by_side,
    precision_coverage,
    survival,
    subgroups,
)
"""In the order in which they appear."""

__all__ = ["FIGURES", "Figure"]
