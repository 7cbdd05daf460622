"""The Gaussian mechanism: how private normal noise is, and what it lets any attack reach, exactly.

Balle and Wang, "Improving the Gaussian mechanism for differential privacy", ICML 2018, theorem 8: noise of standard
deviation σ on a value that one neighbour can move by Δ at most (in Euclidean length) is (ε, δ) private if and only if

    Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) ≤ δ

Only μ = Δ/σ counts: how many standard deviations one neighbour can move the value. No attack can tell more than which
of two normal distributions, μ apart, a number is from (Dong, Roth and Su 2022): that is the trade-off curve.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr, ndtri

from leadapron.errors import ConfigError


def gaussian_delta(epsilon: float, sensitivity: float, sigma: float) -> float:
    """The smallest δ at this ε."""
    ratio = _ratio(sensitivity, sigma)
    near, far = ratio / 2 - epsilon / ratio, -ratio / 2 - epsilon / ratio
    return max(0.0, float(ndtr(near) - math.exp(epsilon + log_ndtr(far))))  # in logarithms: e^ε alone overflows


def gaussian_deltas(mu: float, epsilons: NDArray[np.float64]) -> NDArray[np.float64]:
    """The whole profile: the smallest δ at each ε."""
    return np.array([gaussian_delta(float(epsilon), mu, 1.0) for epsilon in epsilons])


def gaussian_epsilon(delta: float, sensitivity: float, sigma: float) -> float:
    """The smallest ε at this δ; 0 where the noise hides everything already."""
    if not 0 < delta < 1:
        raise ConfigError("not a delta", got=delta, allowed="more than 0, less than 1")
    ratio = _ratio(sensitivity, sigma)
    if gaussian_delta(0.0, sensitivity, sigma) <= delta:
        return 0.0
    # the classical tail bound is never smaller, so the root lies below it
    most = ratio**2 / 2 + ratio * math.sqrt(2 * math.log(1 / delta))
    return float(brentq(lambda epsilon: gaussian_delta(epsilon, sensitivity, sigma) - delta, 0.0, most, xtol=1e-12))


def gaussian_mu(epsilon: float, delta: float) -> float:
    """The μ of the Gaussian mechanism that just keeps (ε, δ)."""
    if not (epsilon >= 0 and 0 < delta < 1):
        raise ConfigError("not a promise of differential privacy", got=f"({epsilon}, {delta})")
    low, high = 1e-9, 1e3
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(epsilon, middle, 1.0) < delta else (low, middle)
    return (low + high) / 2


def gaussian_bound(rate: float, mu: float) -> float:
    """The trade-off curve: the most that an event's chance can be with a unit, if it is ``rate`` without it."""
    return float(ndtr(ndtri(rate) + mu))


def gaussian_auc(mu: float) -> float:
    """The area below the trade-off curve: Φ(μ / √2)."""
    return float(ndtr(mu / math.sqrt(2)))


def _ratio(sensitivity: float, sigma: float) -> float:
    if not (sensitivity > 0 and sigma > 0 and math.isfinite(sensitivity / sigma)):
        raise ConfigError("noise and sensitivity must be above 0", where="Gaussian mechanism", got=(sensitivity, sigma))
    return sensitivity / sigma
