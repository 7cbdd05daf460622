"""Which layers there are: for each kind and side, the images that show it, and where in them it may lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

from leadapron.generation import conditions as words
from leadapron.generation.bent_layers import BentLayer, find_bent
from leadapron.generation.conditions import Conditions
from leadapron.generation.local_layers import FEWEST, KINDS, Found, Layer, add_patch, find_layer

Floats = NDArray[np.float32]
Key = tuple[str, str]

IN_LUNG = ("Consolidation", "Lung Opacity", "Pneumonia", "Lung Lesion", "Atelectasis")
BENT = ("Pneumothorax", "Pleural Other", *words.KINDS)
"""What has a course of its own."""
MOST, MOST_BENT = 1500, 600
"""Images that a layer is learnt of, and taken away from. In those that are left it would be taken for anatomy."""
MARKER, CORNER, EXPLAINED = "marker", 0.375, 0.2
"""A lead letter that lies in an upper corner of nearly every image: it is a layer where there is one, so that it
explains this share of the fine detail there."""
NOWHERE = -1e6
"""The logarithm of how likely a place is where nothing of a kind can lie."""


@dataclass(frozen=True)
class Trained:
    """What the linear fit left over, and the directions of anatomy with how much chests vary along them."""

    frames: Floats
    columns: Floats
    mean: Floats
    basis: Floats
    variances: Floats
    noise: float

    @cached_property
    def usual(self) -> Floats:
        """How much each pixel varies, in the frame of the template."""
        size = int(self.frames.shape[1] ** 0.5)
        variance: Floats = self.frames[:MOST].var(axis=0).reshape(size, size)
        return variance


def where_and_size(conditions: Conditions, name: str) -> Floats:
    """Zone (three), grade and measure of a kind, a row a prompt; of a device, its tip stands for the measure."""
    if name in words.PLACED:
        column = words.PLACED.index(name)
        zone, grade = conditions.zone[:, column], conditions.grade[:, column]
        return np.column_stack([zone, grade, conditions.measure[:, column]]).astype(np.float32)
    if name == MARKER:
        return np.zeros((len(conditions), 5), np.float32)
    nothing = np.zeros((len(conditions), 4), np.float32)
    return np.column_stack([nothing, conditions.tip[:, words.KINDS.index(name)]]).astype(np.float32)


def on_side(conditions: Conditions, name: str, side: str) -> Floats:
    """How likely it is there, on this side."""
    if name in words.PLACED:
        column = words.PLACED.index(name)
        return conditions.present[:, column] * (conditions.right if side == "right" else conditions.left)[:, column]
    if name == MARKER:
        return np.ones(len(conditions), np.float32)
    column = words.KINDS.index(name)
    right = conditions.device_right[:, column]
    if name not in words.SIDED_KINDS:
        return conditions.device[:, column] * (side == "right")
    return conditions.device[:, column] * (right if side == "right" else 1 - right)


def learn_layers(
    trained: Trained, conditions: Conditions, done: Callable[[int, int], None]
) -> tuple[dict[Key, Layer | BentLayer], Floats]:
    """The layers by kind and side, and what they account for in each image."""
    size = int(trained.frames.shape[1] ** 0.5)
    shown = np.zeros_like(trained.frames).reshape(-1, size, size)
    zones = _zone_maps(trained, size)
    layers: dict[Key, Layer | BentLayer] = {}
    keys = [(name, side) for name in (*BENT, *KINDS) for side in ("right", "left")]
    for number, (name, side) in enumerate(keys, 1):
        most = MOST_BENT if name in BENT else MOST
        rows = np.flatnonzero(on_side(conditions, name, side) > 0.9)[:most]
        done(number, len(keys))
        if len(rows) < FEWEST:
            continue
        if name in BENT:
            said = where_and_size(conditions.at(rows), name)
            layers[name, side], drawn = find_bent(*_seen(trained, rows, (name, side)), said, trained.usual)
            shown[rows] += drawn
            continue
        found = _learn(trained, conditions.at(rows), rows, (name, side), zones)
        if name == MARKER:
            if _show_marker(found.layer, side, trained.frames, shown):
                layers[name, side] = _without_strays(found.layer)
            continue
        layers[name, side] = found.layer
        for row, patch, place in zip(rows, found.patches, found.places, strict=True):
            add_patch(shown[row], patch, (int(place[0]), int(place[1])))
    return layers, shown.reshape(trained.frames.shape)


def _seen(trained: Trained, rows: NDArray[np.int64], key: Key) -> tuple[Floats, Floats]:
    """Images with something in them: without anatomy, as far as it is known, and with it."""
    own, size = own_columns(key), int(trained.frames.shape[1] ** 0.5)
    whole = trained.frames[rows] + trained.columns[rows][:, own] @ trained.mean[own]
    values = whole @ trained.basis.T
    frames = whole - (values * (trained.variances / (trained.variances + trained.noise))) @ trained.basis
    return frames.reshape(-1, size, size), whole.reshape(-1, size, size)


def _learn(
    trained: Trained, conditions: Conditions, rows: NDArray[np.int64], key: Key, zones: Mapping[Key, Floats]
) -> Found:
    (name, side), size = key, int(trained.frames.shape[1] ** 0.5)
    frames, whole = _seen(trained, rows, key)
    kind, said = KINDS[name], where_and_size(conditions, name)
    if name == MARKER:  # anatomy's directions hold its wanderings, and would take it away
        frames, maps = whole, np.full(frames.shape, NOWHERE, np.float32)
        maps[:, *_corner(side, size)] = 0
    elif name in IN_LUNG:
        places = np.stack([zones[side, zone] for zone in words.ZONES])
        maps = _log(np.einsum("nz,zhw->nhw", said[:, :3], places))
    else:  # where the mean of this kind is bright
        bright = gaussian_filter(frames.mean(axis=0), 4 * size / 128)
        maps = np.broadcast_to(_log(_density(bright)), frames.shape)
    return find_layer(frames, whole, trained.usual, maps, said, kind)


def _corner(side: str, size: int) -> tuple[slice, slice]:
    """The upper corner on a side; the patient's right is on the left of the image."""
    length = round(CORNER * size)
    return slice(0, length), slice(0, length) if side == "right" else slice(size - length, size)


def _show_marker(layer: Layer, side: str, frames: Floats, shown: Floats) -> bool:
    """Add the marker to what is shown in every image, if there is one."""
    size = shown.shape[1]
    rows, columns = _corner(side, size)
    corners = frames.reshape(shown.shape)[:, rows, columns]
    drawn = np.zeros_like(corners)
    for start in range(0, len(corners), MOST):
        places, patch = layer.fitted(corners[start : start + MOST])
        for corner, place in zip(drawn[start : start + MOST], places, strict=True):
            add_patch(corner, patch, (int(place[0]), int(place[1])))
    blur = (0, 2 * size / 128, 2 * size / 128)  # shoulders, which are not the marker's, are smooth
    sharp, left = corners - gaussian_filter(corners, blur), corners - drawn
    left -= gaussian_filter(left, blur)
    if (left**2).sum() > (1 - EXPLAINED) * (sharp**2).sum():
        return False
    shown[:, rows, columns] += drawn
    return True


def _without_strays(layer: Layer) -> Layer:
    """Without places far from most others: something else was taken for the marker there."""
    away = np.abs(layer.places - np.median(layer.places, axis=0))
    usual = (away <= 4 * np.median(away, axis=0) + 1).all(axis=1)
    return replace(layer, places=layer.places[usual], said=layer.said[usual])


def own_columns(key: Key) -> NDArray[np.int64]:
    """The columns of the design that belong to a finding or device on a side."""
    return np.flatnonzero([owner == key for owner in words.owners()])


def _zone_maps(trained: Trained, size: int) -> dict[Key, Floats]:
    """Where in the lungs findings lie that are said to be in a zone: where their mean effect is bright."""
    maps = {}
    for side in ("right", "left"):
        for number, zone in enumerate(words.ZONES):
            bright = sum(trained.mean[own_columns((name, side))[number]] for name in IN_LUNG)
            smooth = gaussian_filter(np.asarray(bright, np.float32).reshape(size, size), 3 * size / 128)
            maps[side, zone] = _density(smooth)
    return maps


def _density(bright: Floats) -> Floats:
    """The bright part of a map, as probabilities; what is below a fifth of the brightest does not count."""
    above = np.maximum(bright - 0.2 * bright.max(), 0)
    density: Floats = (above / max(float(above.sum()), 1e-9)).astype(np.float32)
    return density


def _log(density: Floats) -> Floats:
    logarithm: Floats = np.where(density > 0, np.log(np.maximum(density, 1e-12)), NOWHERE).astype(np.float32)
    return logarithm
