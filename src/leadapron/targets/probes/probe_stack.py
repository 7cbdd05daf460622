"""A stack of small networks that are computed together: every product is one call for all of them.

A layer of the stack is an array of models x inputs x outputs, its last input a constant one, so that a bias is a weight
like others. The product of a stack is the products of its models, each of the same shape whoever stands beside it: a
model comes out the same to the last bit, alone or with others. One product over all models side by side, on rows that
they share, would be slower: a model is not to see half of those rows, and half of the work would be for nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Singles = NDArray[np.float32]
Layers = Sequence[Singles]
UNDECIDED = 0.01
"""The variance of a fresh model's logits, about: what it says at the start is soon forgotten."""
FIRST, SECOND, TINY = 0.9, 0.999, 1e-8
WARM_UP = 0.1
"""The share of steps in which the learning rate rises."""


@dataclass(frozen=True)
class Shape:
    """The widths from the embedding to the labels: two for a linear probe, three for one with a hidden layer."""

    widths: tuple[int, ...]

    @property
    def _sizes(self) -> list[tuple[int, int]]:
        return [(given + 1, out) for given, out in zip(self.widths[:-1], self.widths[1:], strict=True)]

    @property
    def parameters(self) -> int:
        return sum(given * out for given, out in self._sizes)

    def layers(self, flat: Singles) -> list[Singles]:
        """Views of models x parameters: what is done to the layers is done to ``flat``."""
        found, start = [], 0
        for given, out in self._sizes:
            found.append(flat[:, start : start + given * out].reshape(len(flat), given, out))
            start += given * out
        return found

    def decays(self) -> Singles:
        """1 for weights and 0 for biases, which are left alone by weight decay."""
        flat = np.ones(self.parameters, dtype=np.float32)
        for layer in self.layers(flat[None]):
            layer[:, -1] = 0
        return flat

    def fresh(self, rng: np.random.Generator) -> Singles:
        """One model's parameters at the start: He's spread into hidden layers, and labels that are nearly undecided."""
        flat = np.zeros(self.parameters, dtype=np.float32)
        layers = self.layers(flat[None])
        for at, layer in enumerate(layers):
            spread = np.sqrt((UNDECIDED if at == len(layers) - 1 else 2) / (layer.shape[1] - 1))
            layer[0, :-1] = spread * rng.standard_normal(layer[0, :-1].shape, dtype=np.float32)
        return flat


def with_ones(rows: Singles) -> Singles:
    """Rows as a layer wants them: with the constant one behind."""
    return np.concatenate([rows, np.ones((*rows.shape[:-1], 1), dtype=np.float32)], axis=-1)


def forward(layers: Layers, inputs: Singles) -> tuple[list[Singles], Singles]:
    """What every layer is given, and the logits: models x rows x labels. ``inputs`` may be shared by the models."""
    given = [inputs]
    for weights in layers[:-1]:
        hidden = np.empty((len(weights), inputs.shape[-2], weights.shape[2] + 1), dtype=np.float32)
        units = hidden[..., :-1]
        np.matmul(given[-1], weights, out=units)
        np.maximum(units, 0, out=units)
        hidden[..., -1] = 1
        given.append(hidden)
    return given, given[-1] @ layers[-1]


def loss_slopes(logits: Singles, signs: Singles) -> Singles:
    """The derivative of the log loss, summed over labels, by the logits; 0 where a label is unknown.

    With the sign y, 1 for positive, -1 for negative, it is (tanh(z / 2) - y) / 2.
    """
    slopes: Singles = np.tanh(logits * np.float32(0.5))
    slopes -= signs
    slopes *= np.abs(signs) * np.float32(0.5)
    return slopes


def backward(layers: Layers, given: Sequence[Singles], slopes: Singles) -> list[Singles]:
    """The derivative by what every layer puts out, row by row."""
    found = [slopes]
    for weights, units in zip(reversed(layers[1:]), reversed(given[1:]), strict=True):
        below = found[0] @ weights[:, :-1].swapaxes(1, 2)
        below *= units[..., :-1] > 0
        found.insert(0, below)
    return found


def row_lengths(given: Sequence[Singles], slopes: Sequence[Singles]) -> Singles:
    """The length of every row's own gradient, models x rows, without building it.

    A row's gradient of a layer is an outer product, whose length is the product of two lengths; the constant one among
    the inputs stands for the bias.
    """
    squares = [
        np.einsum("...i,...i->...", inputs, inputs) * np.einsum("...i,...i->...", slope, slope)
        for inputs, slope in zip(given, slopes, strict=True)
    ]
    lengths: Singles = np.sqrt(np.sum(squares, axis=0))
    return lengths


def scale_rows(slopes: Sequence[Singles], factors: Singles) -> None:
    """Every row's gradient times its factor, in place: the gradient is linear in the slopes."""
    for slope in slopes:
        slope *= factors[..., None]


def sum_rows(given: Sequence[Singles], slopes: Sequence[Singles], out: Layers) -> None:
    """The gradients of all rows, added up into ``out``."""
    for inputs, slope, layer in zip(given, slopes, out, strict=True):
        np.matmul(inputs.swapaxes(-1, -2), slope, out=layer)


def learning_rate(highest: float, step: int, steps: int, *, schedule: bool) -> float:
    """One cycle: up along a line, down to zero along half a cosine; or always the same."""
    if not schedule:
        return highest
    warm = max(1, round(WARM_UP * steps))
    if step < warm:
        return highest * (step + 1) / warm
    return highest * 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, steps - warm)))


class AdamW:
    """The parameters of a stack, models x parameters, changed in place; everything goes element by element."""

    def __init__(self, flat: Singles, decay: Singles) -> None:
        """``decay``: what is taken off every parameter, as a share of it, at a learning rate of one."""
        self._flat, self._decay = flat, decay
        self._mean, self._square, self._room = (np.zeros_like(flat) for _ in range(3))
        self._steps = 0

    def step(self, gradient: Singles, rate: float) -> None:
        self._steps += 1
        mean, square, room = self._mean, self._square, self._room
        mean *= np.float32(FIRST)
        mean += np.multiply(gradient, np.float32(1 - FIRST), out=room)
        np.multiply(gradient, gradient, out=room)
        square *= np.float32(SECOND)
        square += np.multiply(room, np.float32(1 - SECOND), out=room)
        np.sqrt(square, out=room)
        room *= np.float32(1 / math.sqrt(1 - SECOND**self._steps))
        room += np.float32(TINY)
        np.divide(mean, room, out=room)
        self._flat *= np.float32(1) - np.float32(rate) * self._decay
        self._flat -= np.multiply(room, np.float32(rate / (1 - FIRST**self._steps)), out=room)
