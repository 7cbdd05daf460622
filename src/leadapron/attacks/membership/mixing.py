"""The distribution of what is true behind estimates that err: the one that makes the estimates likeliest.

Kiefer and Wolfowitz's maximum likelihood, on a grid, by expectation and maximisation. It takes no shape for granted, so
the few who are memorised are not drawn towards the many who are not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

ROUNDS = 150


@dataclass(frozen=True)
class Bins:
    """Estimates in bins, and how likely each bin is from each point where the truth may lie."""

    middles: Doubles
    counts: Doubles
    points: Doubles
    likelihood: Doubles

    def posterior_means(self, weights: Doubles) -> Doubles:
        """What is true on average behind an estimate in each bin."""
        joint = self.likelihood * weights
        means: Doubles = (joint @ self.points) / np.maximum(joint.sum(axis=1), 1e-300)
        return means


def spaced(low: float, high: float, points: int, *, least: float = 1e-6) -> Doubles:
    """Points where the truth may lie: as far as the estimates do, and over ``least`` at the least."""
    spare = max(least - (high - low), 0.0) / 2
    return np.linspace(low - spare, high + spare, points)


def binned(estimates: Doubles, points: Doubles, error: Doubles | float, bins: int) -> Bins:
    """``error`` is that of an estimate whose truth lies at each point, or the same for all."""
    edges = np.linspace(points[0] - 1e-9, points[-1] + 1e-9, bins + 1)
    counts = np.histogram(estimates, edges)[0].astype(np.float64)
    middles = (edges[:-1] + edges[1:]) / 2
    spread = np.hypot(error, (edges[1] - edges[0]) / np.sqrt(12)) * np.ones(len(points))
    likelihood = np.exp(-(((middles[:, None] - points) / spread) ** 2) / 2) / spread
    return Bins(middles, counts, points, likelihood)


def fitted_weights(counts: Doubles, likelihood: Doubles) -> Doubles:
    """Redraws by points: how much of the truth lies at each point, for each row of counts."""
    weights = np.full((len(counts), likelihood.shape[1]), 1 / likelihood.shape[1])
    total = counts.sum(axis=1, keepdims=True)
    for _ in range(ROUNDS):
        expected = np.maximum(weights @ likelihood.T, 1e-300)
        weights = weights * ((counts / expected) @ likelihood) / total
    return weights
