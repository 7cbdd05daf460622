"""Scores: how alike an attacker finds two images. Every attacker gives rows for queries and for the gallery."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import kernel

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

PAIRS_AT_ONCE = 65_536
ROUNDING = 4 * float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Scores:
    """``fill(queries, gallery, out)`` writes the scores of a block; ``pairwise`` scores row by row.

    No score is outside of ``bounds``.
    """

    queries: Floats
    gallery: Floats
    fill: Callable[[Floats, Floats, Floats], None]
    pairwise: Callable[[Floats, Floats], Floats]
    bounds: tuple[float, float]

    @property
    def tolerance(self) -> float:
        """Scores no further apart are not told apart: the terms they are summed from are as large as the bounds."""
        return ROUNDING * max(map(abs, self.bounds))

    def of_pairs(self, query: Ints, image: Ints) -> Floats:
        scores = np.empty(len(query), dtype=np.float32)
        for start in range(0, len(query), PAIRS_AT_ONCE):
            rows = slice(start, start + PAIRS_AT_ONCE)
            scores[rows] = self.pairwise(self.queries[query[rows]], self.gallery[image[rows]])
        return scores


def cosines(queries: Floats, gallery: Floats | None = None) -> Scores:
    """Of rows of length one. Without a gallery the queries are it."""
    return inner_products(queries, queries if gallery is None else gallery, (-1.0, 1.0))


def inner_products(queries: Floats, gallery: Floats, bounds: tuple[float, float]) -> Scores:

    def fill(left: Floats, right: Floats, out: Floats) -> None:
        np.matmul(left, right.T, out=out)

    def pairwise(left: Floats, right: Floats) -> Floats:
        products: Floats = np.einsum("ij,ij->i", left, right)
        return products

    return Scores(queries, gallery, fill, pairwise, bounds)


def distances(queries: Floats, gallery: Floats) -> Scores:
    """Minus half the squared Euclidean distance, as an inner product of rows with two entries more."""

    def halves(rows: Floats) -> Floats:
        squares: Floats = np.einsum("ij,ij->i", rows, rows)[:, None] / -2
        return squares

    left, right = halves(queries), halves(gallery)
    longest = 4 * float(min(left.min(), right.min()))  # twice the longest row apart
    return inner_products(
        np.hstack([queries, np.ones_like(left), left]), np.hstack([gallery, right, np.ones_like(right)]), (longest, 0.0)
    )


def weighted_l1(rows: Floats, weights: Floats) -> Scores:
    """A verification network's own score: the weighted sum of absolute differences. Its bias changes no rank."""
    weights = np.ascontiguousarray(weights, dtype=np.float32)

    def fill(left: Floats, right: Floats, out: Floats) -> None:
        _weighted_l1(left, right, weights, out)

    def pairwise(left: Floats, right: Floats) -> Floats:
        sums: Floats = (np.abs(left - right) @ weights).astype(np.float32)
        return sums

    spread = rows.max(axis=0) - rows.min(axis=0)
    bounds = float(np.minimum(weights, 0) @ spread), float(np.maximum(weights, 0) @ spread)
    return Scores(rows, rows, fill, pairwise, bounds)


@kernel
def _weighted_l1(left: Floats, right: Floats, weights: Floats, out: Floats) -> None:
    for row in range(left.shape[0]):
        for column in range(right.shape[0]):
            total = np.float32(0)
            for at in range(len(weights)):
                total += weights[at] * abs(left[row, at] - right[column, at])
            out[row, column] = total
