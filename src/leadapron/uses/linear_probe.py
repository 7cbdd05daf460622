"""The linear probe: a sigmoid a label on fixed embeddings, with an L2 penalty.

Labels are logistic regressions that have nothing to do with each other, so they are fitted side by side: Newton's
method, its equations solved by conjugate gradients, in which the embeddings meet all labels in one matrix product.
The features are turned to their principal axes first. The penalty does not see the turn, but the Hessian is nearly
diagonal there, and a few gradients are enough.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from threadpoolctl import threadpool_limits

from leadapron.cohort.truth import Labels
from leadapron.errors import DataError
from leadapron.release import Release
from leadapron.release.rows import distinct_rows
from leadapron.uses.auroc import auroc
from leadapron.uses.three_sides import Sides

Floats = NDArray[np.float64]

FLAT = 1e-6
"""A fit is done when no derivative of the mean loss is larger."""
MOST_STEPS = 100
MOST_GRADIENTS = 50
SHORTEST = 2.0**-20


@dataclass(frozen=True)
class Axes:
    """Where the probe lives: features standardised with the training records, on their principal axes, and a one."""

    mean: Floats
    turn: Floats
    spread: Floats
    """The mean square along each axis; one for the intercept."""

    def __call__(self, rows: NDArray[np.float32]) -> Floats:
        turned = (rows.astype(np.float64) - self.mean) @ self.turn
        return np.concatenate([turned, np.ones((len(rows), 1))], axis=1)


@dataclass(frozen=True)
class Probe:
    """Weights along the axes, intercept last, a column a label; ``steepest`` is what is left of the derivative."""

    axes: Axes
    strength: float
    weights: Floats
    steepest: float

    def logits(self, rows: NDArray[np.float32]) -> Floats:
        """The score of every row and label; at 0 the probability is one half."""
        first, place = distinct_rows(rows)
        distinct = rows[first]
        with threadpool_limits(1, user_api="blas"):
            scores: Floats = (self.axes(distinct) @ self.weights)[place]
        return scores

    @property
    def converged(self) -> bool:
        return self.steepest <= FLAT


def find_axes(rows: NDArray[np.float32]) -> Axes:
    """A feature that does not vary says nothing and is left at zero."""
    values = rows.astype(np.float64)
    mean, sd = values.mean(axis=0), values.std(axis=0)
    varies = sd > 1e-12 * np.abs(values).max()
    scale = np.divide(1.0, sd, out=np.zeros_like(sd), where=varies)
    scaled = (values - mean) * scale
    spread, axes = np.linalg.eigh(scaled.T @ scaled / len(values))
    return Axes(mean, scale[:, None] * axes, np.append(np.maximum(spread, 0.0), 1.0))


def fit_probes(rows: NDArray[np.float32], labels: Labels, strengths: tuple[float, ...]) -> list[Probe]:
    """A probe a strength: the mean log loss over the known records plus strength / 2 times the squared weights.

    The strongest penalty comes first, and each fit starts where the one before it ended. The intercept is free.
    """
    found = []
    with threadpool_limits(1, user_api="blas"):  # the sums are the same to the last bit, however many cores there are
        axes = find_axes(rows)
        known = labels.known
        task = _Task(axes(rows), labels.positive.astype(np.float64), known / known.sum(axis=0))
        weights = np.zeros((len(axes.spread), len(labels.names)))
        for strength in sorted(set(strengths), reverse=True):
            weights, steepest = _newton(task, axes.spread, strength, weights)
            found.append(Probe(axes, strength, weights, steepest))
    return found


@dataclass(frozen=True)
class _Task:
    inputs: Floats
    truth: Floats
    share: Floats
    """What a record counts for in the mean loss of a label: zero where the label is unknown."""

    def losses(self, logits: Floats) -> Floats:
        total: Floats = (self.share * (np.logaddexp(0.0, logits) - self.truth * logits)).sum(axis=0)
        return total


def _newton(task: _Task, spread: Floats, strength: float, start: Floats) -> tuple[Floats, float]:
    """Newton's method with steps that are halved, label by label, until the penalised loss falls as it should."""
    penalty = np.full((len(start), 1), strength)
    penalty[-1] = 0.0
    weights, logits = start, task.inputs @ start
    steepest = np.inf
    for _ in range(MOST_STEPS):
        chances = expit(logits)
        slope = task.inputs.T @ (task.share * (chances - task.truth)) + penalty * weights
        steepest = float(np.abs(slope).max())
        if steepest <= FLAT:
            break
        curvature = task.share * chances * (1.0 - chances)
        step = _solve(task.inputs, curvature, penalty, spread, slope)
        moved = task.inputs @ step
        value = task.losses(logits) + 0.5 * (penalty * weights**2).sum(axis=0)
        fall = (slope * step).sum(axis=0)
        length = np.ones(step.shape[1])
        while length.min() > SHORTEST:
            trial = weights + length * step
            reached = task.losses(logits + length * moved) + 0.5 * (penalty * trial**2).sum(axis=0)
            # near the bottom a fall is smaller than the rounding of the loss itself
            short = reached > value + 1e-4 * length * fall + 1e-14 * np.abs(value)
            if not short.any():
                break
            length = np.where(short, length / 2, length)
        weights, logits = weights + length * step, logits + length * moved
    return weights, steepest


def _solve(inputs: Floats, curvature: Floats, penalty: Floats, spread: Floats, slope: Floats) -> Floats:
    """Newton's step of every label by conjugate gradients, as exact as the slope is small.

    The preconditioner is the Hessian as it would be if all records of a label had the same curvature.
    """
    scale = 1.0 / (spread[:, None] * curvature.sum(axis=0) + penalty + 1e-12)
    step, rest = np.zeros_like(slope), -slope
    size = np.linalg.norm(slope, axis=0)
    target = size * np.minimum(0.1, np.sqrt(size))
    ready = scale * rest
    direction, energy = ready, (rest * ready).sum(axis=0)
    for _ in range(MOST_GRADIENTS):
        bent = inputs.T @ (curvature * (inputs @ direction)) + penalty * direction
        along = (direction * bent).sum(axis=0)
        active = (np.linalg.norm(rest, axis=0) > target) & (along > 0)
        if not active.any():
            break
        length = np.divide(energy, along, out=np.zeros_like(along), where=active)
        step, rest = step + length * direction, rest - length * bent
        ready = scale * rest
        next_energy = (rest * ready).sum(axis=0)
        ratio = np.divide(next_energy, energy, out=np.zeros_like(energy), where=active & (energy > 0))
        direction, energy = ready + ratio * direction, next_energy
    return step


@dataclass(frozen=True)
class Learnt:
    """The probe that was chosen, the labels that it knows, and what the validation side said of each strength."""

    probe: Probe
    labels: tuple[str, ...]
    trials: tuple[tuple[float, float | None], ...]
    validated_by: tuple[str, ...]


def learn(release: Release, sides: Sides, strengths: tuple[float, ...]) -> Learnt:
    """Of several strengths the one with the highest mean AUROC on the validation side; of equals the stronger."""
    train, validate = sides.labels.rows(sides.train), sides.labels.rows(sides.validate)
    can = np.flatnonzero(train.both_classes())
    if not len(can):
        raise DataError(
            "no label has both classes in the training split",
            where=release.where,
            got=", ".join(sides.labels.names),
            allowed="at least one label with positive and with negative records",
        )
    names = tuple(sides.labels.names[at] for at in can)
    probes = fit_probes(release.image[sides.train], train.columns(can), strengths)
    if len(probes) == 1:
        return Learnt(probes[0], names, ((probes[0].strength, None),), ())
    judged = np.flatnonzero(validate.both_classes()[can])
    if not len(judged):
        raise DataError(
            "the strength of the probe cannot be chosen: no label has both classes in the validation split",
            where=release.where,
            got=f"{len(sides.validate)} records",
            fix="Give one strength (`leadapron utility release --strength`, `leadapron trial --probe-strength`), or "
            "validate on more records.",
        )
    held_out = release.image[sides.validate]
    means = [float(auroc(probe.logits(held_out), validate.columns(can))[judged].mean()) for probe in probes]
    best = int(np.argmax(means))  # the first of equals; the strongest penalty stands first
    trials = tuple((probe.strength, mean) for probe, mean in zip(probes, means, strict=True))
    return Learnt(probes[best], names, trials, tuple(names[at] for at in judged))
