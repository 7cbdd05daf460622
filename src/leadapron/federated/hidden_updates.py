"""Updates that can be added up before anybody has seen one of them, for secure aggregation.

A hospital multiplies what it learnt by its own weights and puts the weights behind it: one long vector. The sum of all
vectors holds the numerators and the denominators of the mean, part by part of the model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.federated.aggregation import Share
from leadapron.federated.federation_folder import Member
from leadapron.federated.federation_plan import Holds, Plan
from leadapron.federated.fusion_model import GROUPS, group_of
from leadapron.federated.methods.averaging import Averaging
from leadapron.federated.methods.method import Answer
from leadapron.federated.station import Arrays

Vector = NDArray[np.float64]
ROUNDING = 1e-6
"""A weight below it is none: sums of whole numbers are rounded."""
LARGEST = 8.0
"""The largest number that a vector may hold, unless the plan lets updates be longer."""


@dataclass(frozen=True)
class Weighing:
    """What the server tells all hospitals, so that each can weigh its own update.

    ``records`` are those of all who are asked, and of the public set. A weight is divided by the ``largest`` of a
    hospital in its part of the model, so that a vector holds no larger number than the update itself.
    """

    records: int
    largest: Mapping[str, float]

    def weights(self, method: Averaging, plan: Plan, holds: Holds, records: int) -> dict[str, float]:
        """Those of a station that holds so much."""
        raw = method.weights(Share(holds, records, records / self.records), plan)
        return {group: weight / self.largest[group] for group, weight in raw.items()}


@dataclass(frozen=True)
class Summed:
    """What the server learns in a round: the mean of the hospitals' arrays, their weights and their mean loss."""

    mean: Arrays
    weights: Mapping[str, float]
    weighing: Weighing
    loss: float | None
    messages: int
    bytes_received: int


def weighing_of(method: Averaging, plan: Plan, hospitals: Sequence[Member], public: int) -> Weighing:
    """For these hospitals, and the records of the public set where it takes part."""
    records = sum(member.records for member in hospitals) + (public if method.needs_public else 0)
    raw = Weighing(records, dict.fromkeys(GROUPS, 1.0))
    weights = [raw.weights(method, plan, member.holds, member.records) for member in hospitals]
    return Weighing(records, {group: max(one[group] for one in weights) or 1.0 for group in GROUPS})


def hidden(answer: Answer, before: Arrays, weights: Mapping[str, float], limit: float) -> Vector:
    """The vector of a hospital: weighed moves, its weight in each part, and its loss; checked, as nobody else can."""
    parts = [np.zeros(before[name].size) for name in _summed(before)]
    for part, name in zip(parts, _summed(before), strict=True):
        if name in answer.arrays:
            part += weights[group_of(name)] * (answer.arrays[name].astype(np.float64) - before[name]).ravel()
    present = {group_of(name) for name in answer.arrays}
    tail = [weights[group] if group in present else 0.0 for group in GROUPS]
    vector = np.concatenate([*parts, tail, [weights["classifier"] * (answer.loss or 0.0)]])
    if not (largest := np.abs(vector).max()) <= limit:
        raise DataError(
            "the update cannot be added up securely", got=f"{largest:.3g}", allowed=f"numbers up to {limit:g}"
        )
    return vector


def revealed(total: Vector, before: Arrays) -> tuple[Arrays, dict[str, float], float]:
    """The mean of the hospitals, their weight in each part of the model and their mean loss, from the sum of all."""
    names = _summed(before)
    ends = np.cumsum([before[name].size for name in names])
    *parts, tail = np.split(total, ends)
    weights = dict(zip(GROUPS, tail.tolist(), strict=False))
    mean: Arrays = {}
    for name, part in zip(names, parts, strict=True):
        old, weight = before[name], weights[group_of(name)]
        if weight > ROUNDING:
            mean[name] = (old + part.reshape(old.shape) / weight).astype(old.dtype)
    return mean, weights, float(tail[-1] / weights["classifier"])


def _summed(before: Arrays) -> list[str]:
    """The arrays that a mean is taken of: not the counters of batches."""
    return sorted(name for name, array in before.items() if np.issubdtype(array.dtype, np.floating))
