"""Registration: the smooth deformation that lays a template over a chest.

Steps of Gauss and Newton, with the curvature of the undeformed template throughout: it is inverted once, and a step
costs hardly more than looking at the template through the field. Differences are capped, so that a finding that the
template does not have pulls no more than any edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter

from leadapron.engine import kernel, parallel_map
from leadapron.generation.warping import POINTS, displacement, into_frame, spline

Floats = NDArray[np.float32]

LEVELS = ((32, 12), (64, 16))
"""Pixels a side, and steps: coarse places first."""
CAP = 0.5
"""Differences beyond so many standard deviations pull no stronger."""
STIFF = 0.2
"""How much neighbouring control points hold together, against the mean curvature of the differences."""
CONTRAST = 0.1
"""Of the image's width: the window in which local contrast is taken."""
CHUNK = 32
"""Images that take their steps together."""
ROUNDS, TEACHERS = 4, 320
"""Times that the template is averaged anew, and of how many images."""


@dataclass(frozen=True)
class Level:
    """What the steps at one size need: the looks of the template with their slopes, and the inverted curvature."""

    looks: Floats
    slopes: Floats
    table: Floats
    answer: Floats
    """From how all control points are pulled to the step that they take."""
    recoil: Floats
    """From where they are to the step by which stiffness brings them back."""
    steps: int


def looks(images: NDArray[np.uint8] | Floats, size: int) -> Floats:
    """Two ways to see an image that exposure does not change much: overall and local contrast."""
    small = images.astype(np.float32)
    while small.shape[1] >= 2 * size:
        small = small.reshape(len(small), small.shape[1] // 2, 2, -1, 2).mean(axis=(2, 4))
    centred = small - small.mean(axis=(1, 2), keepdims=True)
    overall = centred / (small.std(axis=(1, 2), keepdims=True) + 1e-3)
    window = (0, *(2 * [max(3, int(CONTRAST * small.shape[1]))]))
    local = overall - uniform_filter(overall, window, mode="nearest")
    power = np.sqrt(uniform_filter(local**2, window, mode="nearest") + 0.05)
    both: Floats = np.stack([overall, local / power], axis=1).astype(np.float32)
    return both


def _level(template: Floats, size: int, steps: int, stiff: float) -> Level:
    look = looks(template[None], size)[0]
    size = look.shape[-1]
    slopes = np.stack([np.stack(np.gradient(one)) for one in look]).astype(np.float32) * size
    table = spline(size).astype(np.float64)
    curvature = np.zeros((2 * POINTS**2, 2 * POINTS**2))
    both = np.einsum("ik,jl->ijkl", table, table).reshape(size * size, POINTS**2)
    for slope in slopes:
        moves = np.concatenate([both * one.reshape(-1, 1) for one in slope], axis=1)
        curvature += moves.T @ moves
    unit = np.trace(curvature) / len(curvature) + 1e-3
    ends = np.diff(np.eye(POINTS), axis=0)
    chain = ends.T @ ends
    plane = np.kron(chain, np.eye(POINTS)) + np.kron(np.eye(POINTS), chain)
    stiffness = stiff * unit * np.kron(np.eye(2), plane)
    answer = np.linalg.inv(curvature + stiffness + 1e-3 * unit * np.eye(len(curvature)))
    recoil = (answer @ stiffness).T.astype(np.float32)
    return Level(look, slopes, spline(size), answer.T.astype(np.float32), recoil, steps)


@kernel
def _pull(looked: Floats, template: Floats, slopes: Floats, moved: Floats, pulls: Floats, cap: float) -> None:
    """How capped differences pull each pixel of each image; the template is looked at through the fields."""
    size = template.shape[1]
    pulls[:] = 0.0
    for image in range(len(looked)):
        for row in range(size):
            for column in range(size):
                y = min(max(row + size * moved[image, 0, row, column], 0.0), size - 1.001)
                x = min(max(column + size * moved[image, 1, row, column], 0.0), size - 1.001)
                top, left = int(y), int(x)
                dy, dx = y - top, x - left
                a, b, c, d = (1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx
                for one in range(2):
                    value = a * template[one, top, left] + b * template[one, top, left + 1]
                    value += c * template[one, top + 1, left] + d * template[one, top + 1, left + 1]
                    rest = min(max(looked[image, one, row, column] - value, -cap), cap)
                    for way in range(2):
                        slope = a * slopes[one, way, top, left] + b * slopes[one, way, top, left + 1]
                        slope += c * slopes[one, way, top + 1, left] + d * slopes[one, way, top + 1, left + 1]
                        pulls[image, way, row, column] += rest * slope


class Template:
    """A chest in the middle of all others, to which each of them is registered."""

    def __init__(
        self, image: Floats, levels: Sequence[tuple[int, int]] = LEVELS, stiff: float = STIFF, cap: float = CAP
    ) -> None:
        self.image, self._cap = image, cap
        self._levels = [_level(image, size, steps, stiff) for size, steps in levels if size <= len(image)]

    def register(self, images: NDArray[np.uint8] | Floats) -> Floats:
        """A field an image, (images, 2, POINTS, POINTS): the template seen through it looks like the image."""
        parts = range(0, len(images), CHUNK)
        return np.concatenate(parallel_map(lambda at: self._some(images[at : at + CHUNK]), parts))

    def _some(self, images: NDArray[np.uint8] | Floats) -> Floats:
        fields = np.zeros((len(images), 2 * POINTS**2), np.float32)
        for level in self._levels:
            size = level.looks.shape[-1]
            looked, pulls = looks(images, size), np.empty((len(images), 2, size, size), np.float32)
            for _ in range(level.steps):
                moved = displacement(fields.reshape(-1, 2, POINTS, POINTS), size)
                _pull(looked, level.looks, level.slopes, moved, pulls, self._cap)
                push = (level.table.T @ pulls @ level.table).reshape(len(images), -1)
                fields += push @ level.answer - fields @ level.recoil
        return fields.reshape(-1, 2, POINTS, POINTS)


def learn_template(images: NDArray[np.uint8], done: Callable[[int, int], None]) -> Template:
    """The mean image, then the mean of all laid over it, and again: each time it is sharper."""
    template = images.mean(axis=0, dtype=np.float64).astype(np.float32)
    for turn in range(ROUNDS):
        fields = Template(template).register(images)
        fields -= fields.mean(axis=0)  # the template keeps the mean shape
        template = into_frame(images, fields).mean(axis=0)
        done(turn + 1, ROUNDS)
    return Template(template)
