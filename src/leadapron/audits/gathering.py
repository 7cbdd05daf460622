"""Gathering: what the stages of an audit add up to, each number with its interval, worded by a declared measure."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.audits.audit import Audit
from leadapron.results import Measured
from leadapron.results.withheld import FEWEST_PATIENTS, told
from leadapron.stats import (
    FAR,
    Estimate,
    bootstrap_means,
    exact_limits,
    shares,
    smallest_seen,
    smallest_seen_by_error,
)  # fmt: skip

Floats = NDArray[np.float64]
NARROWEST = 1e-5
"""An interval of patients that is narrower has no width that could be written."""


@dataclass
class Gathering:
    """``by_patient``: patients are the units of intervals, without any draw; else rows are, which are redrawn."""

    audit: Audit
    by_patient: bool = True
    redraws: int = 0
    seed: int = 0
    estimates: list[Measured] = field(default_factory=list)
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
        metric: str,
        estimate: Estimate,
        *,
        attacker: str,
        chance: float,
        group: str | None = None,
        **at: str | int | float,
    ) -> Measured:
        """A number with its coordinates. An interval over redraws may miss the estimate itself; what is told holds it.

        A metric or coordinate that the audit does not declare is refused.
        """
        estimate = self._with_width(metric, estimate)
        row = Measured(
            metric=metric,
            attacker=attacker,
            group=group,
            value=estimate.value,
            low=min(estimate.low, estimate.value),
            high=max(estimate.high, estimate.value),
            sd=estimate.sd,
            chance=chance,
            n=estimate.n,
            patients=told(estimate.patients),
            detectable=self._detectable(metric, chance, estimate),
            **at,
        )
        self.audit.check(row)
        self.estimates.append(row)
        return row

    def add_of_some(self, metric: str, estimate: Estimate, **where: Any) -> Measured | None:  # noqa: ANN401
        """A number of a part of those under attack, unless they are so few that it would speak of people."""
        return None if estimate.n < FEWEST_PATIENTS else self.add(metric, estimate, **where)

    def _with_width(self, metric: str, estimate: Estimate) -> Estimate:
        """Never and always do not scatter, and are no more certain for that: Clopper and Pearson say how certain."""
        if self.audit.measure_of(metric).scale == "plain" or estimate.high - estimate.low >= NARROWEST:
            return estimate
        tries = estimate.tries or float(estimate.patients or estimate.n)
        low, high = exact_limits(estimate.value * tries, tries)
        return replace(estimate, low=float(low), high=float(high))

    def _detectable(self, metric: str, chance: float, estimate: Estimate) -> float | None:
        """The smallest leak that would be seen. Of a handful of patients it would tell how many they are."""
        if self.audit.about == "use":
            return None
        below = self.audit.measure_of(metric).higher_is == "better"
        if estimate.tries is None:
            towards_guessing = estimate.high - estimate.value if below else estimate.value - estimate.low
            return smallest_seen_by_error(chance, towards_guessing / FAR, below=below)
        if told(estimate.patients) is None:
            return None
        return smallest_seen(chance, estimate.tries, estimate.slack, estimate.among)


def spread(estimates: list[Estimate]) -> dict[str, list[float]]:
    """Estimates as columns."""
    return {name: [getattr(estimate, name) for estimate in estimates] for name in ("value", "low", "high")}
