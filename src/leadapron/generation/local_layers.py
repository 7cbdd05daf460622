"""What a mean would blur: nodules, lines, bands and tubes, which lie at another place in every chest.

Each is found in the training images by a matched filter, within what the prompt leaves open, and laid over the others
of its kind. What is learnt is their mean, which depends on grade and size, and a few directions around it. A sample is
a sum of these at a place of its own: no piece of a training image is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft2, next_fast_len, rfft2
from scipy.ndimage import gaussian_filter

Floats = NDArray[np.float32]

FEWEST = 30
"""Images in which something must be found before a layer is learnt of it."""
DIRECTIONS, ROUNDS = 8, 3
JITTER = 1.5 / 128
"""Of the image's width: how far a place is moved, beside being drawn among those where others lie."""
PULL = 4.0


@dataclass(frozen=True)
class Kind:
    """How something is looked for; lengths are in 128ths of the width.

    ``window`` is what is laid over each other, (rows, columns); None is the whole image. ``start`` is the spread of
    the bright spot that the search begins with; without one it begins with the mean. ``reach`` is how far from the
    mean's place it may lie; without one it is as far as the map of its zone goes.
    """

    window: tuple[int, int] | None = None
    start: tuple[float, float] | None = None
    reach: tuple[int, int] | None = None


# Soft opacities, which are larger than what a window can tell from anatomy, are left to mean and variation.
KINDS = {
    "Lung Lesion": Kind((28, 28), start=(3.5, 3.5)),
    "Fracture": Kind((24, 24), start=(3.0, 3.0)),
    "Pneumonia": Kind((60, 60), start=(9.0, 9.0)),
    "Atelectasis": Kind((28, 48), start=(1.6, 9.0)),
    "Pneumothorax": Kind(reach=(4, 8)),
    "Pleural Other": Kind(reach=(14, 3)),
    "endotracheal": Kind(reach=(8, 4)),
    "nasogastric": Kind(reach=(4, 4)),
    "jugular": Kind(reach=(5, 4)),
    "arm": Kind(reach=(5, 4)),
    "chest": Kind(reach=(8, 5)),
    "pacemaker": Kind(reach=(4, 4)),
    "marker": Kind((22, 18), start=(3.0, 2.0)),
}


@dataclass(frozen=True)
class Layer:
    """``mean`` is linear in grade and measure; ``places`` are where it was found, with what was said there."""

    mean: Floats
    directions: Floats
    window: tuple[int, int]
    places: Floats
    said: Floats
    jitter: float

    def sample(self, said: Floats, rng: np.random.Generator) -> tuple[Floats, tuple[int, int]]:
        """A patch, and where its middle goes. ``said`` are zone (three), grade and measure."""
        size = np.array([1, *said[3:5]], np.float32)
        patch: Floats = size @ self.mean + rng.standard_normal(len(self.directions), np.float32) @ self.directions
        likely = np.exp(-4 * ((self.said - said) ** 2).sum(axis=1)) + 1e-9
        near = self.places[rng.choice(len(self.places), p=likely / likely.sum())]
        row, column = np.rint(near + self.jitter * rng.standard_normal(2)).astype(int)
        return patch.reshape(self.window), (int(row), int(column))

    def fitted(self, frames: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Where its mean fits best in each of some images of any size, and what it looks like there."""
        patch, size = self.mean[0].reshape(self.window), frames.shape[1]
        scores = _match(frames, patch).reshape(len(frames), -1)
        places = np.stack(np.unravel_index(scores.argmax(axis=1), (size, size)), axis=1)
        unit = _unit(self.directions)
        rest = _cut_all(frames, places, np.ones(self.window, np.float32)) - self.mean[0]
        return places, (self.mean[0] + (rest @ unit.T) @ unit).reshape(-1, *self.window)


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


def find_layer(frames: Floats, whole: Floats, maps: Floats, said: Floats, kind: Kind) -> Found | None:
    """Learn a layer from images of it, (images, size, size), from which anatomy is taken away as far as it is known;
    ``whole`` are the same images with it. ``maps`` are the logarithms of how likely each place is, an image each.
    """
    size = frames.shape[1]
    unit = size / 128
    window = (size, size) if kind.window is None else tuple(2 * round(length * unit / 2) for length in kind.window)
    spot = kind.start and tuple(unit * one for one in kind.start)
    trust = 1 / (gaussian_filter(frames.var(axis=0), unit) + 1e-3)
    patch = whole.mean(axis=0) if spot is None else _spot(window, spot) * np.sqrt(np.median(1 / trust))
    taper = np.ones(window, np.float32) if kind.window is None else _taper(window)
    trusted = frames * trust
    sizes = np.concatenate([np.ones((len(frames), 1), np.float32), said[:, 3:5]], axis=1)
    for _ in range(ROUNDS):
        scores = _match(trusted, patch) - 0.5 * _match(trust[None], patch**2) + maps
        places = np.stack(np.unravel_index(scores.reshape(len(frames), -1).argmax(axis=1), (size, size)), axis=1)
        flat = _cut_all(whole if kind.window is None else frames, places, taper)
        gram = sizes.T @ sizes + np.diag([1e-6, PULL, PULL]).astype(np.float32)
        mean = np.linalg.solve(gram, sizes.T @ flat).astype(np.float32)
        patch = mean[0].reshape(window)
    # around the mean, anatomy would drown what is small: it is taken away as far as it is known
    rest = _cut_all(frames, places, taper)
    rest = rest - sizes @ np.linalg.solve(gram, sizes.T @ rest).astype(np.float32)
    directions = _directions(rest, _cut_all(frames, places, taper, other=True))
    fitted = sizes @ mean + (rest @ _unit(directions).T) @ _unit(directions)
    layer = Layer(mean, directions, window, places.astype(np.float32), said, JITTER * size)
    return Found(layer, places, fitted.reshape(-1, *window).astype(np.float32))


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


def _spot(window: tuple[int, int], spread: tuple[float, float]) -> Floats:
    spot = np.zeros(window, np.float32)
    spot[window[0] // 2, window[1] // 2] = 1
    spot = gaussian_filter(spot, spread)
    return np.asarray(spot / spot.max(), np.float32)


def _taper(window: tuple[int, int]) -> Floats:
    """One in the middle, falling to zero at the edges, so that no frame shows."""
    ways = [np.minimum(1, 4 * np.minimum(np.arange(n) + 0.5, n - np.arange(n) - 0.5) / n) for n in window]
    return np.asarray(np.outer(*ways), np.float32)


def _cut_all(frames: Floats, places: NDArray[np.int64], taper: Floats, *, other: bool = False) -> Floats:
    """The tapered window of each image around its place, or of the ``other`` one before it, as rows."""
    shown = np.roll(frames, 1, axis=0) if other else frames
    patches = [_cut(frame, place, taper.shape) for frame, place in zip(shown, places, strict=True)]
    return (np.stack(patches) * taper).reshape(len(frames), -1)


def _directions(rest: NDArray[np.floating], control: Floats) -> Floats:
    """The directions in which it varies more than the same places do in another of the images."""
    control = control - control.mean(axis=0)
    both = np.concatenate([rest, control]).astype(np.float64)
    sign = np.concatenate([np.ones(len(rest)), -np.ones(len(control))]) / len(rest)
    # the eigenvectors of rest'rest - control'control lie in the span of both, which is small
    values, vectors = np.linalg.eigh(both @ both.T)
    held = values > 1e-9 * values.max()
    root = vectors[:, held] * np.sqrt(values[held])
    more, turn = np.linalg.eigh(root.T @ (sign[:, None] * root))
    first = np.argsort(-more)[:DIRECTIONS]
    first = first[more[first] > 0]
    span = both.T @ (vectors[:, held] / np.sqrt(values[held]))
    found: Floats = ((span @ turn[:, first]) * np.sqrt(more[first])).T.astype(np.float32)
    return found


def _unit(directions: Floats) -> Floats:
    length = np.sqrt((directions**2).sum(axis=1, keepdims=True))
    unit: Floats = directions / np.maximum(length, 1e-9)
    return unit
