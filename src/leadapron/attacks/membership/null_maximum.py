"""The largest of several AUCs where there is no risk at all: what a patient with many records reaches by chance.

How high the maximum of k estimates comes depends on k and on how much they vary together. Models are dealt to two
sides at random, whole models at a time, so that what a patient's records have in common is kept; half the range of the
k estimates, on average over deals, is √(1 − ρ) times the expected maximum of k independent ones. The ρ that fits makes
the null a family with a known distribution: k equally correlated Gaussians. Its tail is computed, not counted, so a
patient far out is not stuck at one in the number of deals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtri_exp, stdtr, stdtrit

from leadapron.attacks.membership.signals import Ints

Doubles = NDArray[np.float64]

DEALS = 100
MOST_ALIKE = 0.995
FAR = 8.0
"""Beyond, the chances of the records add up: two of them are never there at once."""
NODES = np.arange(-8.5, 8.5001, 0.05)
WEIGHTS = np.exp(-(NODES**2) / 2) / np.sqrt(2 * np.pi) * 0.05
SMALLEST = 1e-290


def random_sides(models: int, seed: int) -> NDArray[np.float32]:
    """Deals by models: weights whose product with unit-variance signals is a standardised difference of means."""
    rng = np.random.default_rng(seed)
    half = models // 2
    weights = np.full((DEALS, models), -1 / (models - half))
    for row in weights:
        row[rng.permutation(models)[:half]] = 1 / half
    scaled: NDArray[np.float32] = (weights / np.sqrt(1 / half + 1 / (models - half))).astype(np.float32)
    return scaled


def likeness(residuals: NDArray[np.float32], starts: Ints, sides: NDArray[np.float32]) -> Doubles:
    """The fitting correlation ρ of every patient; a patient's records begin at ``starts``.

    ``residuals`` are records by models, of unit variance and without the difference between members and others: that
    is what is asked for and must not count as something the records have in common by chance.
    """
    differences = residuals @ sides.T
    half_range = (np.maximum.reduceat(differences, starts) - np.minimum.reduceat(differences, starts)) / 2
    records = np.diff(starts, append=len(residuals))
    expected = expected_maximum(records)
    ratio = half_range.mean(axis=1) / np.where(records > 1, expected, 1.0)
    found: Doubles = np.where(records > 1, np.clip(1 - ratio**2, 0.0, MOST_ALIKE), 0.0)
    return found


def expected_maximum(count: Ints) -> Doubles:
    """Of so many independent standard Gaussians."""
    distinct, back = np.unique(count, return_inverse=True)
    grid = np.arange(-9, 9, 0.01) + 0.005
    above = -np.expm1(distinct[:, None] * log_ndtr(grid))
    means: Doubles = 0.01 * (above[:, grid > 0].sum(axis=1) - (1 - above[:, grid < 0]).sum(axis=1))
    found: Doubles = means[back]
    return found


def log_tail(score: Doubles, count: Ints, alike: Doubles) -> Doubles:
    """The logarithm of the chance that the largest of k equally correlated Gaussians is above the score."""
    found = np.minimum(np.log(count) + log_ndtr(-score), 0.0)
    near = np.flatnonzero((score < FAR) & (count > 1))
    for part in np.array_split(near, 1 + len(near) // 20_000):
        own = (score[part, None] - np.sqrt(alike[part, None]) * NODES) / np.sqrt(1 - alike[part, None])
        above = -np.expm1(count[part, None] * log_ndtr(own)) @ WEIGHTS
        found[part] = np.log(np.clip(above, np.finfo(np.float64).tiny, 1.0))
    single = count == 1
    found[single] = log_ndtr(-score[single])
    tails: Doubles = found
    return tails


def calibrated(statistic: Doubles, dof: float, count: Ints, alike: Doubles) -> tuple[Doubles, Doubles]:
    """The statistic of a single record that chance gives as rarely as this maximum, and how rarely that is.

    ``statistic`` is the largest of a patient's, each a Student's t where there is no risk.
    """
    log_p = log_tail(_as_gaussian(statistic, dof), count, alike)
    found = -stdtrit(dof, np.exp(np.maximum(log_p, np.log(SMALLEST))))
    # out where the chances cannot be written down any more, a maximum is hardly lifted by its number either
    kept = (count > 1) & (log_p > np.log(SMALLEST)) & (stdtr(dof, -statistic) > SMALLEST)
    return np.where(kept, np.minimum(found, statistic), statistic), np.exp(log_p)


def share_beyond(statistic: float, dof: float, count: Ints, alike: Doubles) -> float:
    """The share of the patients whose maximum exceeds a Student's t by chance alone.

    Patients with as many records that are alike to two digits count as one kind.
    """
    kinds, number = np.unique(np.stack([count, alike.round(2)]), axis=1, return_counts=True)
    score = np.repeat(_as_gaussian(np.array([statistic]), dof), len(number))
    tails = np.exp(log_tail(score, kinds[0].astype(np.int64), kinds[1].clip(0.0, MOST_ALIKE)))
    return float(np.average(tails, weights=number))


def null_quantile(share: float, dof: float, count: Ints, alike: Doubles) -> float:
    """The Student's t that this share of the patients' maxima exceeds by chance alone."""
    low, high = -20.0, 20.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if share_beyond(middle, dof, count, alike) > share else (low, middle)
    return high


def _as_gaussian(statistic: Doubles, dof: float) -> Doubles:
    """The Gaussian that is exceeded as rarely as the Student's t."""
    chance = stdtr(dof, -statistic)
    usable = chance > SMALLEST
    return np.where(usable, -ndtri_exp(np.log(np.where(usable, chance, 0.5))), statistic)
