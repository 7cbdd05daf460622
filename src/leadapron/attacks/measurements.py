"""Measurements: what the stages of an audit add up to, each number with its interval."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.measures import lower_is_worse
from leadapron.attacks.risk import RiskEstimate
from leadapron.attacks.withheld import FEWEST_PATIENTS, told
from leadapron.stats import FAR, Estimate, bootstrap_means, shares, smallest_seen, smallest_seen_by_error

Floats = NDArray[np.float64]
PARTS = ("apart", "matched")
"""Protocols in which only some of what is attacked takes part."""


@dataclass
class Measurements:
    """``by_patient``: patients are the units of intervals, without any draw; else rows are, which are redrawn."""

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
        """Shares over patients; as published, over redraws of rows, where patients are not the units."""
        if self.by_patient:
            return shares(columns, patient)
        rows = bootstrap_means(columns, np.arange(len(patient)), redraws=self.redraws, seed=self.seed)
        return [replace(row, patients=len(np.unique(patient)), tries=float(len(patient))) for row in rows]

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
        """A number, unless it is of so few that it would speak of people.

        An interval over redraws may miss the estimate itself; what is told holds it.
        """
        if estimate.n < FEWEST_PATIENTS and (protocol in PARTS or metric.startswith("patient-")):
            return
        seen: float | None = None  # of a handful of patients it would tell how many they are
        if estimate.tries is None:
            below = lower_is_worse(metric)
            towards_guessing = estimate.high - estimate.value if below else estimate.value - estimate.low
            seen = smallest_seen_by_error(guess, towards_guessing / FAR, below=below)
        elif told(estimate.patients) is not None:
            seen = smallest_seen(guess, estimate.tries, estimate.slack)
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
                value=estimate.value,
                low=min(estimate.low, estimate.value),
                high=max(estimate.high, estimate.value),
                sd=estimate.sd,
                n=estimate.n,
                patients=told(estimate.patients),
                detectable=seen,
            )
        )


def spread(estimates: list[Estimate]) -> dict[str, list[float]]:
    """Estimates as columns."""
    return {name: [getattr(estimate, name) for estimate in estimates] for name in ("value", "low", "high")}
