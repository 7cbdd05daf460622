"""Fine structure: what a few hundred directions of the whole image cannot hold, learnt and drawn window by window.

Ribs, vessels and wires are sharp, and lie elsewhere in every chest. Within a small window of the template's frame they
are well described by the covariance of its pixels, and by how much louder some windows are than others. Windows overlap
by half, and the squares of their weights add up to one: a sum of independent samples has the right variance everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

STEPS = 16
"""Steps of half a window across the image."""
DIRECTIONS = 48
"""Of each window."""
MOST = 3000
"""Images that it is learnt of."""


@dataclass(frozen=True)
class Texture:
    """``factors[w]`` makes window w from independent numbers; ``common`` and ``own`` are the spreads of the logarithm
    of how loud all windows of an image are, and each of them."""

    factors: Floats
    common: float
    own: Floats
    size: int

    def sample(self, count: int, rng: np.random.Generator) -> Floats:
        """Fresh texture, a row an image."""
        windows, directions, _ = self.factors.shape
        loud = self.common * rng.standard_normal((count, 1), np.float32)
        loud = loud + self.own * rng.standard_normal((count, windows), np.float32)
        loud = np.exp(loud - self.common**2 - self.own**2)  # so that the mean of its square is one
        fresh = rng.standard_normal((windows, count, directions), np.float32) * loud.T[:, :, None]
        return _together(fresh @ self.factors, self.size)


def learn_texture(rest: Floats, grain: Floats) -> Texture:
    """From what directions of the whole image leave over, less the ``grain`` of each pixel, which is drawn apart."""
    size = int(rest.shape[1] ** 0.5)
    step = size // STEPS
    padded = np.pad(rest.reshape(-1, size, size), ((0, 0), (step, step), (step, step)))
    noise = np.pad(grain.reshape(size, size) ** 2, step)
    weight = np.outer(*2 * [_weights(2 * step)]).astype(np.float32)
    factors, energies = [], []
    for row in range(STEPS + 1):
        for column in range(STEPS + 1):
            at = slice(row * step, row * step + 2 * step), slice(column * step, column * step + 2 * step)
            own = (padded[:, *at] * weight).reshape(len(padded), -1)
            floor = float((noise[at] * weight**2).mean())
            factor, energy = _factor(own, floor)
            factors.append(factor)
            energies.append(energy)
    logs = np.log(np.stack(energies, axis=1) + 1e-3)
    logs -= logs.mean(axis=0)
    common = logs.mean(axis=1)
    # a mean of squared normal numbers varies by itself; half, because a logarithm of squares is twice that of a scale
    chance = 2 / DIRECTIONS
    own_spread = np.sqrt(np.maximum((logs - common[:, None]).var(axis=0) - chance, 0)) / 2
    return Texture(np.stack(factors), float(common.std() / 2), own_spread.astype(np.float32), size)


def _factor(rows: Floats, floor: float) -> tuple[Floats, Floats]:
    """The main directions above the floor, each with the length of its spread, and how loud each row is along them."""
    values, vectors = np.linalg.eigh((rows.T @ rows).astype(np.float64) / len(rows))
    first = np.argsort(-values)[:DIRECTIONS]
    found = (rows @ vectors[:, first].astype(np.float32)) ** 2 / np.maximum(values[first], 1e-6)
    spread = np.sqrt(np.maximum(values[first] - floor, 0))
    return (vectors[:, first] * spread).T.astype(np.float32), found.mean(axis=1)


def _weights(length: int) -> NDArray[np.float64]:
    return np.sin(np.pi * (np.arange(length) + 0.5) / length)


def _together(windows: Floats, size: int) -> Floats:
    """Sum overlapping windows, (windows, images, pixels), into images."""
    step, count = size // STEPS, windows.shape[1]
    whole = np.zeros((count, size + 2 * step, size + 2 * step), np.float32)
    tiles = windows.reshape(STEPS + 1, STEPS + 1, count, 2 * step, 2 * step)
    for row in range(STEPS + 1):
        for column in range(STEPS + 1):
            whole[:, row * step : (row + 2) * step, column * step : (column + 2) * step] += tiles[row, column]
    return np.ascontiguousarray(whole[:, step:-step, step:-step]).reshape(count, -1)
