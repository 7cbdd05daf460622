"""An estimate: a number with its interval and what it rests on. No bare float is a risk."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A mean, the ends of its 95 % interval, its standard error, and how many rows it is of."""

    value: float
    low: float
    high: float
    sd: float
    n: int
    patients: int | None = None
    """How many patients the rows are of."""
    tries: float | None = None
    """Of a share: how many independent rows would tell as much."""
    slack: float = 0.0
    """Of a share at a threshold: by how much it may be lower because the threshold is not known exactly."""
    among: int = 1
    """Of how many rivals it is the best: see ``choice``."""
