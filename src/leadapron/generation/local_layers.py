"""What lies at another place in every chest: nodules, opacities, bands, fractures, the lead letter.

Each is found in the training images by a matched filter, within what the prompt leaves open, and laid over the others
of its kind. A sample is what all of them have in common, at a place of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft2, next_fast_len, rfft2
from scipy.ndimage import gaussian_filter

from leadapron.generation.bent_layers import BentLayer, find_bent

Floats = NDArray[np.float32]

FEWEST = 30
"""Images in which something must be found before a layer is learnt of it."""
ROUNDS = 3
JITTER = 1.5 / 128
"""Of the image's width: how far a place is moved, beside being drawn among those where others lie."""


@dataclass(frozen=True)
class Kind:
    """How something is looked for; lengths are in 128ths of the width.

    ``window`` is the side of the square that is laid over others. ``start`` is the spread of the bright spot that the
    search begins with, down and across.
    """

    window: int
    start: tuple[float, float]


KINDS = {
    "Lung Lesion": Kind(28, (3.5, 3.5)),
    "Fracture": Kind(24, (3.0, 3.0)),
    "Consolidation": Kind(64, (9.0, 9.0)),
    "Lung Opacity": Kind(64, (9.0, 9.0)),
    "Pneumonia": Kind(64, (9.0, 9.0)),
    "Atelectasis": Kind(48, (1.6, 9.0)),
    "marker": Kind(22, (3.0, 2.0)),
}


@dataclass(frozen=True)
class Layer:
    """How it looks in its window; ``places`` are where it was found, with what was said there."""

    looks: BentLayer
    window: int
    places: Floats
    said: Floats
    jitter: float

    def lay(self, frame: Floats, said: Floats, rng: np.random.Generator) -> None:
        """Add one. ``said`` are zone (three), grade and measure."""
        patch = np.zeros((self.window, self.window), np.float32)
        self.looks.lay(patch, said, rng)
        likely = np.exp(-4 * ((self.said - said) ** 2).sum(axis=1)) + 1e-9
        near = self.places[rng.choice(len(self.places), p=likely / likely.sum())]
        row, column = np.rint(near + self.jitter * rng.standard_normal(2)).astype(int)
        add_patch(frame, patch, (int(row), int(column)))

    def fitted(self, frames: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Where its mean fits best in each of some images of any size, and that mean."""
        patch, size = self.looks.mean[0].reshape(self.window, self.window), frames.shape[1]
        scores = _match(frames, patch).reshape(len(frames), -1)
        return np.stack(np.unravel_index(scores.argmax(axis=1), (size, size)), axis=1), patch


@dataclass(frozen=True)
class Found:
    """Where a layer lies in each of some training images, and what it looks like there."""

    layer: Layer
    places: NDArray[np.int64]
    patches: Floats


def add_patch(frame: Floats, patch: Floats, place: tuple[int, int]) -> None:
    """Lay a patch with its middle at a place; what is beyond the edge is lost."""
    top, left = place[0] - patch.shape[0] // 2, place[1] - patch.shape[1] // 2
    rows = slice(max(top, 0), max(0, min(top + patch.shape[0], frame.shape[0])))
    columns = slice(max(left, 0), max(0, min(left + patch.shape[1], frame.shape[1])))
    frame[rows, columns] += patch[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]


def find_layer(frames: Floats, whole: Floats, usual: Floats, maps: Floats, said: Floats, kind: Kind) -> Found:
    """Learn a layer from images of it, (images, size, size), from which anatomy is taken away as far as it is known,
    and from the ``whole`` ones. ``usual`` is how much pixels vary without it, ``maps`` are the logarithms of how likely
    each place is, an image each.
    """
    size = frames.shape[1]
    unit = size / 128
    window = 2 * round(kind.window * unit / 2)
    trust = 1 / (gaussian_filter(frames.var(axis=0), unit) + 1e-3)
    patch = _spot(window, (unit * kind.start[0], unit * kind.start[1])) * np.sqrt(np.median(1 / trust))
    trusted, taper = frames * trust, _taper(window)
    for _ in range(ROUNDS):
        scores = _match(trusted, patch) - 0.5 * _match(trust[None], patch**2) + maps
        places = np.stack(np.unravel_index(scores.reshape(len(frames), -1).argmax(axis=1), (size, size)), axis=1)
        cut = _cut_all(frames, places, taper)
        patch = cut.mean(axis=0)
    around = _cut_all(np.broadcast_to(usual, frames.shape), places, taper**2).mean(axis=0)
    looks, patches = find_bent(cut, _cut_all(whole, places, taper), said, around)
    return Found(Layer(looks, window, places.astype(np.float32), said, JITTER * size), places, patches)


def _match(frames: Floats, patch: Floats) -> Floats:
    """For every place how well the patch fits with its middle there."""
    size, window = frames.shape[1], patch.shape
    length = next_fast_len(size + max(window), real=True)
    turned = rfft2(patch[::-1, ::-1], (length, length))
    both = irfft2(rfft2(frames, (length, length)) * turned, (length, length))
    # the middle of the patch at place p is the end of the full correlation at p + window // 2 - 1
    top, left = window[0] - 1 - window[0] // 2, window[1] - 1 - window[1] // 2
    scores: Floats = both[:, top : top + size, left : left + size]
    return scores


def _cut(frame: Floats, place: NDArray[np.integer], window: tuple[int, int]) -> Floats:
    """The window around a place; zero beyond the edge."""
    patch = np.zeros(window, np.float32)
    top, left = place[0] - window[0] // 2, place[1] - window[1] // 2
    rows = slice(max(top, 0), max(0, min(top + window[0], frame.shape[0])))
    columns = slice(max(left, 0), max(0, min(left + window[1], frame.shape[1])))
    patch[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left] = frame[rows, columns]
    return patch


def _spot(window: int, spread: tuple[float, float]) -> Floats:
    spot = np.zeros((window, window), np.float32)
    spot[window // 2, window // 2] = 1
    spot = gaussian_filter(spot, spread)
    return np.asarray(spot / spot.max(), np.float32)


def _taper(window: int) -> Floats:
    """One in the middle, falling to zero at the edges, so that no frame shows."""
    places = np.arange(window)
    way = np.minimum(1, 4 * np.minimum(places + 0.5, window - places - 0.5) / window)
    return np.asarray(np.outer(way, way), np.float32)


def _cut_all(frames: Floats, places: NDArray[np.int64], taper: Floats) -> Floats:
    """The tapered window of each image around its place."""
    patches = [_cut(frame, place, taper.shape) for frame, place in zip(frames, places, strict=True)]
    return np.stack(patches) * taper
