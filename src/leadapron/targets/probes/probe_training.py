"""The training of a stack of probes: all steps, and for each model the epoch at which held-out patients say stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.targets.probes.probe_batches import Batches, Poisson, Shuffled, padded
from leadapron.targets.probes.probe_data import ProbeConfig, ProbeData, Side
from leadapron.targets.probes.probe_privacy import Protection
from leadapron.targets.probes.probe_stack import (
    AdamW,
    Shape,
    Singles,
    backward,
    forward,
    learning_rate,
    loss_slopes,
    sum_rows,
)

JITTER = 0.2
"""Augmentation moves every feature by a Gaussian draw of this share of its spread."""
DRAWS = 1 << 20
ROWS_AT_ONCE = 2048


@dataclass(frozen=True)
class Course:
    """All that the models of a study have in common. ``draws``: Gaussian numbers that jitter is taken from."""

    data: ProbeData
    config: ProbeConfig
    shape: Shape
    protection: Protection | None
    draws: Singles

    @property
    def batch(self) -> int:
        """Places of a step, filled or not."""
        return self.config.batch_of(len(self.data.audited) / 2) if self.protection is None else self.protection.room

    @property
    def steps_an_epoch(self) -> int:
        """Of a study, not of a model: models differ a little in how many records they have, not in how they learn."""
        if self.protection is not None:
            return self.protection.budget.steps_an_epoch
        return max(1, round(len(self.data.audited) / 2 / self.batch))


@dataclass(frozen=True)
class Fitted:
    """The parameters of every model, the epoch that they are of, and their loss on the validation side (or NaN)."""

    flat: Singles
    epoch: NDArray[np.int64]
    loss: NDArray[np.float64]


def course_of(data: ProbeData, config: ProbeConfig, protection: Protection | None) -> Course:
    widths = (data.width, *((config.hidden,) if config.kind == "mlp" else ()), len(data.labels))
    many = config.batch_of(len(data.audited) / 2) * data.width
    many = max(DRAWS, 4 * many) if config.augment and protection is None else 0
    draws = np.float32(JITTER) * np.random.default_rng(config.seed).standard_normal(many, dtype=np.float32)
    return Course(data, config, Shape(widths), protection, draws)


def train_stack(
    course: Course, members: NDArray[np.bool_], seeds: Sequence[int], after_epoch: Callable[[], None]
) -> Fitted:
    """Models of their own members and seeds; nothing of one reaches another."""
    streams = [_Streams(course.config.seed, seed) for seed in seeds]
    batches = [_batches(course, row, own.order) for row, own in zip(members, streams, strict=True)]
    flat = np.stack([course.shape.fresh(own.start) for own in streams])
    optimiser = AdamW(flat, np.float32(course.config.weight_decay) * course.shape.decays())
    gradient, steps = np.empty_like(flat), course.steps_an_epoch
    best = Fitted(flat.copy(), np.zeros(len(flat), dtype=np.int64), np.full(len(flat), np.inf))
    for epoch in range(course.config.epochs):
        for step in range(epoch * steps, (epoch + 1) * steps):
            _gradient(course, flat, batches, streams, gradient)
            rate = learning_rate(
                course.config.learning_rate, step, steps * course.config.epochs, schedule=course.config.schedule
            )
            optimiser.step(gradient, rate)
        if course.config.early_stopping:
            _keep_better(best, flat, epoch + 1, mean_losses(course.shape, flat, course.data.validate))
        after_epoch()
    if course.config.early_stopping:
        return best
    return Fitted(flat, np.full(len(flat), course.config.epochs), np.full(len(flat), np.nan))


class _Streams:
    """A model's own sources of chance, one a purpose: what is switched off for one does not shift the others."""

    def __init__(self, study: int, model: int) -> None:
        sources = np.random.SeedSequence([study, model]).spawn(4)
        self.start, self.order, self.jitter, self.noise = (np.random.default_rng(source) for source in sources)


def _batches(course: Course, members: NDArray[np.bool_], rng: np.random.Generator) -> Batches:
    private = course.protection
    if private is None:
        return Shuffled(members, course.batch, rng)
    return Poisson(members, private.unit, private.budget.spending.rate, rng)


def _gradient(
    course: Course, flat: Singles, batches: Sequence[Batches], streams: Sequence[_Streams], out: Singles
) -> None:
    """That of the mean loss over a step's records, clipped and with noise where training is private."""
    private, audited = course.protection, course.data.audited
    rows, taken = padded([batch.draw() for batch in batches], course.batch)
    inputs, layers = audited.inputs[rows], course.shape.layers(flat)
    if len(course.draws):
        _jitter(inputs, course.draws, [own.jitter for own in streams])
    given, logits = forward(layers, inputs)
    slopes = loss_slopes(logits, audited.signs[rows].astype(np.float32))
    if private is None:
        slopes /= np.float32(rows.shape[1])
    by_layer = backward(layers, given, slopes)
    if private is not None:
        private.clip_rows(given, by_layer, taken)
    sum_rows(given, by_layer, course.shape.layers(out))
    if private is not None:
        private.add_noise(out, [own.noise for own in streams])


def _jitter(inputs: Singles, draws: Singles, rngs: Sequence[np.random.Generator]) -> None:
    """Gaussian numbers from a random place of a table: to draw each anew would take as long as the training."""
    for rows, rng in zip(inputs, rngs, strict=True):
        features = rows[:, :-1]
        start = int(rng.integers(len(draws) - features.size))
        features += draws[start : start + features.size].reshape(features.shape)


def _keep_better(best: Fitted, flat: Singles, epoch: int, loss: NDArray[np.float64]) -> None:
    """Each model for itself; of equals the earlier epoch."""
    better = loss < best.loss
    best.flat[better], best.epoch[better], best.loss[better] = flat[better], epoch, loss[better]


def mean_losses(shape: Shape, flat: Singles, side: Side) -> NDArray[np.float64]:
    """Every model's log loss over the known labels of a side."""
    total = np.zeros(len(flat))
    for rows in _blocks(len(side)):
        signs = side.signs[rows].astype(np.float32)
        margins = forward(shape.layers(flat), side.inputs[rows])[1] * signs
        losses = np.log1p(np.exp(-np.abs(margins))) - np.minimum(margins, 0)
        total += (losses * np.abs(signs)).sum(axis=(1, 2), dtype=np.float64)
    return total / max(1, int(np.count_nonzero(side.signs)))


def answers(shape: Shape, flat: Singles, inputs: Singles) -> Singles:
    """Logits, models x rows x labels, a block of rows at a time."""
    found = np.empty((len(flat), len(inputs), shape.widths[-1]), dtype=np.float32)
    for rows in _blocks(len(inputs)):
        found[:, rows] = forward(shape.layers(flat), inputs[rows])[1]
    return found


def _blocks(count: int) -> list[slice]:
    return [slice(start, min(start + ROWS_AT_ONCE, count)) for start in range(0, count, ROWS_AT_ONCE)]
