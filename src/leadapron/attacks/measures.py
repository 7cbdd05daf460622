"""Which way a measure points. Of nearly all the higher number is the greater risk."""

from __future__ import annotations

LOWER_IS_WORSE = frozenset({"eer"})
"""Errors of the attacker."""


def lower_is_worse(metric: str) -> bool:
    return metric in LOWER_IS_WORSE


def as_risk(metric: str, number: float) -> float:
    """The number, turned over where that is needed: the higher one is the worse, whatever the measure."""
    return -number if lower_is_worse(metric) else number
