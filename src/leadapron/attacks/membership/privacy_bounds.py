"""What differential privacy promises about membership: the most that any attack's AUC and true-positive rate can be.

A profile is a list of pairs (ε, δ), each of which holds. Each bounds the true-positive rate of any attack by two
straight lines over its false-positive rate, so the bound is the lowest of these lines and its AUC the area below. It is
computed corner by corner, without a grid, and is a bound as it stands.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri

from leadapron.errors import ConfigError

Doubles = NDArray[np.float64]


def auc_bound(epsilon: float, delta: float) -> float:
    """Of one (ε, δ): 1 − (1 − δ)² / (1 + e^ε)."""
    return 1 - (1 - delta) ** 2 * math.exp(-_softplus(epsilon))


def tpr_bound(fpr: float, epsilon: float, delta: float) -> float:
    return tpr_bound_of_profile(fpr, np.array([epsilon]), np.array([delta]))


def auc_bound_of_gaussian(mu: float) -> float:
    """Of μ-GDP: Φ(μ / √2)."""
    return float(ndtr(mu / math.sqrt(2)))


def tpr_bound_of_gaussian(fpr: float, mu: float) -> float:
    return float(ndtr(ndtri(fpr) + mu))


def gaussian_mu(epsilon: float, delta: float) -> float:
    """The μ of the Gaussian mechanism that just keeps (ε, δ)."""
    if not (epsilon >= 0 and 0 < delta < 1):
        raise ConfigError("not a promise of differential privacy", got=f"({epsilon}, {delta})")
    low, high = 1e-9, 1e3
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _gaussian_delta(epsilon, middle) < delta else (low, middle)
    return (low + high) / 2


def tpr_bound_of_profile(fpr: float, epsilons: Doubles, deltas: Doubles) -> float:
    slopes, starts = _lines(epsilons, deltas)
    return float(np.min(starts + slopes * fpr))


def auc_bound_of_profile(epsilons: Doubles, deltas: Doubles) -> float:
    """The area below the lowest of all lines, exactly."""
    slopes, starts = _lines(epsilons, deltas)
    order = np.lexsort((starts, -slopes))
    hull: list[tuple[float, float]] = []
    corners: list[float] = []
    for slope, start in zip(slopes[order].tolist(), starts[order].tolist(), strict=True):
        if hull and slope == hull[-1][0]:
            continue
        while hull:
            meets = (start - hull[-1][1]) / (hull[-1][0] - slope)
            if corners and meets <= corners[-1]:
                hull.pop()
                corners.pop()
            else:
                break
        corners.append(-math.inf if not hull else (start - hull[-1][1]) / (hull[-1][0] - slope))
        hull.append((slope, start))
    area = 0.0
    for (slope, start), begin, end in zip(hull, corners, [*corners[1:], math.inf], strict=True):
        left, right = min(max(begin, 0.0), 1.0), min(max(end, 0.0), 1.0)
        area += (right - left) * (start + slope * (left + right) / 2)
    return min(area, 1.0)


def of_several(epsilon: float, delta: float, records: int) -> tuple[float, float]:
    """What a promise about one record says of a patient with several."""
    if records == 1 or epsilon == 0:
        return records * epsilon, min(1.0, records * delta)
    grown = records * epsilon - epsilon
    factor = math.exp(grown) * -math.expm1(-records * epsilon) / -math.expm1(-epsilon) if grown < 700 else math.inf
    return records * epsilon, min(1.0, delta * factor if delta > 0 else 0.0)


def profile_of_several(epsilons: Doubles, deltas: Doubles, records: int) -> tuple[Doubles, Doubles]:
    pairs = [of_several(float(epsilon), float(delta), records) for epsilon, delta in zip(epsilons, deltas, strict=True)]
    return np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])


def _lines(epsilons: Doubles, deltas: Doubles) -> tuple[Doubles, Doubles]:
    """TPR ≤ e^ε FPR + δ, TPR ≤ e^−ε FPR + 1 − e^−ε (1 − δ), and TPR ≤ 1."""
    grown, shrunk = np.exp(np.minimum(epsilons, 700.0)), np.exp(-epsilons)
    # with an epsilon whose exponential cannot be written down the first line says nothing
    starts = np.where(epsilons > 700, 1.0, deltas)
    return np.concatenate([grown, shrunk, [0.0]]), np.concatenate([starts, 1 - shrunk * (1 - deltas), [1.0]])


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _gaussian_delta(epsilon: float, mu: float) -> float:
    return float(ndtr(mu / 2 - epsilon / mu) - math.exp(min(epsilon + float(log_ndtr(-mu / 2 - epsilon / mu)), 0.0)))
