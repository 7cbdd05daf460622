"""The machine that takes the pictures: framing, exposure, contrast curve, noise, sharpness, collimation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.compiled import kernel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scanner:
    """What all images of one machine have in common. Lengths are in half image widths.

    - ``scale``: mean, spread, least and greatest size of the patient on the picture.
    - ``wander``: the farthest that the patient is off the middle, in either direction.
    - ``exposure``, ``contrast``: means; how they vary from film to film is the same everywhere.
    - ``grain``: least and greatest noise.
    - ``gamma``: bends the contrast curve after the film's own; below 1 it lifts the dark parts.
    - ``blur``: standard deviation of the detector's spread of light.
    - ``field``: how near to the middle the collimator may end the picture, and how far; 1 is the edge of the picture.
    """

    scale: tuple[float, float, float, float]
    wander: float
    exposure: float
    contrast: float
    grain: tuple[float, float]
    gamma: float
    blur: float
    field: tuple[float, float]


FILM = Scanner(
    scale=(1.05, 0.03, 0.95, 1.15),
    wander=np.inf,
    exposure=0.0,
    contrast=1.0,
    grain=(0.006, 0.016),
    gamma=1.0,
    blur=0.0,
    field=(1.0, 1.0),
)

# Scale, wander and field go together: whatever a report may speak of lies inside the field.
PLATE = Scanner(
    scale=(0.95, 0.02, 0.90, 0.99),
    wander=0.04,
    exposure=0.03,
    contrast=0.8,
    grain=(0.014, 0.030),
    gamma=0.7,
    blur=0.008,
    field=(0.91, 0.97),
)


@kernel
def soften(canvas: Floats, sigma: float) -> Floats:
    """The canvas under a Gaussian of this many pixels, rows first and then columns; the edge is repeated outwards."""
    size = canvas.shape[0]
    reach = int(np.ceil(3.0 * sigma))
    weights = np.empty(2 * reach + 1)
    for offset in range(-reach, reach + 1):
        weights[offset + reach] = np.exp(-0.5 * (offset / sigma) ** 2)
    weights /= weights.sum()
    halfway, soft = np.zeros_like(canvas), np.zeros_like(canvas)
    for row in range(size):
        for column in range(size):
            for offset in range(-reach, reach + 1):
                near = min(size - 1, max(0, column + offset))
                halfway[row, column] += weights[offset + reach] * canvas[row, near]
    for row in range(size):
        for column in range(size):
            for offset in range(-reach, reach + 1):
                near = min(size - 1, max(0, row + offset))
                soft[row, column] += weights[offset + reach] * halfway[near, column]
    return soft
