"""Moments of every record's signals, of the models that know it and of those that do not, in one pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.membership.signals import Array, Flags
from leadapron.engine import kernel

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Two columns each: of the models that do not have the record, and of those that do.

    Variances are unbiased, not a number where a side has one model; skewness and kurtosis (3 for a Gaussian) are not.
    """

    count: Doubles
    mean: Doubles
    variance: Doubles
    skewness: Doubles
    kurtosis: Doubles


def describe(values: Array, members: Flags, use: Flags) -> Moments:
    """Moments over the models in ``use``; values and members are records by models."""
    table = np.empty((5, len(values), 2))
    _describe(values, members, use, table)
    return Moments(*table)


def joined(parts: list[Moments]) -> Moments:
    names = ("count", "mean", "variance", "skewness", "kurtosis")
    return Moments(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


@kernel
def _describe(values: Array, members: Flags, use: Flags, table: Doubles) -> None:
    for record in range(values.shape[0]):
        count, total = np.zeros(2), np.zeros(2)
        for model in range(values.shape[1]):
            if use[model]:
                side = int(members[record, model])
                count[side] += 1
                total[side] += values[record, model]
        mean = total / count
        second, third, fourth = np.zeros(2), np.zeros(2), np.zeros(2)
        for model in range(values.shape[1]):
            if use[model]:
                side = int(members[record, model])
                off = values[record, model] - mean[side]
                square = off * off
                second[side] += square
                third[side] += square * off
                fourth[side] += square * square
        for side in range(2):
            spread = second[side] / count[side]
            table[0, record, side] = count[side]
            table[1, record, side] = mean[side]
            table[2, record, side] = second[side] / (count[side] - 1)
            table[3, record, side] = third[side] / count[side] / spread**1.5
            table[4, record, side] = fourth[side] / count[side] / spread**2
