"""Figures as SVG made here and now: no script, no library, no network. Those that every report has are named here."""

from leadapron.report.figures.figure import Figure
from leadapron.report.figures.patients import survival
from leadapron.report.figures.subgroups import subgroups

__all__ = ["Figure", "subgroups", "survival"]
