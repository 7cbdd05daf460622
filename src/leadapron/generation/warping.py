"""Smooth deformations: cubic B-splines on a coarse grid of control points, and images read through them.

Places and displacements are in units of the image's width, so that a field fits images of every size. ``field[0]``
moves down, ``field[1]`` to the right.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import kernel

Floats = NDArray[np.float32]

POINTS = 11
"""Control points in each direction, one of them beyond each edge: eight pieces across the image."""


def spline(size: int, points: int = POINTS) -> Floats:
    """The weight of each control point at each pixel's centre along one direction: four of them are not zero."""
    place = (np.arange(size) + 0.5) / size * (points - 3)
    piece = np.minimum(place.astype(int), points - 4)
    t = place - piece
    weights = np.stack([(1 - t) ** 3, 3 * t**3 - 6 * t**2 + 4, -3 * t**3 + 3 * t**2 + 3 * t + 1, t**3], axis=1) / 6
    table = np.zeros((size, points), np.float32)
    for step in range(4):
        table[np.arange(size), piece + step] = weights[:, step]
    return table


def displacement(fields: Floats, size: int) -> Floats:
    """The displacement of every pixel, in units of the width; ``fields`` are (…, 2, points, points)."""
    table = spline(size, fields.shape[-1])
    moved: Floats = np.ascontiguousarray(table @ fields @ table.T)
    return moved


@kernel
def _cubic(t: float) -> tuple[float, float, float, float]:
    """Weights of four neighbours for a place t behind the second (Catmull and Rom)."""
    return (
        -0.5 * t + t * t - 0.5 * t * t * t,
        1.0 - 2.5 * t * t + 1.5 * t * t * t,
        0.5 * t + 2.0 * t * t - 1.5 * t * t * t,
        -0.5 * t * t + 0.5 * t * t * t,
    )


@kernel
def look_through(image: Floats, moved: Floats, seen: Floats) -> None:
    """``seen[x] = image[x + moved[x]]``, by cubic interpolation; beyond the edge the edge goes on."""
    size = image.shape[0]
    for row in range(size):
        for column in range(size):
            y = min(max(row + size * moved[0, row, column], 0.0), size - 1.0)
            x = min(max(column + size * moved[1, row, column], 0.0), size - 1.0)
            top, left = int(y), int(x)
            down, across = _cubic(y - top), _cubic(x - left)
            total = 0.0
            for step_y in range(4):
                line = min(max(top + step_y - 1, 0), size - 1)
                part = 0.0
                for step_x in range(4):
                    part += across[step_x] * image[line, min(max(left + step_x - 1, 0), size - 1)]
                total += down[step_y] * part
            seen[row, column] = total


@kernel
def turn_around(moved: Floats, back: Floats, rounds: int) -> None:
    """The displacement that undoes another one: ``back[z] = −moved[z + back[z]]``, by going round."""
    size = moved.shape[1]
    for row in range(size):
        for column in range(size):
            by, bx = -moved[0, row, column], -moved[1, row, column]
            for _ in range(rounds):
                y = min(max(row + size * by, 0.0), size - 1.001)
                x = min(max(column + size * bx, 0.0), size - 1.001)
                top, left = int(y), int(x)
                dy, dx = y - top, x - left
                a, b = (1 - dy) * (1 - dx), (1 - dy) * dx
                c, d = dy * (1 - dx), dy * dx
                by = -(
                    a * moved[0, top, left]
                    + b * moved[0, top, left + 1]
                    + c * moved[0, top + 1, left]
                    + d * moved[0, top + 1, left + 1]
                )
                bx = -(
                    a * moved[1, top, left]
                    + b * moved[1, top, left + 1]
                    + c * moved[1, top + 1, left]
                    + d * moved[1, top + 1, left + 1]
                )
            back[0, row, column], back[1, row, column] = by, bx


def into_frame(images: NDArray[np.uint8] | Floats, fields: Floats) -> Floats:
    """Images in the frame of the template: what ``out_of_frame`` with the same fields would bring back."""
    size = images.shape[1]
    seen, back = np.empty(images.shape, np.float32), np.empty((2, size, size), np.float32)
    for row, moved in enumerate(displacement(fields, size)):
        turn_around(moved, back, 8)
        look_through(images[row].astype(np.float32), back, seen[row])
    return seen


def out_of_frame(frames: Floats, fields: Floats) -> Floats:
    """Images in the frame of the template, each deformed by its field into a chest of its own."""
    seen = np.empty(frames.shape, np.float32)
    for row, moved in enumerate(displacement(fields, frames.shape[1])):
        look_through(frames[row], moved, seen[row])
    return seen
