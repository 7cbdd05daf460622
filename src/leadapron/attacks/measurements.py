"""Measurements: what the stages of an audit add up to, each number with its interval."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.risk import RiskEstimate
from leadapron.attacks.withheld import FEWEST_PATIENTS, told
from leadapron.stats import Estimate, bootstrap_means

Floats = NDArray[np.float64]
PARTS = ("apart", "matched")
"""Protocols in which only some of what is attacked takes part."""


@dataclass
class Measurements:
    """``by_patient`` is what the bootstrap draws; else it draws rows."""

    attack: str
    by_patient: bool
    redraws: int
    seed: int
    estimates: list[RiskEstimate] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.timings[name] = self.timings.get(name, 0.0) + time.perf_counter() - start

    def means(self, columns: Floats, patient: NDArray[np.int64]) -> list[Estimate]:
        unit = patient if self.by_patient else np.arange(len(patient))
        return bootstrap_means(columns, unit, redraws=self.redraws, seed=self.seed)

    def add(
        self,
        direction: str,
        attacker: str,
        pool: int,
        metric: str,
        guess: float,
        estimate: Estimate,
        *,
        protocol: str = "random",
        group: str | None = None,
    ) -> None:
        """A number, unless it is of so few that it would speak of people."""
        if estimate.n < FEWEST_PATIENTS and (protocol in PARTS or metric.startswith("patient-")):
            return
        self.estimates.append(
            RiskEstimate(
                attack=self.attack,
                direction=direction,
                attacker=attacker,
                group=group,
                protocol=protocol,
                pool=pool,
                metric=metric,
                chance=guess,
                enrichment=estimate.value / guess,
                **{**asdict(estimate), "patients": told(estimate.patients)},
            )
        )


def spread(estimates: list[Estimate]) -> dict[str, list[float]]:
    """Estimates as columns."""
    return {name: [getattr(estimate, name) for estimate in estimates] for name in ("value", "low", "high")}
