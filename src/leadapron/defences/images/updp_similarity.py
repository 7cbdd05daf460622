"""Structural similarity of two images (Wang 2004): how the paper describes what optimisation does to images."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

SIGMA, RADIUS = 1.5, 5
STEADY = ((0.01 * 255) ** 2, (0.03 * 255) ** 2)
"""The two constants of the paper, for 8 bit."""


def ssim(images: NDArray[np.uint8], others: NDArray[np.uint8]) -> NDArray[np.float64]:
    """The mean over the places at which a window of 11 x 11 fits whole, one number a pair."""
    return np.array([_pair(one, other) for one, other in zip(images, others, strict=True)], dtype=np.float64)


def _pair(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    x, y = one.astype(np.float64), other.astype(np.float64)
    mean_x, mean_y = _blur(x), _blur(y)
    var_x, var_y = _blur(x * x) - mean_x**2, _blur(y * y) - mean_y**2
    both = _blur(x * y) - mean_x * mean_y
    light, texture = STEADY
    found = (2 * mean_x * mean_y + light) * (2 * both + texture)
    found /= (mean_x**2 + mean_y**2 + light) * (var_x + var_y + texture)
    return float(found[RADIUS:-RADIUS, RADIUS:-RADIUS].mean())


def _blur(values: NDArray[np.float64]) -> NDArray[np.float64]:
    blurred: NDArray[np.float64] = gaussian_filter(values, SIGMA, radius=RADIUS)
    return blurred
