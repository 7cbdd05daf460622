"""How near an image is to the nearest of many, as a whole and patch by patch, in whitened spaces."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.images.image_features import Axes, find_axes, plain_rows
from leadapron.encoders.image_rows import resized
from leadapron.engine.remembered import content, remembered

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

WHOLE, IN_PATCHES = 128, 12
"""Components of a whole image, and of a patch."""
SIDE, PATCH, STEP = 64, 16, 8
AT_ONCE = 512


def whole_rows(images: Bytes, known: Ints, seed: int, others: Bytes | None = None) -> tuple[Floats, Floats]:
    """Whitened components of all images and of ``others``, on axes of the known ones among the first."""

    def find() -> tuple[Axes, Floats]:
        axes = find_axes(plain_rows(images)[known], WHOLE, seed)
        return axes, axes(plain_rows(images))

    axes, own = remembered(images, ("whole rows", content(known), seed), find)
    return own, own if others is None else axes(plain_rows(others))


def nearest(rows: Floats, among: Floats, owner: tuple[Ints, Ints] | None = None) -> tuple[Doubles, Ints]:
    """The distance to the nearest row of ``among``, and which it is; with ``owner``, the nearest of another patient."""
    squares = (among.astype(np.float64) ** 2).sum(axis=1)
    found, place = np.empty(len(rows)), np.empty(len(rows), dtype=np.int64)
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE].astype(np.float64)
        apart = squares - 2 * some @ among.astype(np.float64).T
        if owner is not None:
            apart[owner[0][start : start + AT_ONCE, None] == owner[1]] = np.inf
        best = apart.argmin(axis=1)
        place[start : start + AT_ONCE] = best
        found[start : start + AT_ONCE] = apart[np.arange(len(some)), best] + (some**2).sum(axis=1)
    return np.sqrt(np.maximum(found, 0.0)), place


@dataclass(frozen=True)
class Patches:
    """Of every patch of some images the nearest training patch at the same place: how far, and of which image.

    Rows are images, columns places.
    """

    distance: Doubles
    image: Ints

    def scores(self, usual: Patches, rate: float) -> Doubles:
        """At how many places one and the same training image is the nearest: of a copy of a quarter, at a quarter.

        Of equals, the one counts as nearer whose patches are. A place that is black in many images tells nothing:
        ``usual`` images come near there, too.
        """
        near = np.quantile(usual.distance, rate, axis=0)
        told = near > 0.05 * np.median(near[near > 0]) if (near > 0).any() else near > 0
        if not told.any():
            return np.zeros(len(self.distance))
        votes = np.array([np.bincount(row).max() for row in self.image[:, told]], dtype=np.float64)
        apart = np.log1p(self.distance[:, told] / near[told]).mean(axis=1)
        scores: Doubles = votes - apart / (1 + apart)
        return scores


@dataclass(frozen=True)
class KnownPatches:
    """Training patches: the places that are looked at, and at each the axes and the patches on them."""

    windows: list[tuple[slice, slice]]
    axes: list[Axes]
    rows: list[Floats]


def known_patches(training: Bytes, seed: int) -> KnownPatches:
    """A place where all training images are the same tells nothing, and is left out."""
    small, found = _small(training), KnownPatches([], [], [])
    places = range(0, SIDE - PATCH + 1, STEP)
    for down, across in product(places, places):
        window = slice(down, down + PATCH), slice(across, across + PATCH)
        cut = _cut(small, window)
        if float(cut.std(axis=0).max()) < 1e-6:
            continue
        found.windows.append(window)
        found.axes.append(find_axes(cut, IN_PATCHES, seed))
        found.rows.append(found.axes[-1](cut))
    return found


def patch_distances(known: KnownPatches, asked: Bytes) -> Patches:
    """The patches of images against those of the training images, place by place."""
    small = _small(asked)
    near = [
        nearest(axes(_cut(small, window)), rows)
        for window, axes, rows in zip(known.windows, known.axes, known.rows, strict=True)
    ]
    return Patches(np.stack([far for far, _ in near], axis=1), np.stack([image for _, image in near], axis=1))


def _small(images: Bytes) -> Floats:
    small: Floats = resized(images, SIDE).astype(np.float32) / np.float32(255)
    return small


def _cut(small: Floats, window: tuple[slice, slice]) -> Floats:
    return small[:, *window].reshape(len(small), -1)
