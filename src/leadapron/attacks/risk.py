"""The risk: what an attack returns. Frozen; every number with its interval, its chance level and its n."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

import polars as pl

from leadapron.stats import OUTCOMES, Outcome

__all__ = ["OUTCOMES", "Outcome", "Risk", "RiskEstimate"]


@dataclass(frozen=True)
class RiskEstimate:
    """One number of an audit, as a flat row. Fractions, not percent."""

    attack: str
    direction: str
    attacker: str
    group: str | None
    protocol: str
    pool: int
    metric: str
    value: float
    low: float
    high: float
    sd: float
    chance: float
    enrichment: float
    n: int
    patients: int | None = None
    detectable: float | None = None


@dataclass(frozen=True)
class Risk:
    """A whole audit: estimates, outcomes, facts for people, and tables of evidence."""

    attack: str
    estimates: tuple[RiskEstimate, ...]
    outcomes: tuple[Outcome, ...]
    facts: Mapping[str, object]
    timings: Mapping[str, float]
    evidence: Mapping[str, pl.DataFrame] = field(default_factory=dict)

    @property
    def headline(self) -> Mapping[str, str]:
        """Where the verdict is read off: the attacker above all."""
        return cast(Mapping[str, str], self.facts["headline"])
