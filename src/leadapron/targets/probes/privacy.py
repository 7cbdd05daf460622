"""Private probes: each record's or patient's gradient is clipped, noise is added once a step, and the cost is counted.

These models are stand-ins for an audit. Their noise is drawn by a seed, so that a model can be trained again, and
whoever knows the seed can take it off: they are not for release.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.defences.heads.accounting import Spending, check_delta, grid_for, solve_sigma
from leadapron.errors import DataError
from leadapron.targets.probes.batches import Rows
from leadapron.targets.probes.config import ProbeConfig
from leadapron.targets.probes.data import ProbeData
from leadapron.targets.probes.network import Singles, row_lengths, scale_rows

RARELY = 7.0
"""Standard deviations above the mean up to which batches are filled, so that all products have one shape."""


@dataclass(frozen=True)
class Protection:
    """What every step does for privacy. ``unit`` numbers the audited records by whom the promise is made to."""

    spending: Spending
    clip: float
    batch: float
    """Units of a step, on average: what its sum is divided by."""
    level: str
    unit: Rows
    epsilon: float
    delta: float
    profile: tuple[tuple[float, ...], tuple[float, ...]]

    @property
    def room(self) -> int:
        """More places than a batch ever fills, nearly."""
        return math.ceil(self.batch + RARELY * math.sqrt(self.batch))

    def clip_rows(self, given: Sequence[Singles], slopes: Sequence[Singles], taken: NDArray[np.bool_]) -> None:
        """Every row's gradient shortened to ``clip`` where it is longer, and to nothing where nobody was drawn."""
        lengths = row_lengths(given, slopes)
        factors = np.where(taken, self.clip / np.maximum(lengths, self.clip), 0)
        scale_rows(slopes, factors.astype(np.float32))

    def add_noise(self, total: Singles, noise: Sequence[np.random.Generator]) -> None:
        """On the sum of a step, by each model's own stream; then the sum is divided by the batch that is expected.

        How many were drawn in truth is private, too.
        """
        for model, rng in zip(total, noise, strict=True):
            model += np.float32(self.spending.sigma * self.clip) * rng.standard_normal(len(model), dtype=np.float32)
        total /= np.float32(self.batch)

    def card(self) -> dict[str, object]:
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "sigma": self.spending.sigma,
            "rate": self.spending.rate,
            "steps": self.spending.steps,
            "clip": self.clip,
            "level": self.level,
            "profile": [list(row) for row in self.profile],
            "noise": "seeded, so that a model can be trained again: a stand-in for an audit, not for release",
            "not_covered": "the held-out patients by whom training is stopped early; which labels have both classes",
        }


def protect(config: ProbeConfig, data: ProbeData) -> Protection | None:
    """The least noise that keeps epsilon, if one is asked for: a model has half of the audited patients or records."""
    if config.epsilon is None:
        return None
    unit = np.arange(len(data.audited)) if config.level == "record" else data.patient
    if unit is None:
        raise DataError(
            "patients cannot be protected where nobody knows whose a record is: there is no column 'patient_id'",
            fix="Add it, or protect single records with --level record.",
        )
    units = (int(unit.max()) + 1) / 2
    rate = min(1.0, config.batch_of(units) / units)
    delta = check_delta(config.delta, math.ceil(units), config.level)
    spending = solve_sigma(Spending(1.0, rate, config.epochs * steps_at(rate)), config.epsilon, delta)
    grid = grid_for(config.epsilon)
    spent, profile = spending.epsilon(delta, grid), spending.profile(grid)
    return Protection(spending, config.clip, rate * units, config.level, unit, spent, delta, profile)


def steps_at(rate: float) -> int:
    """The steps of an epoch: as many as it takes to draw everybody once on average, and not less."""
    return math.ceil(1 / rate)
