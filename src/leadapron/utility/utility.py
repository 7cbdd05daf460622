"""The utility: what a release is still good for. Frozen; every number with its interval, its chance level and its n."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from leadapron.errors import ConfigError
from leadapron.stats import Outcome

UNITS = ("patient", "record")
STRENGTHS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)
FEWEST_REDRAWS = 100


@dataclass(frozen=True)
class UtilityConfig:
    """What is asked. Of several L2 strengths of the probe the validation split chooses; a single one is taken as is."""

    resample: str = "patient"
    redraws: int = 1000
    strengths: tuple[float, ...] = STRENGTHS
    seed: int = 0

    def __post_init__(self) -> None:
        if self.resample not in UNITS:
            raise ConfigError("unknown unit to resample", got=self.resample, allowed=", ".join(UNITS))
        if self.redraws < FEWEST_REDRAWS:
            raise ConfigError("too few redraws for an interval", got=self.redraws, allowed=f"{FEWEST_REDRAWS} or more")
        if not self.strengths or not all(0 < strength < float("inf") for strength in self.strengths):
            raise ConfigError(
                "the L2 strength of the probe is out of range", got=self.strengths, allowed="numbers above 0"
            )


@dataclass(frozen=True)
class UtilityEstimate:
    """One number, as a flat row. Fractions, not percent. Without a label it is the mean over labels, or has none.

    ``chance`` is what is got without looking at the image. ``n`` records of ``patients`` patients were judged, of which
    ``positives`` records show the finding; ``smallest_class`` is the number of patients with it, or without it,
    whichever is smaller.
    """

    metric: str
    label: str | None
    value: float
    low: float
    high: float
    sd: float
    chance: float
    n: int
    patients: int
    positives: int | None = None
    smallest_class: int | None = None


@dataclass(frozen=True)
class Utility:
    """A whole measurement. ``evidence["records"]`` holds the truth and the scores of every test record.

    ``card`` says where it comes from (inputs, versions, command); it is empty until it is written.
    """

    config: UtilityConfig
    estimates: tuple[UtilityEstimate, ...]
    outcomes: tuple[Outcome, ...]
    facts: Mapping[str, object]
    evidence: Mapping[str, pl.DataFrame]
    timings: Mapping[str, float] = field(default_factory=dict)
    card: Mapping[str, object] = field(default_factory=dict)
