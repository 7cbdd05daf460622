"""A verification network's own score: the weighted sum of absolute differences. Its bias changes no rank."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from leadapron.attacks.identity.scores import HALF_ULP, Doubles, Floats, Ints, unit_for
from leadapron.engine import kernel


@dataclass(frozen=True)
class WeightedL1:
    """Scores as in ``scores``, every one of them the fixed sum itself."""

    rows: Floats
    weights: Doubles
    unit: float

    def of_pairs(self, query: Ints, image: Ints) -> Doubles:
        whole_numbers = np.empty(len(query))
        _sums_of_pairs(self.rows, self.weights, 1 / self.unit, query, image, whole_numbers)
        return whole_numbers

    def fill(self, queries: slice, images: slice, out: Doubles) -> None:
        _sums(self.rows[queries], self.rows[images], self.weights, 1 / self.unit, out)

    def ordered(self, order: Ints) -> WeightedL1:
        return replace(self, rows=self.rows[order])


def weighted_l1(rows: Floats, weights: Floats) -> WeightedL1:
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    wide = weights.astype(np.float64)
    apart = np.abs(rows - rows.mean(axis=0, dtype=np.float64)) @ np.abs(wide)
    return WeightedL1(rows, wide, unit_for(2 * HALF_ULP * (len(wide) + 8) * apart))


@kernel
def _sum(left: Floats, row: int, right: Floats, other: int, weights: Doubles, per_unit: float) -> float:
    total = 0.0
    for at in range(len(weights)):
        total += weights[at] * abs(np.float64(left[row, at]) - np.float64(right[other, at]))
    whole_number: float = np.rint(total * per_unit)
    return whole_number


@kernel
def _sums(left: Floats, right: Floats, weights: Doubles, per_unit: float, out: Doubles) -> None:
    for row in range(left.shape[0]):
        for column in range(right.shape[0]):
            out[row, column] = _sum(left, row, right, column, weights, per_unit)


@kernel
def _sums_of_pairs(
    rows: Floats, weights: Doubles, per_unit: float, query: Ints, image: Ints, out: Doubles
) -> None:  # fmt: skip
    for at in range(len(out)):
        out[at] = _sum(rows, query[at], rows, image[at], weights, per_unit)
