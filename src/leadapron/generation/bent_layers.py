"""What has a course of its own: lines, tubes, bands, the edge of a pneumothorax, the outline of an opacity.

A mean of these would be a blur. So the mean is laid over each of them by a deformation of its own, and taken anew: it
gets sharp. What is learnt is that mean, which depends on grade and size, and how its course varies. A sample is the
mean along a course of its own: no piece of a training image is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from leadapron.generation.registration import Template
from leadapron.generation.warping import POINTS, into_frame, out_of_frame

Floats = NDArray[np.float32]

ROUNDS = 2
LEVELS = ((32, 10), (64, 10), (128, 8))
STIFF, CAP = 0.05, 2.0
"""As in registration; a line is thin, and hardly anything else pulls."""
BENDS = 12
"""Directions in which its course varies."""
PULL = 4.0
STRONGEST = 2.0
"""How much contrast may be given back at most."""


@dataclass(frozen=True)
class BentLayer:
    """``mean`` and ``course`` (a field) are linear in grade and measure; by ``bends`` the course varies."""

    mean: Floats
    course: Floats
    bends: Floats

    def lay(self, frame: Floats, said: Floats, rng: np.random.Generator) -> None:
        """Add one. ``said`` are zone (three), grade and measure."""
        sizes = np.array([[1, *said[3:5]]], np.float32)
        field = sizes @ self.course + rng.standard_normal((1, len(self.bends)), np.float32) @ self.bends
        frame += out_of_frame((sizes @ self.mean).reshape(1, *frame.shape), field.reshape(1, 2, POINTS, POINTS))[0]


def find_bent(frames: Floats, whole: Floats, said: Floats, usual: Floats) -> tuple[BentLayer, Floats]:
    """Learn one from images of it, (images, size, size), from which anatomy is taken away as far as it is known, and
    from the ``whole`` ones; and what it accounts for in each of these. ``usual`` is how much pixels vary without it."""
    mean = frames.mean(axis=0)
    for _ in range(ROUNDS):
        fields = Template(mean, LEVELS, STIFF, CAP).register(frames)
        fields -= fields.mean(axis=0)
        mean = into_frame(frames, fields).mean(axis=0)
    sizes = np.concatenate([np.ones((len(frames), 1), np.float32), said[:, 3:5]], axis=1)
    gram = sizes.T @ sizes + np.diag([1e-6, PULL, PULL]).astype(np.float32)
    looks = into_frame(whole, fields).reshape(len(frames), -1)
    means = np.linalg.solve(gram, sizes.T @ looks).astype(np.float32)
    means = _trusted(means, ((looks - sizes @ means) ** 2).mean(axis=0), np.diag(np.linalg.inv(gram)), len(mean))
    means *= _contrast(means[0], (looks**2).mean(axis=0), usual.ravel())
    flat = fields.reshape(len(fields), -1)
    course = np.linalg.solve(gram, sizes.T @ flat).astype(np.float32)
    values, vectors = np.linalg.eigh(np.cov((flat - sizes @ course).T.astype(np.float64)))
    first = np.argsort(-values)[:BENDS]
    bends = (vectors[:, first] * np.sqrt(np.maximum(values[first], 0))).T.astype(np.float32)
    return BentLayer(means, course, bends), out_of_frame((sizes @ means).reshape(frames.shape), fields)


def _trusted(means: Floats, spread: Floats, doubt: Floats, size: int) -> Floats:
    """The means without what their errors may well be."""
    power, error = (
        gaussian_filter(one.reshape(-1, size, size), (0, 1, 1)).reshape(means.shape)
        for one in (means**2, doubt[:, None] * spread)
    )
    trusted: Floats = (means * np.maximum(1 - error / np.maximum(power, 1e-9), 0)).astype(np.float32)
    return trusted


def _contrast(mean: Floats, power: Floats, usual: Floats) -> float:
    """What the mean lost because no two lie quite over each other: the power that they bring says how much."""
    brought = float((mean**2 * (power - usual)).sum() / max(float((mean**4).sum()), 1e-9))
    return float(np.clip(np.sqrt(max(brought, 0.0)), 1, STRONGEST))
