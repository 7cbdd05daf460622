"""Two views of one patient as one Gaussian: what a counterpart tells of the real image, learnt from pairs.

Both views are brought to their canonical axes (Hotelling 1936), in which only the numbers of one axis vary together,
with correlation ρ. The log-likelihood ratio of "of one patient" to "of two" is then Σ (ρ u v − ρ² (u² + v²) / 2) /
(1 − ρ²), but for a constant: an inner product, and a summand of either. No linear attacker knows more of such a pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular

from leadapron.attacks.images.likeness import Likeness, Mates

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

RIDGE = 0.1
"""How much of each covariance is taken for noise alike in all directions."""
NOISE_TAKEN_OFF = 0.8
"""Of the correlation that pairs of strangers have in as many directions: what is left of it is believed."""
HIGHEST = 0.995


@dataclass(frozen=True)
class PairedGaussian:
    centres: tuple[Doubles, Doubles]
    axes: tuple[Doubles, Doubles]
    alike: Doubles
    """ρ by axis."""

    def likeness(self, left: Floats, right: Floats) -> Likeness:
        u, v = (
            (rows - centre) @ axes for rows, centre, axes in zip((left, right), self.centres, self.axes, strict=True)
        )
        rest = 1 - self.alike**2
        square = -(self.alike**2) / (2 * rest)
        return Likeness(u * (self.alike / rest), v, u**2 @ square, v**2 @ square)


def fit_pairs(left: Floats, right: Floats, mates: Mates, seed: int) -> PairedGaussian:
    """From rows of both views and who is whose mate. A query counts once, however many mates it has."""
    queries, place, times = np.unique(mates.query, return_inverse=True, return_counts=True)
    mean = np.zeros((len(queries), right.shape[1]))
    np.add.at(mean, place, right[mates.mate].astype(np.float64))
    mean /= times[:, None]
    own = left[queries].astype(np.float64)
    centres = own.mean(axis=0), mean.mean(axis=0)
    held = np.unique(mates.mate)
    own, mean = own - centres[0], mean - centres[1]
    roots = _root(own), _root(right[held] - centres[1])
    x, y = (solve_triangular(root, rows.T, lower=True).T for root, rows in zip(roots, (own, mean), strict=True))
    turn, alike, other = np.linalg.svd(x.T @ y / len(x), full_matrices=False)
    dealt = np.random.default_rng(seed).permutation(len(x))
    noise = np.linalg.svd(x.T @ y[dealt] / len(x), compute_uv=False)
    believed = np.clip(np.sqrt(np.maximum(alike**2 - NOISE_TAKEN_OFF * noise[0] ** 2, 0)), 0, HIGHEST)
    kept = believed > 0
    kept[0] = True
    axes = tuple(
        solve_triangular(root, turned, lower=True, trans="T")
        for root, turned in zip(roots, (turn[:, kept], other[kept].T), strict=True)
    )
    return PairedGaussian(centres, (axes[0], axes[1]), believed[kept])


def _root(rows: Doubles) -> Doubles:
    covariance = rows.T @ rows / len(rows)
    usual = float(np.trace(covariance)) / len(covariance) or 1.0
    root: Doubles = cholesky((1 - RIDGE) * covariance + RIDGE * usual * np.eye(len(covariance)), lower=True)
    return root
