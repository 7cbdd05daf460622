"""The analytic Gaussian mechanism: how private a vector with normal noise on it is, exactly.

Balle and Wang, "Improving the Gaussian mechanism for differential privacy", ICML 2018, theorem 8: noise of standard
deviation σ on a value that one neighbour can move by Δ at most (in Euclidean length) is (ε, δ) private if and only if

    Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) ≤ δ
"""

from __future__ import annotations

import math

from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from leadapron.errors import ConfigError


def gaussian_delta(epsilon: float, sensitivity: float, sigma: float) -> float:
    """The smallest δ at this ε."""
    ratio = _ratio(sensitivity, sigma)
    near, far = ratio / 2 - epsilon / ratio, -ratio / 2 - epsilon / ratio
    return max(0.0, float(ndtr(near) - math.exp(epsilon + log_ndtr(far))))  # in logarithms: e^ε alone overflows


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


def _ratio(sensitivity: float, sigma: float) -> float:
    if not (sensitivity > 0 and sigma > 0 and math.isfinite(sensitivity / sigma)):
        raise ConfigError("noise and sensitivity must be above 0", where="Gaussian mechanism", got=(sensitivity, sigma))
    return sensitivity / sigma
