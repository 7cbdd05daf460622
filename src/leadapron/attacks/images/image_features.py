"""Images as a few hundred numbers, without any training: principal components, and an encoder's features.

The axes are found on images that the attacker knows. Every number is brought to a spread of one and clipped: a few
exploded images must not blind an attacker.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from leadapron.encoders.image_rows import image_rows, resized
from leadapron.engine import Progress, silent

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

SIDE = 48
"""Rows and columns that components are found in."""
NEAR = 4.0
"""Pixels at that size: within them contrast is evened out."""
COMPONENTS, OF_ENCODER = 256, 128
MOST_FITTED = 4000
"""Images that axes are found on; more would change them little."""
OVERSAMPLED, ROUNDS = 20, 3
"""Of the randomised decomposition (Halko, Martinsson and Tropp 2011)."""
FURTHEST = 6.0
AT_ONCE = 512


@dataclass(frozen=True)
class Axes:
    """From rows to numbers with a spread of one each, as far as the rows that they were found on go."""

    centre: Floats
    turn: Floats

    def __call__(self, rows: Floats) -> Floats:
        turned: Floats = np.clip((rows - self.centre) @ self.turn, -FURTHEST, FURTHEST)
        return turned


def find_axes(rows: Floats, numbers: int, seed: int) -> Axes:
    """The directions in which the rows vary most, scaled to a spread of one."""
    rng = np.random.default_rng(seed)
    some = rows[np.sort(rng.permutation(len(rows))[:MOST_FITTED])]
    centre = some.mean(axis=0)
    apart = some - centre
    wanted = min(numbers, len(some) - 1, rows.shape[1])
    basis = rng.standard_normal((rows.shape[1], min(wanted + OVERSAMPLED, *apart.shape))).astype(np.float32)
    for _ in range(ROUNDS):
        basis = np.linalg.qr(apart.T @ (apart @ basis))[0]
    _, spread, turn = np.linalg.svd(apart @ basis, full_matrices=False)
    there = spread > 1e-6 * spread[0]
    kept = np.flatnonzero(there)[:wanted]
    scale = np.sqrt(len(some)) / spread[kept]
    return Axes(centre, ((basis @ turn[kept].T) * scale).astype(np.float32))


def plain_rows(images: Bytes) -> Floats:
    """The pixels at a small size, as they are and with even contrast, a row an image."""
    small = resized(images, SIDE).astype(np.float32) / 255
    rows = np.empty((len(small), 2 * SIDE * SIDE), dtype=np.float32)
    for start in range(0, len(small), AT_ONCE):
        some = small[start : start + AT_ONCE]
        local = some - gaussian_filter(some, (0, NEAR, NEAR))
        even = local / (np.sqrt(gaussian_filter(local**2, (0, NEAR, NEAR))) + 0.02)
        rows[start : start + AT_ONCE] = np.concatenate(
            [
                (some - some.mean(axis=(1, 2), keepdims=True)).reshape(len(some), -1) * 2,
                even.reshape(len(some), -1) / 4,
            ],
            axis=1,
        )
    return rows


@dataclass(frozen=True)
class Looked:
    """Rows of images before axes are found in them: what is costly, once."""

    plain: Floats
    encoded: Floats | None


def look(images: Bytes, encoder: str | None, *, progress: Progress = silent) -> Looked:
    encoded = None if encoder is None else image_rows(encoder, images, progress=progress)
    return Looked(plain_rows(images), encoded)


def numbers_of(looked: Looked, known: Ints, seed: int, others: Looked | None = None) -> tuple[Floats, Floats]:
    """The numbers of every image, and of every image of ``others``, on axes of the known images of both."""

    def axes(own: Floats, theirs: Floats | None, numbers: int) -> Axes:
        rows = own[known] if theirs is None else np.concatenate([own[known], theirs[known]])
        return find_axes(rows, numbers, seed)

    return _on_axes(looked, others, axes)


def on_axes_of(looked: Looked, known: Ints, seed: int, others: Looked) -> tuple[Floats, Floats]:
    """The same on axes of ``looked`` alone: of one who has never seen any of ``others``."""
    return _on_axes(looked, others, lambda own, _, numbers: find_axes(own[known], numbers, seed))


def _on_axes(
    looked: Looked, others: Looked | None, find: Callable[[Floats, Floats | None, int], Axes]
) -> tuple[Floats, Floats]:
    found: tuple[list[Floats], list[Floats]] = ([], [])
    parts = [(looked.plain, None if others is None else others.plain, COMPONENTS)]
    if looked.encoded is not None:
        parts.append((looked.encoded, None if others is None else others.encoded, OF_ENCODER))
    for own, theirs, numbers in parts:
        axes = find(own, theirs, numbers)
        found[0].append(axes(own))
        found[1].append(found[0][-1] if theirs is None else axes(theirs))
    return np.concatenate(found[0], axis=1), np.concatenate(found[1], axis=1)
