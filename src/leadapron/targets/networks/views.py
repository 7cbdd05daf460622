"""Partial knowledge of an image: what an attacker asks with who does not hold the whole of it.

The model was trained on whole images and takes one size only, so that what is left is enlarged to it again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from leadapron.targets.learner import FULL

Bytes = NDArray[np.uint8]
PART = 4
"""A thumbnail has a quarter of the side; a crop leaves out a quarter of it at every edge."""


def whole(images: Bytes) -> Bytes:
    return images


def low_resolution(images: Bytes) -> Bytes:
    """A thumbnail: the mean of each cell of 4 x 4 pixels is all that is known."""
    side = images.shape[1]
    small = (side // PART, side // PART)
    return _each(
        images,
        lambda image: image.resize(small, Image.Resampling.BOX).resize((side, side), Image.Resampling.BILINEAR),
    )


def cropped(images: Bytes) -> Bytes:
    """The central half of each side."""
    side = images.shape[1]
    edge = side // PART
    centre = (edge, edge, side - edge, side - edge)
    return _each(images, lambda image: image.crop(centre).resize((side, side), Image.Resampling.BILINEAR))


View = Callable[[Bytes], Bytes]
PARTIAL: Mapping[str, View] = {"low-resolution": low_resolution, "cropped": cropped}
VIEWS: Mapping[str, View] = {FULL: whole, **PARTIAL}


def _each(images: Bytes, change: Callable[[Image.Image], Image.Image]) -> Bytes:
    changed = np.empty(images.shape, dtype=np.uint8)
    for at, image in enumerate(images):
        changed[at] = np.asarray(change(Image.fromarray(image)))
    return changed
