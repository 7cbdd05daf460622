"""Are the signals Gaussian? D'Agostino and Pearson's test of skewness and kurtosis, from the moments of every record.

Where they are not, the bi-normal AUC may understate the risk, and the one by ranks is to be trusted.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from leadapron.attacks.membership.signal_moments import Moments

Doubles = NDArray[np.float64]

FEWEST = 20
"""On a side; with fewer the approximation of the test does not hold."""
LEVEL = 0.01


def normality_p(moments: Moments) -> Doubles:
    """The p-value of "both sides are Gaussian", of every record; not a number where a side has too few models."""
    enough = moments.count.min(axis=1) >= FEWEST
    count = np.where(enough[:, None], moments.count, FEWEST)
    shape = _skewness_score(moments.skewness, count) ** 2 + _kurtosis_score(moments.kurtosis, count) ** 2
    p = chdtrc(4, shape.sum(axis=1))
    return np.where(enough & np.isfinite(p), p, np.nan)


def _skewness_score(skewness: Doubles, n: Doubles) -> Doubles:
    """D'Agostino (1970): a standard Gaussian if the sample is one of a Gaussian."""
    y = skewness * np.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    beta = 3 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    width = np.sqrt(2 * (beta - 1)) - 1
    score: Doubles = np.arcsinh(y / np.sqrt(2 / (width - 1))) / np.sqrt(np.log(width) / 2)
    return score


def _kurtosis_score(kurtosis: Doubles, n: Doubles) -> Doubles:
    """Anscombe and Glynn (1983)."""
    expected = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    off = (kurtosis - expected) / np.sqrt(variance)
    skew = 6 * (n**2 - 5 * n + 2) / ((n + 7) * (n + 9)) * np.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / skew * (2 / skew + np.sqrt(1 + 4 / skew**2))
    root = np.cbrt((1 - 2 / a) / (1 + off * np.sqrt(2 / (a - 4))))
    score: Doubles = (1 - 2 / (9 * a) - root) / np.sqrt(2 / (9 * a))
    return score
