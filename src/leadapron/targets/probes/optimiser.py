"""Adam with decoupled weight decay, for all models of a stack, and the course of its learning rate."""

from __future__ import annotations

import math

import numpy as np

from leadapron.targets.probes.network import Singles

FIRST, SECOND, TINY = 0.9, 0.999, 1e-8
WARM_UP = 0.1
"""The share of steps in which the learning rate rises."""


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
