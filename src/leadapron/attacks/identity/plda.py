"""PLDA: an embedding is its patient's own point plus what differs from image to image, both Gaussian.

Where within- and between-patient covariance are diagonal together, with variances 1 and ψ, the log-likelihood ratio of
"one patient" to "two patients" is, but for a constant, Σ b x y + a (x² + y²) with b = ψ / (2ψ + 1) and
a = −ψ² / (2 (ψ + 1) (2ψ + 1)): an inner product, and a summand of either row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from leadapron.attacks.identity.scores import InnerProducts, inner_products
from leadapron.release.rows import mapped

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

SHRINKAGES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.9)
FEWEST_PATIENTS = 10
HELD_OUT_PAIRS = 20_000


@dataclass(frozen=True)
class Plda:
    centre: Doubles
    axes: Doubles
    between: Doubles
    """ψ: how much patients differ along each axis, in units of how much images of one patient do."""

    def scores(self, rows: Floats) -> InnerProducts:
        """The log-likelihood ratio of any two of the rows, as an inner product."""
        x = mapped(rows, lambda some: (some - self.centre) @ self.axes)
        cross = self.between / (2 * self.between + 1)
        square = -(self.between**2) / (2 * (self.between + 1) * (2 * self.between + 1))
        mixed = (x * np.sqrt(cross)).astype(np.float32)
        return inner_products(mixed, np.ones(len(x)), (x**2 * square).sum(axis=1))


def fit_plda(rows: Floats, patient: Ints) -> Plda | None:
    """Fitted on known patients, the shrinkage chosen on half of them; None where too few have two images."""
    _, patient, sizes = np.unique(patient, return_inverse=True, return_counts=True)
    several = sizes[patient] > 1
    if (sizes > 1).sum() < FEWEST_PATIENTS:
        return None
    rows, patient = rows[several], np.unique(patient[several], return_inverse=True)[1]
    half = patient % 2 == 0
    scatter = _scatter(rows[half], patient[half])
    chosen = max(SHRINKAGES, key=lambda shrunk: _told_apart(_fit(scatter, shrunk), rows[~half], patient[~half]))
    return _fit(_scatter(rows, patient), chosen)


@dataclass(frozen=True)
class _Scatter:
    """How images vary ``within`` patients, and how the ``means`` of patients do, who have ``images`` each."""

    centre: Doubles
    within: Doubles
    means: Doubles
    images: Ints


def _scatter(rows: Floats, patient: Ints) -> _Scatter:
    _, patient, sizes = np.unique(patient, return_inverse=True, return_counts=True)
    centre = rows.mean(axis=0, dtype=np.float64)
    means = np.zeros((len(sizes), rows.shape[1]))
    np.add.at(means, patient, rows - centre)
    means /= sizes[:, None]
    apart = rows - centre - means[patient]
    return _Scatter(centre, apart.T @ apart / (len(rows) - len(sizes)), means.T @ means / len(sizes), sizes)


def _fit(scatter: _Scatter, shrunk: float) -> Plda:
    within = (
        (1 - shrunk) * scatter.within
        + shrunk * np.trace(scatter.within) / len(scatter.within) * np.eye(len(scatter.within))
        + 1e-12 * np.eye(len(scatter.within))
    )
    # a patient's mean also varies by what differs from image to image
    between = scatter.means - within * (1 / scatter.images).mean()
    values, axes = eigh(between, within)
    kept = values > 0
    return Plda(scatter.centre, axes[:, kept], values[kept])


def _told_apart(model: Plda, rows: Floats, patient: Ints) -> float:
    """How well held-out patients' pairs are told from strangers' (AUC over a sample of pairs)."""
    rng = np.random.default_rng(0)
    scores = model.scores(rows)
    order = np.argsort(patient, kind="stable")
    neighbours = order[:-1], order[1:]
    same = patient[neighbours[0]] == patient[neighbours[1]]
    mates = scores.of_pairs(neighbours[0][same], neighbours[1][same])
    left, right = rng.integers(0, len(rows), (2, HELD_OUT_PAIRS))
    strangers = np.sort(scores.of_pairs(left, right)[patient[left] != patient[right]])
    return float(np.searchsorted(strangers, mates).mean() / max(len(strangers), 1))
