"""Images as a few hundred numbers, without any training: principal components, and an encoder's features.

The axes are found on images that the attacker knows. Every number is brought to a spread of one and clipped: a few
exploded images must not blind an attacker.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from leadapron.encoders.image_rows import image_rows, resized
from leadapron.engine import Progress, silent
from leadapron.engine.remembered import content, remembered
from leadapron.training.devices import AUTO

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
NO_ENCODER = "none"


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
    return remembered(images, "plain rows", lambda: _plain_rows(images))


def _plain_rows(images: Bytes) -> Floats:
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
class Numbers:
    """Released and real images as numbers, row by row: on axes of real images, and on axes of both."""

    released: Floats
    real: Floats
    released_mixed: Floats
    real_mixed: Floats


def numbers_of(
    released: Bytes,
    source: Bytes,
    known: Ints,
    encoder: str,
    seed: int,
    *,
    device: str = AUTO,
    progress: Progress = silent,
) -> Numbers:
    """What is found on real images is found on ``known`` ones alone. ``encoder`` may be none, by this name."""
    what = ("numbers", content(source, known), encoder, seed, released is source)
    return remembered(released, what, lambda: _numbers(released, source, known, encoder, seed, device, progress))


def _numbers(
    released: Bytes, source: Bytes, known: Ints, encoder: str, seed: int, device: str, progress: Progress
) -> Numbers:
    real = _looks(source, encoder, device, progress)
    of_real = remembered(
        source,
        ("axes", content(known), encoder, seed),
        lambda: [find_axes(rows[known], numbers, seed) for rows, numbers in real],
    )
    own = _on_axes(real, of_real)
    if released is source:
        return Numbers(own, own, own, own)
    made = _looks(released, encoder, device, progress)
    of_both = [
        find_axes(np.concatenate([rows[known], theirs[known]]), numbers, seed)
        for (rows, numbers), (theirs, _) in zip(real, made, strict=True)
    ]
    return Numbers(_on_axes(made, of_real), own, _on_axes(made, of_both), _on_axes(real, of_both))


def _looks(images: Bytes, encoder: str, device: str, progress: Progress) -> list[tuple[Floats, int]]:
    """The ways to see images, each with how many numbers are made of it."""
    looks = [(plain_rows(images), COMPONENTS)]
    if encoder != NO_ENCODER:
        looks.append((image_rows(encoder, images, device=device, progress=progress), OF_ENCODER))
    return looks


def _on_axes(looks: list[tuple[Floats, int]], axes: list[Axes]) -> Floats:
    return np.concatenate([one(rows) for (rows, _), one in zip(looks, axes, strict=True)], axis=1)
