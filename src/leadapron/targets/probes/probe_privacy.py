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

from leadapron.errors import DataError
from leadapron.targets.budget import Budget, plan_budget
from leadapron.targets.probes.probe_batches import Rows
from leadapron.targets.probes.probe_data import ProbeConfig, ProbeData
from leadapron.targets.probes.probe_stack import Singles, row_lengths, scale_rows

RARELY = 7.0
"""Standard deviations above the mean up to which batches are filled, so that all products have one shape."""
NOT_COVERED = "the held-out patients by whom training is stopped early; which labels have both classes"


@dataclass(frozen=True)
class Protection:
    """What every step does for privacy. ``unit`` numbers the audited records by whom the promise is made to."""

    budget: Budget
    unit: Rows

    @property
    def room(self) -> int:
        """More places than a batch ever fills, nearly."""
        return math.ceil(self.budget.expected + RARELY * math.sqrt(self.budget.expected))

    def clip_rows(self, given: Sequence[Singles], slopes: Sequence[Singles], taken: NDArray[np.bool_]) -> None:
        """Every row's gradient shortened to the clip where it is longer, and to nothing where nobody was drawn."""
        lengths = row_lengths(given, slopes)
        factors = np.where(taken, self.budget.clip / np.maximum(lengths, self.budget.clip), 0)
        scale_rows(slopes, factors.astype(np.float32))

    def add_noise(self, total: Singles, noise: Sequence[np.random.Generator]) -> None:
        """On the sum of a step, by each model's own stream; then the sum is divided by the batch that is expected.

        How many were drawn in truth is private, too.
        """
        spread = np.float32(self.budget.spending.sigma * self.budget.clip)
        for model, rng in zip(total, noise, strict=True):
            model += spread * rng.standard_normal(len(model), dtype=np.float32)
        total /= np.float32(self.budget.expected)

    def card(self) -> dict[str, object]:
        return self.budget.card(NOT_COVERED)


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
    return Protection(plan_budget(config, units, config.batch_of(units)), unit)
