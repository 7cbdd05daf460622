"""Maps that bring two sides together again, from known pairs: the attacker who has seen what a defence did to some.

Two families compete. Ridge regression drawn towards "no change" needs few pairs. Canonical correlation maps both sides
and weighs each direction by how well it agrees, which is stronger where many pairs are known. The known pairs
themselves decide, each half of the known patients judging the maps that the other half taught.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from leadapron.release.rows import unit

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Maps = tuple[Floats, Floats]

FEWEST_PAIRS = 8
JUDGES = 2000
RIDGES = (1000.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1)
SHRINKAGES = (0.3, 0.1, 0.03, 0.01)
PAIRS_A_DIMENSION = 4
"""With fewer pairs than this for each dimension, a covariance is mostly noise."""


def fit_maps(x: Floats, y: Floats, patient: Ints, seed: int) -> Maps:
    """One map for each side, both fitted on all known pairs; which kind is chosen across the halves.

    Sides of different widths have no "no change" between them, so there canonical correlation alone is left.
    """
    same = x.shape[1] == y.shape[1]
    fits: list[Callable[[Floats, Floats], Maps]] = [partial(_ridge, ridge=ridge) for ridge in RIDGES] if same else []
    if not same or len(x) >= PAIRS_A_DIMENSION * x.shape[1]:
        fits += [partial(_canonical, shrinkage=shrinkage) for shrinkage in SHRINKAGES]
    half = np.isin(patient, np.unique(patient)[::2])
    if half.all():  # a single patient cannot be judged by others
        return fits[0](x, y)
    # from "change hardly anything" on: where two do equally well, the more cautious one is taken
    best = max(fits, key=lambda fit: _agreement(x, y, half, fit, seed))
    return best(x, y)


def _ridge(x: Floats, y: Floats, *, ridge: float) -> Maps:
    """The map W that minimises |xW − y|² + ridge·|W − I|²: with little to go by it stays the identity."""
    eye = np.eye(x.shape[1])
    solved = np.linalg.solve(x.T @ x + ridge * eye, x.T @ y + ridge * eye)
    return solved.astype(np.float32), eye.astype(np.float32)


def _canonical(x: Floats, y: Floats, *, shrinkage: float) -> Maps:
    x_root, y_root = _inverse_root(x, shrinkage), _inverse_root(y, shrinkage)
    left, agreement, right = np.linalg.svd(x_root @ (x.T @ y / len(x)) @ y_root, full_matrices=False)
    weight = np.sqrt(agreement)
    return (x_root @ left * weight).astype(np.float32), (y_root @ right.T * weight).astype(np.float32)


def _inverse_root(rows: Floats, shrinkage: float) -> Doubles:
    covariance = (rows.T @ rows / len(rows)).astype(np.float64)
    level = np.trace(covariance) / len(covariance) or 1.0
    values, vectors = np.linalg.eigh((1 - shrinkage) * covariance + shrinkage * level * np.eye(len(covariance)))
    root: Doubles = (vectors / np.sqrt(values)) @ vectors.T
    return root


def _agreement(
    x: Floats, y: Floats, half: NDArray[np.bool_], fit: Callable[[Floats, Floats], Maps], seed: int
) -> float:
    """The reciprocal ranks within the known pairs, each half mapped by what the other half taught."""
    total = 0.0
    for side in (half, ~half):
        x_map, y_map = fit(x[~side], y[~side])
        judged = np.random.default_rng(seed).permutation(np.flatnonzero(side))[:JUDGES]
        scores = unit(x[judged] @ x_map) @ unit(y[judged] @ y_map).T
        total += float((1 / (scores >= np.diag(scores)[:, None]).sum(axis=1)).sum())
    return total
