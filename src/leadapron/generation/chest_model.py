"""How chests differ: a mean that depends on what is said, and around it Gaussian variation, more of it where there are
findings.

All of it is in the frame of the template. What varies are the coefficients of the deformation, the logarithm of the
grain, and those of the image.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

Floats = NDArray[np.float32]

RIDGE = 8.0
COMPONENTS, TAUGHT_BY = 400, 2000
"""Directions in which images differ, and of how many images they are learnt."""
FACTORS = 10
"""Directions in which images with a finding vary more than others."""
FEWEST_WITH = 12
"""Images that must show a finding on a side before variation of its own is learnt."""


@dataclass(frozen=True)
class ChestModel:
    """``mean`` is of the image and ``shift`` of the other coefficients, each linear in the conditions.

    ``sound`` makes the coefficients of chests without findings from independent normal numbers, ``by_finding[k]``
    those that finding k adds. What only ``brightens`` is listed there with its columns among the conditions.
    """

    mean: Floats
    shift: Floats
    basis: Floats
    sound: Floats
    by_finding: tuple[Floats, ...]
    brightens: Mapping[int, NDArray[np.int64]]

    def draw(self, columns: Floats, present: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Fresh coefficients and the image around which they vary, a row for each row of conditions."""
        drawn = rng.standard_normal((len(present), len(self.sound)), np.float32) @ self.sound
        mean, of_image = columns @ self.mean, slice(drawn.shape[1] - len(self.basis), None)
        for column, factors in enumerate(self.by_finding):
            fresh = rng.standard_normal((len(present), FACTORS), np.float32)[:, : len(factors)]
            more = present[:, column, None] * (fresh @ factors)
            if column in self.brightens:
                rows, own = np.flatnonzero(present[:, column] > 0.5), self.brightens[column]
                usual, looks = columns[rows][:, own] @ self.mean[own], factors[:, of_image] @ self.basis
                mean[rows] += one_sided(usual, fresh[rows] @ looks, np.sqrt((looks**2).sum(axis=0))) - usual
                more[:, of_image] = 0
            drawn += more
        return drawn, mean


def one_sided(usual: Floats, more: Floats, spread: Floats) -> Floats:
    """What brightens by ``usual`` and ``more`` or less, whose standard deviation is ``spread``: cut off where it would
    darken, and its mean is as usual."""
    share = usual / np.maximum(spread, 1e-6)
    expected = usual * ndtr(share) + spread * np.exp(-0.5 * share**2) / np.sqrt(2 * np.pi)
    brighter: Floats = (np.maximum(usual + more, 0) - expected + usual).astype(np.float32)
    return brighter


def fit_mean(columns: Floats, values: Floats) -> Floats:
    """The linear model of the values, with a little of a pull towards no effect."""
    gram = columns.T.astype(np.float64) @ columns
    pull = RIDGE * np.eye(len(gram))
    pull[0, 0] = 1e-6  # the mean itself
    found: Floats = np.linalg.solve(gram + pull, (columns.T @ values).astype(np.float64)).astype(np.float32)
    return found


def learn_basis(rest: Floats, rng: np.random.Generator) -> tuple[Floats, NDArray[np.int64]]:
    """The main directions of what the mean does not explain, and the rows that taught them."""
    rows = np.sort(rng.permutation(len(rest))[:TAUGHT_BY])
    some = rest[rows]
    values, vectors = np.linalg.eigh((some @ some.T).astype(np.float64))
    keep = min(COMPONENTS, len(rows) // 2)
    first = np.argsort(-values)[:keep]
    weights = (vectors[:, first] / np.sqrt(np.maximum(values[first], 1e-6))).astype(np.float32)
    return np.ascontiguousarray(weights.T @ some), rows


def learn_variation(coefficients: Floats, present: Floats) -> tuple[Floats, tuple[Floats, ...]]:
    """Second moments, linear in what is present: those of chests without findings, and what each finding adds.

    A study with several findings counts for all of them, and the linear model deals out what it shows.
    """
    columns = np.concatenate([np.ones((len(present), 1), np.float32), present], axis=1).astype(np.float64)
    gram = columns.T @ columns
    weights = np.linalg.solve(gram + np.diag([1e-6, *[2.0] * present.shape[1]]), columns.T).astype(np.float32)
    sound = _root((coefficients * weights[0, :, None]).T @ coefficients, len(coefficients[0]))
    found = []
    for column in range(present.shape[1]):
        if present[:, column].sum() < FEWEST_WITH:
            found.append(np.zeros((0, coefficients.shape[1]), np.float32))
            continue
        moment = (coefficients * weights[column + 1, :, None]).T @ coefficients
        found.append(_root(moment, FACTORS))
    return sound, tuple(found)


def _root(moment: NDArray[np.floating], most: int) -> Floats:
    """The largest positive directions of a symmetric matrix, each with the length of its spread."""
    values, vectors = np.linalg.eigh((moment + moment.T).astype(np.float64) / 2)
    first = np.argsort(-values)[:most]
    first = first[values[first] > 1e-9]
    root: Floats = (vectors[:, first] * np.sqrt(values[first])).T.astype(np.float32)
    return np.ascontiguousarray(root)
