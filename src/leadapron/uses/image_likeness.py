"""How released images look beside real ones: described, never judged, because a copy does best by all of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

NEIGHBOURS = 5
WINDOW = 1.5
STABLE = (0.01**2, 0.03**2)
"""Of the structural similarity (Wang et al. 2004), as published."""


def frechet(real: Floats, made: Floats) -> float:
    """The distance of two Gaussians with the means and covariances of both (Dowson and Landau 1982)."""
    one, two = real.astype(np.float64), made.astype(np.float64)
    apart = one.mean(axis=0) - two.mean(axis=0)
    first, second = np.cov(one.T), np.cov(two.T)
    values, axes = np.linalg.eigh(first)
    root = (axes * np.sqrt(np.maximum(values, 0))) @ axes.T
    cross = np.sqrt(np.maximum(np.linalg.eigvalsh(root @ second @ root), 0)).sum()
    return max(0.0, float(apart @ apart + np.trace(first) + np.trace(second) - 2 * cross))


def coverage(real: Floats, made: Floats) -> float:
    """The share of real images with a released one as near as their fifth real neighbour (Naeem et al. 2020)."""
    among = _distances(real, real)
    reach = np.partition(among, NEIGHBOURS, axis=1)[:, NEIGHBOURS]  # the image itself is the nearest
    return float((_distances(real, made).min(axis=1) <= reach).mean())


def similarity(real: Bytes, made: Bytes) -> float:
    """Mean structural similarity of every released image with its source."""
    total = 0.0
    for one, two in zip(real, made, strict=True):
        x, y = one.astype(np.float64) / 255, two.astype(np.float64) / 255
        mean_x, mean_y = gaussian_filter(x, WINDOW), gaussian_filter(y, WINDOW)
        var_x, var_y = gaussian_filter(x**2, WINDOW) - mean_x**2, gaussian_filter(y**2, WINDOW) - mean_y**2
        both = gaussian_filter(x * y, WINDOW) - mean_x * mean_y
        top = (2 * mean_x * mean_y + STABLE[0]) * (2 * both + STABLE[1])
        total += float((top / ((mean_x**2 + mean_y**2 + STABLE[0]) * (var_x + var_y + STABLE[1]))).mean())
    return total / len(real)


def _distances(left: Floats, right: Floats) -> NDArray[np.float64]:
    one, two = left.astype(np.float64), right.astype(np.float64)
    squares: NDArray[np.float64] = (one**2).sum(axis=1)[:, None] + (two**2).sum(axis=1) - 2 * one @ two.T
    return np.maximum(squares, 0.0, out=squares)
