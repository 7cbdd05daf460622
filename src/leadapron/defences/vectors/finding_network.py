"""How likely each labelled finding is, by what an image's vector says: small networks, each judged by other patients.

A defence that releases little must let it say much. A network sees more of the findings than a linear probe does, and
what it sees more can be spent on coarser numbers. The training patients are dealt into folds, and each is read by the
network that has not seen them: else their numbers would be surer than those of others, and an attacker who learns from
them would be misled without any merit of the defence. NumPy alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from threadpoolctl import threadpool_limits

from leadapron.defences.vectors.defended import Doubles, Floats, Ints

FOLDS = 3
HIDDEN = 64
DROPPED = 0.3
BATCH = 256
EPOCHS = 30
FEWEST_STEPS = 600
LOOKS = 30
RATE, DECAY, WARM = 4e-3, 0.005, 0.05
FIRST_MOMENT, SECOND_MOMENT, TINY = 0.9, 0.999, 1e-8

Weights = dict[str, Floats]


@dataclass(frozen=True)
class Networks:
    """One a fold, on rows that are moved and scaled alike; what they say together is the mean of their logits."""

    mean: Doubles
    spread: Doubles
    folds: tuple[Weights, ...]

    def __call__(self, rows: Floats) -> Doubles:
        """How likely each finding is, for rows of patients whom no network has seen."""
        inputs = self.inputs(rows)
        return likely(np.mean([_logits(weights, inputs) for weights in self.folds], axis=0))

    def inputs(self, rows: Floats) -> Floats:
        scaled: Floats = ((rows - self.mean) / self.spread).astype(np.float32)
        return scaled


def fit_networks(rows: Floats, truth: Doubles, patient: Ints, seed: int) -> tuple[Networks, Doubles]:
    """The networks, and how likely each finding is in ``rows`` by the network that has not seen the patient.

    ``truth`` is 1, 0, or NaN where a label is unknown, which teaches nothing.
    """
    rng = np.random.default_rng(seed)
    spread = rows.std(axis=0, dtype=np.float64)
    spread[spread == 0] = 1.0
    networks = Networks(rows.mean(axis=0, dtype=np.float64), spread, ())
    inputs = networks.inputs(rows)
    people = int(patient.max()) + 1
    fold = (rng.permutation(people) % min(FOLDS, people))[patient]
    told, folds = np.zeros_like(truth), []
    with threadpool_limits(1, user_api="blas"):  # small products: threads would wait for each other
        for number in range(int(fold.max()) + 1):
            others = fold != number
            others = others if others.any() else ~others  # one patient alone has to teach
            folds.append(_train(inputs, truth, np.flatnonzero(others), np.flatnonzero(fold == number), rng))
            told[fold == number] = likely(_logits(folds[-1], inputs[fold == number]))
    return Networks(networks.mean, spread, tuple(folds)), told


def likely(logits: Floats) -> Doubles:
    chances: Doubles = expit(logits.astype(np.float64))
    return chances


def _train(inputs: Floats, truth: Doubles, taught: Ints, judged: Ints, rng: np.random.Generator) -> Weights:
    """The weights, at that look at the patients who are judged at which they were foretold best."""
    known, positive = ~np.isnan(truth), np.nan_to_num(truth).astype(np.float32)
    share = (positive[taught].sum(axis=0) + 1) / (known[taught].sum(axis=0) + 2)
    weights = _start(inputs.shape[1], share, rng)
    worth = known[judged] / (share * (1 - share))

    def missed() -> float:
        return float((worth * (likely(_logits(weights, inputs[judged])) - positive[judged]) ** 2).sum())

    steps = max(FEWEST_STEPS, EPOCHS * len(taught) // BATCH)
    moments = {name: (np.zeros_like(value), np.zeros_like(value)) for name, value in weights.items()}
    best, kept = missed(), dict(weights)
    for step, batch in zip(range(1, steps + 1), _batches(taught, rng), strict=False):
        slopes = _slopes(weights, inputs[batch], positive[batch], known[batch], rng)
        rate = RATE * min(1.0, step / (WARM * steps)) * 0.5 * (1 + np.cos(np.pi * step / steps))
        for name, slope in slopes.items():
            first, second = moments[name]
            first = FIRST_MOMENT * first + (1 - FIRST_MOMENT) * slope
            second = SECOND_MOMENT * second + (1 - SECOND_MOMENT) * slope**2
            moments[name] = first, second
            size = np.sqrt(second / (1 - SECOND_MOMENT**step)) + TINY
            fading = DECAY if weights[name].ndim > 1 else 0.0
            moved = weights[name] * (1 - rate * fading) - rate * first / (1 - FIRST_MOMENT**step) / size
            weights[name] = moved.astype(np.float32)
        if step % max(1, steps // LOOKS) == 0 and (now := missed()) < best:
            best, kept = now, dict(weights)
    return kept


def _start(width: int, share: Doubles, rng: np.random.Generator) -> Weights:
    """A network that says how common each finding is, whatever it sees."""
    up = rng.standard_normal((width, HIDDEN)) / np.sqrt(width)
    begun = {
        "line": np.zeros((width, len(share))),
        "common": np.log(share / (1 - share)),
        "up": up,
        "shift": np.zeros(HIDDEN),
        "down": np.zeros((HIDDEN, len(share))),
    }
    return {name: value.astype(np.float32) for name, value in begun.items()}


def _batches(rows: Ints, rng: np.random.Generator) -> Iterator[Ints]:
    size = min(BATCH, len(rows))
    while True:
        order = rng.permutation(rows)
        for start in range(0, len(rows) - size + 1, size):
            yield order[start : start + size]


def _logits(weights: Weights, inputs: Floats) -> Floats:
    hidden = np.maximum(inputs @ weights["up"] + weights["shift"], 0)
    told: Floats = inputs @ weights["line"] + weights["common"] + hidden @ weights["down"]
    return told


def _slopes(
    weights: Weights, inputs: Floats, positive: Floats, known: NDArray[np.bool_], rng: np.random.Generator
) -> Weights:
    """The gradient of the mean log loss, with some of the hidden layer dropped."""
    before = inputs @ weights["up"] + weights["shift"]
    mask = (rng.random(before.shape, dtype=np.float32) >= DROPPED) / np.float32(1 - DROPPED)
    hidden = np.maximum(before, 0) * mask
    logits = inputs @ weights["line"] + weights["common"] + hidden @ weights["down"]
    out = ((expit(logits) - positive) * known / np.float32(len(inputs))).astype(np.float32)
    back = (out @ weights["down"].T) * mask * (before > 0)
    return {
        "line": inputs.T @ out,
        "common": out.sum(axis=0),
        "up": inputs.T @ back,
        "shift": back.sum(axis=0),
        "down": hidden.T @ out,
    }
