"""Probes small enough for slow gradients, and who trains them."""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from leadapron.privacy.accounting import Spending
from leadapron.targets.audited import balanced_masks
from leadapron.targets.budget import Budget
from leadapron.targets.probes.probe_privacy import Protection
from leadapron.targets.probes.probe_stack import Shape, backward, forward, loss_slopes, sum_rows, with_ones

SHAPES = [Shape((5, 2)), Shape((5, 4, 3))]


def audited(release):
    return release.records.filter(pl.col("split") == "train")


def dealt(release, models, seed=0):
    patients = audited(release)["patient_id"].rank("dense").cast(pl.Int64).to_numpy() - 1
    return balanced_masks(patients, models, seed)


def protection(data, level, clip=1.0, sigma=2.0, rate=0.2):
    """As if the accountant had found this noise."""
    unit = data.patient if level == "patient" else np.arange(len(data.audited))
    expected = rate * len(np.unique(unit)) / 2
    budget = Budget(level, clip, 1e-5, 1.0, expected, math.ceil(1 / rate), Spending(sigma, rate, 15), ((), ()))
    return Protection(budget, unit)


def network(shape, models=3, rows=7, seed=0):
    """Models, rows of their own, and labels of which some are unknown."""
    rng = np.random.default_rng(seed)
    flat = np.stack([shape.fresh(rng) + rng.normal(0, 0.1, shape.parameters).astype(np.float32) for _ in range(models)])
    inputs = with_ones(rng.standard_normal((models, rows, shape.widths[0]), dtype=np.float32))
    return flat, inputs, rng.choice([-1.0, 0.0, 1.0], (models, rows, shape.widths[-1])).astype(np.float32)


def slow_loss(shape, parameters, row, truth):
    """The log loss of one record, as one writes it down."""
    values, start = row[:-1].astype(np.float64), 0
    for at, (given, out) in enumerate(zip(shape.widths[:-1], shape.widths[1:], strict=True)):
        matrix = parameters[start : start + (given + 1) * out].reshape(given + 1, out)
        start += (given + 1) * out
        values = values @ matrix[:-1] + matrix[-1]
        if at < len(shape.widths) - 2:
            values = np.where(values > 0, values, 0)
    return sum(np.log(1 + np.exp(-sign * value)) for sign, value in zip(truth, values, strict=True) if sign)


def slow_gradients(shape, flat, inputs, truth):
    """Of every model and record, by moving one parameter at a time."""
    found = np.zeros((*inputs.shape[:2], shape.parameters))
    for model, row in np.ndindex(*inputs.shape[:2]):
        for at in range(shape.parameters):
            there, back = flat[model].astype(np.float64), flat[model].astype(np.float64)
            there[at] += 1e-6
            back[at] -= 1e-6
            up, down = (slow_loss(shape, each, inputs[model, row], truth[model, row]) for each in (there, back))
            found[model, row, at] = (up - down) / 2e-6
    return found


def traced(shape, flat, inputs, truth):
    layers = shape.layers(flat)
    given, logits = forward(layers, inputs)
    return given, backward(layers, given, loss_slopes(logits, truth))


def summed(shape, given, slopes):
    total = np.empty((len(slopes[-1]), shape.parameters), dtype=np.float32)
    sum_rows(given, slopes, shape.layers(total))
    return total
