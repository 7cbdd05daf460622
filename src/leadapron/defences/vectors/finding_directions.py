"""What a vector says about the labelled findings: one direction a finding, as a linear probe would look along it."""

from __future__ import annotations

import numpy as np
import polars as pl
from threadpoolctl import threadpool_limits

from leadapron.cohort import LABEL_COLUMNS
from leadapron.cohort.labels import label_names
from leadapron.defences.vectors.defended import Doubles
from leadapron.errors import DataError
from leadapron.release import Release

PENALTY = 1e-3
PENALTY_A_COLUMN = 0.1
"""A row has to speak for many columns where patients are few: then the penalty is this, columns over rows."""
FEWEST_OF_A_KIND = 2
STEPS = 12


def fit_findings(rows: Doubles, labels: Doubles) -> Doubles:
    """The map (width x labels) from centred rows to standardised labels.

    Each direction is that of a penalised logistic regression, which is what findings are later read off with; along it,
    least squares sets the length, so that a finding that is hardly seen stays small. A label that is unknown (NaN) in a
    row is left out there.
    """
    centred = rows - rows.mean(axis=0)
    spread = centred.std(axis=0)
    spread[spread == 0] = 1.0
    inputs = centred / spread
    penalty = max(PENALTY, PENALTY_A_COLUMN * inputs.shape[1] / len(inputs))
    columns = []
    with threadpool_limits(1, user_api="blas"):  # products of a few columns: threads would wait for each other
        for label in labels.T:
            known = ~np.isnan(label)
            direction = _logistic(inputs[known], label[known] > 0, penalty)
            seen = inputs[known] @ direction
            columns.append(direction * ((seen @ label[known]) / (seen @ seen or 1.0)) / spread)
    return np.column_stack(columns)


def _logistic(inputs: Doubles, positive: Doubles, penalty: float) -> Doubles:
    """The direction of a logistic regression, by Newton's method; the intercept is fitted and not returned."""
    design = np.column_stack([inputs, np.ones(len(inputs))])
    ridge = np.full(design.shape[1], penalty)
    ridge[-1] = 1e-9  # the intercept is free
    weights = np.zeros(design.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (chance - positive) / len(design) + ridge * weights
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design / len(design) + np.diag(ridge)
        step = np.linalg.solve(curvature, slope)
        weights -= step
        if np.abs(step).max() < 1e-6:
            break
    return weights[:-1]


def standardised_labels(part: Release) -> tuple[Doubles, list[str]]:
    """Labels with mean zero and variance one over the rows where they are known, and the names of those that vary."""
    standardised, names = [], []
    for name in label_names(part.records):
        label = part.records[name].cast(pl.Float64).to_numpy()
        fewest = min(np.count_nonzero(label == 1), np.count_nonzero(label == 0))
        if fewest >= FEWEST_OF_A_KIND:
            standardised.append((label - np.nanmean(label)) / np.nanstd(label))
            names.append(name)
    if not names:
        raise DataError(
            "there is no label to keep: none both occurs and does not among the training patients",
            where=part.where,
            got=", ".join(label_names(part.records)) or "no label columns",
            allowed=f"label columns of 1 and 0, such as {LABEL_COLUMNS[0]}",
        )
    return np.column_stack(standardised), names
