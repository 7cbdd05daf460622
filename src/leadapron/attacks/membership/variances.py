"""Variances from few models, steadied by all records (empirical Bayes).

With 16 models a record's variance is known to within a factor of two, and a likelihood ratio lives off it. Two things
are estimated over all records: how much their scales differ (Smyth's moderated variances, 2004), and how much the
ratio of a record's two variances does. A record's own values count by how much more they say than that; with many
models they are all that counts, so there is no number of models at which one has to switch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import polygamma, psi

from leadapron.attacks.membership.signal_moments import Moments

Doubles = NDArray[np.float64]


def shrunk_variances(moments: Moments) -> Doubles:
    """Two columns as in the moments: of the models without the record, and of those with it."""
    dof = np.maximum(moments.count - 1, 0)
    known = (dof > 0) & (moments.variance > 0)
    if not known.any():
        return np.ones_like(moments.variance)
    logs = np.where(known, np.log(np.where(known, moments.variance, 1.0)), np.nan) - _bias(dof)
    ratio = _shrunk_ratio(logs, dof, known[:, 0] & known[:, 1])
    at_out = np.where(known, moments.variance, 0.0) / np.stack([np.ones(len(ratio)), ratio], axis=1)
    weight = np.where(known, dof, 0.0)
    own = weight.sum(axis=1)
    scale = _shrunk_scale((weight * at_out).sum(axis=1) / np.maximum(own, 1), own)
    return np.stack([scale, scale * ratio], axis=1)


def _bias(dof: Doubles) -> Doubles:
    """By how much the logarithm of a sample's variance is off, on average."""
    half = np.maximum(dof, 1) / 2
    bias: Doubles = psi(half) - np.log(half)
    return bias


def _shrunk_ratio(logs: Doubles, dof: Doubles, both: NDArray[np.bool_]) -> Doubles:
    """A record's variance with it to that without: the common ratio, and as much of its own as is not chance."""
    if not both.any():
        return np.ones(len(logs))
    own = logs[:, 1] - logs[:, 0]
    noise = polygamma(1, np.maximum(dof, 1) / 2).sum(axis=1)
    common = own[both].mean()
    real = max(0.0, float(own[both].var() - noise[both].mean()))
    shrunk: Doubles = np.exp(np.where(both, common + real / (real + noise) * (own - common), common))
    return shrunk


def _shrunk_scale(variance: Doubles, dof: Doubles) -> Doubles:
    known = (variance > 0) & (dof > 0)
    logs = np.log(variance[known]) - _bias(dof[known])
    real = float(logs.var() - polygamma(1, dof[known] / 2).mean())
    if real <= 0:  # the records differ by no more than chance
        return np.full(len(variance), np.exp(logs.mean()))
    prior_dof = 2 * _inverse_trigamma(real)
    prior = np.exp(logs.mean() + float(_bias(np.array([prior_dof]))[0]))
    scale: Doubles = (prior_dof * prior + np.where(known, dof * variance, 0.0)) / (prior_dof + np.where(known, dof, 0))
    return scale


def _inverse_trigamma(value: float) -> float:
    """Newton's iteration as in Smyth's appendix; it converges from this start for every positive value."""
    if value > 1e7:
        return float(1 / np.sqrt(value))
    if value < 1e-6:
        return 1 / value
    x = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(polygamma(1, x))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, x))
        x += step
        if -step / x < 1e-10:
            break
    return x
