"""Brushes: soft shapes added to a thickness map, in anatomical lengths, touching only the pixels they cover."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.compiled import kernel

Floats = NDArray[np.float64]


@kernel
def step(distance: float, width: float) -> float:
    """0 to 1 as the distance goes from −width to +width: the soft edge of everything."""
    t = 0.5 + 0.5 * distance / width
    if t <= 0.0:
        return 0.0
    if t >= 1.0:
        return 1.0
    return t * t * (3.0 - 2.0 * t)


@kernel
def length(x: float, y: float) -> float:
    """The length of a vector: np.hypot guards against overflow, which costs more than the rest of a pixel."""
    return np.sqrt(x * x + y * y)


@kernel
def noise(seed: np.uint64, column: int, row: int) -> float:
    """A number in [0, 1) that depends on the seed and the place alone (splitmix64)."""
    z = seed + np.uint64(column) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(row) * np.uint64(0xD1B54A32D192ED03)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) / 9007199254740992.0


@kernel
def cloud(seed: np.uint64, x: float, y: float) -> float:
    """Smooth noise in [0, 1) with a period of one length in x and y."""
    column, row = np.floor(x), np.floor(y)
    u, v = x - column, y - row
    u, v = u * u * (3 - 2 * u), v * v * (3 - 2 * v)
    i, j = int(column) + 4096, int(row) + 4096
    top = noise(seed, i, j) * (1 - u) + noise(seed, i + 1, j) * u
    bottom = noise(seed, i, j + 1) * (1 - u) + noise(seed, i + 1, j + 1) * u
    return top * (1 - v) + bottom * v


@kernel
def tube(
    layer: Floats,
    pose: Floats,
    x0: float,
    y0: float,
    x1: float,
    y1: float,
    r0: float,
    r1: float,
    value: float,
) -> None:
    """A straight tube between two points whose radius goes from r0 to r1.

    It raises the layer to ``value`` instead of adding to it, so that the joints of a bent tube do not show.
    """
    size = layer.shape[0]
    ax, ay = pose[0] * x0 + pose[1] * y0 + pose[2], -pose[1] * x0 + pose[0] * y0 + pose[3]
    bx, by = pose[0] * x1 + pose[1] * y1 + pose[2], -pose[1] * x1 + pose[0] * y1 + pose[3]
    unit = pose[4]
    reach = max(r0, r1) * unit + 1.0
    left, right = max(0, int(min(ax, bx) - reach)), min(size - 1, int(max(ax, bx) + reach) + 1)
    top, bottom = max(0, int(min(ay, by) - reach)), min(size - 1, int(max(ay, by) + reach) + 1)
    dx, dy = bx - ax, by - ay
    squared = dx * dx + dy * dy + 1e-12
    for row in range(top, bottom + 1):
        for column in range(left, right + 1):
            t = min(1.0, max(0.0, ((column - ax) * dx + (row - ay) * dy) / squared))
            u, v = column - ax - t * dx, row - ay - t * dy
            radius = (r0 + (r1 - r0) * t) * unit
            if u * u + v * v < (radius + 0.7) ** 2:
                edge = step(radius - length(u, v), max(0.7, 0.35 * radius))
                # a tube thinner than a pixel keeps its mass and loses its contrast
                layer[row, column] = max(layer[row, column], value * edge * min(1.0, radius / 0.35))


@kernel
def blob(
    canvas: Floats, mask: Floats, pose: Floats, x: float, y: float, rx: float, ry: float, edge: float, value: float,
    seed: np.uint64, rough: float,
) -> None:  # fmt: skip
    """An ellipse inside the mask: ``edge`` is the softness (0 sharp, 1 hazy), ``rough`` how patchy it is."""
    size = canvas.shape[0]
    cx, cy = pose[0] * x + pose[1] * y + pose[2], -pose[1] * x + pose[0] * y + pose[3]
    reach_x, reach_y = rx * pose[4] * (1 + edge) + 1, ry * pose[4] * (1 + edge) + 1
    left, right = max(0, int(cx - reach_x)), min(size - 1, int(cx + reach_x) + 1)
    top, bottom = max(0, int(cy - reach_y)), min(size - 1, int(cy + reach_y) + 1)
    pixel = 1.0 / (min(rx, ry) * pose[4])
    for row in range(top, bottom + 1):
        for column in range(left, right + 1):
            u, v = (column - cx) / (rx * pose[4]), (row - cy) / (ry * pose[4])
            inside = step(1.0 - length(u, v), max(edge, pixel))
            if inside > 0.0:
                patchy = 1.0 - rough + 2.0 * rough * cloud(seed, 3.0 * u, 3.0 * v)
                canvas[row, column] += value * inside * patchy * mask[row, column]
