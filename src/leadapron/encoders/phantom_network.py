"""The phantom clinic's own dual encoders: a small convolutional network and a bag of word groups, in NumPy.

They need no torch to run, so the demo starts at once on any laptop. ``phantom_training`` trains them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadapron.encoders.encoder import Bytes, Encoder, Floats, Heads
from leadapron.errors import MissingWeightsError
from leadapron.release import Layer, Projection

IMAGE_SIZE = 128
BUCKETS = 8192
LONGEST_GROUP = 3
TEXT_LENGTH = 256
FEATURES = 256
DIMENSION = 128

CELL = 4  # the image is cut into cells of 4 x 4 pixels, a channel a pixel
CHANNELS = (CELL**2, 32, 64, 128)
STRIDES = (1, 2, 2)
KERNEL = 3
SQUEEZED = 16
WORD_WIDTH = 64
GRID = IMAGE_SIZE // CELL // 4

SHAPES: dict[str, tuple[int, ...]] = {
    **{f"conv{n}.weight": (CHANNELS[n + 1], CHANNELS[n], KERNEL, KERNEL) for n in range(len(STRIDES))},
    **{f"conv{n}.bias": (CHANNELS[n + 1],) for n in range(len(STRIDES))},
    "squeeze.weight": (SQUEEZED, CHANNELS[-1]),
    "squeeze.bias": (SQUEEZED,),
    "image.weight": (FEATURES, SQUEEZED * GRID * GRID),
    "image.bias": (FEATURES,),
    "image_head.weight": (DIMENSION, FEATURES),
    "words.weight": (BUCKETS, WORD_WIDTH),
    "text.weight": (FEATURES, WORD_WIDTH),
    "text.bias": (FEATURES,),
    "text_head.weight": (DIMENSION, FEATURES),
}
WEIGHTS = Path(__file__).parent / "phantom_weights"


def word_groups(text: str) -> list[int]:
    """The hash buckets of a text's words, pairs and triples of words, each once."""
    words = re.findall(r"[a-z]+|\d+", text.lower())[:TEXT_LENGTH]
    groups = (
        " ".join(words[start : start + length])
        for length in range(1, LONGEST_GROUP + 1)
        for start in range(len(words) - length + 1)
    )
    return sorted({zlib.crc32(group.encode()) % BUCKETS for group in groups})


def bag(texts: list[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The buckets of all texts in one row, and where each text starts."""
    buckets = [word_groups(text) or [0] for text in texts]
    starts = np.cumsum([0, *(len(row) for row in buckets[:-1])])
    return np.concatenate(buckets).astype(np.int64), starts.astype(np.int64)


def random_weights(seed: int) -> dict[str, Floats]:
    """Weights of an encoder that has seen nothing: scaled so that every layer keeps the size of its input."""
    rng = np.random.default_rng(seed)
    weights = {}
    for name, shape in SHAPES.items():
        spread = np.sqrt(2 / np.prod(shape[1:])) if len(shape) > 1 else 0.0
        weights[name] = (rng.standard_normal(shape) * spread).astype(np.float32)
    return weights


def stored_weights(name: str) -> dict[str, Floats]:
    """Weights that ship with the package, kept in half precision."""
    from safetensors.numpy import load_file

    return {key: value.astype(np.float32) for key, value in load_file(shipped(name)).items()}


def shipped(name: str) -> Path:
    """The file of weights that comes with the package under this name."""
    file = WEIGHTS / f"{name}.safetensors"
    if not file.is_file():
        raise MissingWeightsError(
            f"the weights of the encoder 'phantom-{name}', which come with leadapron, are not in this installation",
            where=file,
            fix="Install leadapron again, or train them in a clone with: make encoders",
        )
    return file


def load(name: str | None) -> Encoder:
    """The encoder that ships under this name; without one, an encoder that has seen nothing."""
    if name is None:
        return phantom_encoder(random_weights(0))
    return replace(phantom_encoder(stored_weights(name)), weights={f"phantom-{name}": shipped(name)})


def phantom_encoder(weights: Mapping[str, Floats]) -> Encoder:
    """An encoder from its weights."""
    return Encoder(
        image_backbone=lambda pixels: image_features(weights, pixels),
        text_backbone=lambda texts: text_features(weights, texts),
        heads=Heads(image=_head(weights["image_head.weight"]), text=_head(weights["text_head.weight"])),
        text_tower=weights,
    )


def _head(weight: Floats) -> Projection:
    return Projection((Layer("linear", {"weight": weight}),))


def image_features(weights: Mapping[str, Floats], pixels: Bytes) -> Floats:
    """Three convolutions over cells, a squeeze of the channels, and a dense layer that keeps the places apart."""
    side = IMAGE_SIZE // CELL
    cells = pixels.reshape(-1, side, CELL, side, CELL).transpose(0, 1, 3, 2, 4).reshape(-1, side, side, CELL**2)
    values = cells.astype(np.float32) / np.float32(255) - np.float32(0.5)
    for layer, stride in enumerate(STRIDES):
        weight, bias = weights[f"conv{layer}.weight"], weights[f"conv{layer}.bias"]
        values = np.maximum(_convolve(values, weight, stride) + bias, 0)
    values = values @ weights["squeeze.weight"].T + weights["squeeze.bias"]
    flat = values.transpose(0, 3, 1, 2).reshape(len(values), -1)
    features: Floats = np.maximum(flat @ weights["image.weight"].T + weights["image.bias"], 0)
    return features


def _convolve(values: Floats, weight: Floats, stride: int) -> Floats:
    """A 3 x 3 convolution over rows x height x width x channels, as one matrix product."""
    padded = np.pad(values, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (KERNEL, KERNEL), axis=(1, 2))[:, ::stride, ::stride]
    rows, height, width = windows.shape[:3]
    product = windows.reshape(rows * height * width, -1) @ weight.reshape(len(weight), -1).T
    return product.reshape(rows, height, width, -1)


def text_features(weights: Mapping[str, Floats], texts: list[str]) -> Floats:
    """The sum of the word groups' vectors over the root of their number, and one dense layer."""
    buckets, starts = bag(texts)
    counts = np.diff([*starts, len(buckets)])
    total = np.add.reduceat(weights["words.weight"][buckets], starts, axis=0)
    return np.maximum(
        total / np.sqrt(counts)[:, None].astype(np.float32) @ weights["text.weight"].T + weights["text.bias"],
        0,
    )
