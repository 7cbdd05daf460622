"""The principal axes of two sides and how they go together: canonical correlation of any strength is quick from here.

A covariance that is shrunk towards a multiple of the identity keeps its axes, so they are looked for once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from leadapron.encoders.encoder import Floats

Doubles = NDArray[np.float64]

NOTHING = 1e-12
"""Of the largest variance; an axis with less is rounding."""


@dataclass(frozen=True)
class Axes:
    """The directions in which one side varies, as columns, with their variances, and the mean variance of a feature."""

    directions: Doubles
    variances: Doubles
    level: float

    def whitened(self, shrinkage: float) -> Doubles:
        """What brings each axis of the shrunk covariance to length one."""
        scale: Doubles = 1 / np.sqrt((1 - shrinkage) * self.variances + shrinkage * self.level)
        return scale


@dataclass(frozen=True)
class PairedAxes:
    """Both sides, with the covariance between their axes."""

    image: Axes
    text: Axes
    image_mean: Doubles
    text_mean: Doubles
    between: Doubles

    def maps(self, shrinkage: float, dimension: int) -> tuple[Doubles, Doubles]:
        """A column a direction for each side; ``shrinkage`` is the share of a covariance that the identity replaces.

        As many as asked for, or as the narrower side has features; those that agree in nothing are zero.
        """
        x_scale, y_scale = self.image.whitened(shrinkage), self.text.whitened(shrinkage)
        left, agreement, right = linalg.svd(x_scale[:, None] * self.between * y_scale, full_matrices=False)
        width = min(dimension, len(self.image.directions), len(self.text.directions))
        kept = min(width, len(agreement))
        weight = np.sqrt(agreement[:kept])
        none = ((0, 0), (0, width - kept))
        image = self.image.directions @ (x_scale[:, None] * left[:, :kept] * weight)
        text = self.text.directions @ (y_scale[:, None] * right[:kept].T * weight)
        return np.pad(image, none), np.pad(text, none)


def pair_axes(image: Floats, text: Floats) -> PairedAxes:
    x_mean, y_mean = (side.mean(axis=0, dtype=np.float64) for side in (image, text))
    x, y = image - x_mean, text - y_mean
    x_axes, y_axes = _axes(x), _axes(y)
    between = x_axes.directions.T @ (x.T @ y / len(x)) @ y_axes.directions
    return PairedAxes(x_axes, y_axes, x_mean, y_mean, between)


def _axes(centred: Doubles) -> Axes:
    """From the smaller of the two products: fewer rows than features have no more axes than rows."""
    rows, width = centred.shape
    level = float((centred**2).mean()) or 1.0  # features that never vary agree with nothing
    if rows >= width:
        variances, directions = linalg.eigh(centred.T @ centred / rows)
        return Axes(directions, np.maximum(variances, 0.0), level)
    variances, weights = linalg.eigh(centred @ centred.T / rows)
    there = variances > NOTHING * variances[-1]
    return Axes(centred.T @ (weights[:, there] / np.sqrt(rows * variances[there])), variances[there], level)
