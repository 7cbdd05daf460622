"""What the private training of a target spends: the least noise that keeps epsilon, and what its card says of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from leadapron.privacy.accounting import Spending, check_delta, grid_for, solve_sigma


class Private(Protocol):
    """Settings of private training."""

    @property
    def epochs(self) -> int: ...
    @property
    def epsilon(self) -> float | None: ...
    @property
    def delta(self) -> float | None: ...
    @property
    def level(self) -> str: ...
    @property
    def clip(self) -> float: ...


@dataclass(frozen=True)
class Budget:
    """What every model of a study spends. Nothing of it depends on who is in a model."""

    level: str
    clip: float
    delta: float
    epsilon: float
    expected: float
    """Units in a step, on average: what sums are divided by."""
    steps_an_epoch: int
    spending: Spending
    profile: tuple[tuple[float, ...], tuple[float, ...]]

    def card(self, not_covered: str) -> dict[str, object]:
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "sigma": self.spending.sigma,
            "clip": self.clip,
            "rate": self.spending.rate,
            "steps": self.spending.steps,
            "level": self.level,
            "profile": [list(row) for row in self.profile],
            "noise": "seeded, so that a model can be trained again: a stand-in for an audit, not for release",
            "not_covered": not_covered,
        }


def plan_budget(settings: Private, units: float, batch: int) -> Budget:
    """For models of so many ``units`` (patients or records), of which a step draws ``batch`` on average."""
    assert settings.epsilon is not None
    delta = check_delta(settings.delta, math.ceil(units), settings.level)
    rate = min(1.0, batch / units)
    steps = math.ceil(1 / rate)  # as many as it takes to draw everybody once on average, and not less
    spending = solve_sigma(Spending(1.0, rate, steps * settings.epochs), settings.epsilon, delta)
    grid = grid_for(settings.epsilon)
    spent, profile = spending.epsilon(delta, grid), spending.profile(grid)
    return Budget(settings.level, settings.clip, delta, spent, rate * units, steps, spending, profile)
