"""Pixels as the linkage study prepared them.

Shift by the minimum, divide by the maximum, clip, convert to 8 bit, equalise the histogram, resize.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from leadapron.engine.compiled import kernel
from leadapron.errors import DataError

LEVELS = 256
NOT_FINITE = "the image holds values that are not finite"


Shown = Callable[[NDArray[Any]], NDArray[Any]]
"""What stored numbers stand for, each by itself."""


def same(stored: NDArray[Any]) -> NDArray[Any]:
    return stored


def prepare(image: NDArray[Any], size: int, shown: Shown = same) -> NDArray[np.uint8]:
    """The study's pipeline: an image of any depth and shape as ``size`` x ``size`` of 8 bit.

    Whole numbers of up to 16 bit are counted and looked up: what happens to a pixel before it is resized depends on
    its number alone, so it is calculated once a number.
    """
    if image.dtype.kind not in "bui" or image.dtype.itemsize > 2:
        return resized(equalise(to_8_bit(shown(image))), size)
    whole = np.ascontiguousarray(image, image.dtype.newbyteorder("=") if image.dtype != bool else np.uint8)
    lowest = int(np.iinfo(whole.dtype).min)
    counts = count_numbers(whole, lowest)
    occurring = np.flatnonzero(counts)
    table = np.zeros(len(counts), dtype=np.uint8)
    table[occurring] = tones(shown((occurring + lowest).astype(whole.dtype)[None])[0], counts[occurring])
    return resized(look_up(whole, table, lowest), size)


def resized(levels: NDArray[Any], size: int, part: tuple[float, float] | None = None) -> NDArray[np.uint8]:
    """At the size that is wanted; ``part`` is how much of the width and height is image."""
    box = None if part is None else (0, 0, *part)
    image = Image.fromarray(levels).resize((size, size), Image.Resampling.BILINEAR, box)
    pixels: NDArray[Any] = np.asarray(image)
    if pixels.dtype == np.uint8:
        return pixels
    return np.asarray(np.clip(np.rint(pixels), 0, LEVELS - 1), dtype=np.uint8)


def tones(values: NDArray[Any], counts: NDArray[Any]) -> NDArray[np.uint8]:
    """What each value becomes before resizing, from how often each occurs."""
    levels = to_8_bit(values)
    return equalising(np.bincount(levels, weights=counts, minlength=LEVELS))[levels]


def to_8_bit(image: NDArray[Any]) -> NDArray[np.uint8]:
    """Shifted by the minimum, divided by the maximum, clipped to [0, 1], scaled to 0..255."""
    values: NDArray[np.floating[Any]] = image.astype(np.float32 if image.dtype.itemsize <= 2 else np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        values -= values.min()
    if not np.isfinite(values).all():
        raise DataError(NOT_FINITE)
    largest = values.max()
    if largest > 0:
        values /= largest
    return np.asarray(np.clip(values, 0, 1) * (LEVELS - 1)).astype(np.uint8)


def equalise(levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Histogram equalisation, as OpenCV defines it."""
    return equalising(np.bincount(levels.ravel(), minlength=LEVELS))[levels]


def equalising(counts: NDArray[Any]) -> NDArray[np.uint8]:
    """What each level becomes, from how often each occurs: the darkest level present maps to 0, the brightest to 255.

    In single precision, as OpenCV computes it: halves then round to the same side.
    """
    darkest = int(np.flatnonzero(counts)[0])
    below = np.cumsum(counts) - counts[darkest]
    if below[-1] == 0:  # a constant image has nothing to equalise
        return np.full(LEVELS, darkest, dtype=np.uint8)
    scale = np.float32(LEVELS - 1) / np.float32(below[-1])
    return np.asarray(np.rint(np.maximum(below, 0).astype(np.float32) * scale), dtype=np.uint8)


@kernel
def count_numbers(image: NDArray[Any], lowest: int) -> NDArray[np.int64]:
    """How often each number of this type occurs, from its lowest on. By turns in four rows: equal neighbours, as in a
    dark margin, would wait for each other in one."""
    rows = np.zeros((4, 1 << (8 * image.itemsize)), dtype=np.int64)
    flat = image.ravel()
    for place in range(len(flat)):
        rows[place & 3, np.int64(flat[place]) - lowest] += 1
    counts: NDArray[np.int64] = rows.sum(axis=0)
    return counts


@kernel
def look_up(image: NDArray[Any], table: NDArray[np.uint8], lowest: int) -> NDArray[np.uint8]:
    out = np.empty(image.shape, dtype=np.uint8)
    for row in range(image.shape[0]):
        for column in range(image.shape[1]):
            out[row, column] = table[np.int64(image[row, column]) - lowest]
    return out
