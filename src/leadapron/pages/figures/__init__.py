"""Figures as SVG made here and now: no script, no library, no network. Those that every report has are named here."""

from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.patient_survival import survival
from leadapron.pages.figures.subgroups import subgroups

__all__ = ["Figure", "subgroups", "survival"]
