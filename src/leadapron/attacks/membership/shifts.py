"""By how much models are surer of a record that they were trained on, steadied by all records (empirical Bayes).

With few models the difference of two means is mostly noise, and a likelihood ratio takes it for real. What it is on
average behind such an estimate follows from the distribution of the differences over all records, whatever its shape:
most are drawn towards little, those far out are left where they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.membership.mixing import binned, fitted_weights, spaced
from leadapron.attacks.membership.signal_moments import Moments

Doubles = NDArray[np.float64]

BINS, POINTS = 400, 150


def shrunk_means(moments: Moments, variance: Doubles) -> Doubles:
    """Two columns as in the moments. A side without a model has the other's mean, and the usual difference to it."""
    scale = np.sqrt(variance.mean(axis=1))
    weight = moments.count / variance
    out, into = np.nan_to_num(moments.mean).T
    both = moments.count.min(axis=1) > 0
    varies = np.nansum(moments.variance, axis=1) > 0
    noise = np.sqrt((1 / np.maximum(weight, 1e-300)).sum(axis=1)) / scale
    shift = scale * _shrunk((into - out) / scale, noise, known=both & varies)
    centre = (weight[:, 0] * out + weight[:, 1] * (into - shift)) / weight.sum(axis=1)
    return np.stack([centre, centre + shift], axis=1)


def _shrunk(difference: Doubles, noise: Doubles, known: NDArray[np.bool_]) -> Doubles:
    """Differences in standard deviations, each with its noise; the mean of all where one is not known."""
    if not known.any():
        return np.zeros_like(difference)
    usual = float(np.median(noise[known]))
    # records have about as many models on a side, so one noise for all is nearly right, after scaling to it
    scaled = difference[known] / noise[known] * usual
    bins = binned(scaled, spaced(float(scaled.min()), float(scaled.max()), POINTS), usual, BINS)
    weights = fitted_weights(bins.counts[None, :], bins.likelihood)[0]
    shrunk = np.full(len(difference), float(weights @ bins.points))
    shrunk[known] = np.interp(scaled, bins.middles, bins.posterior_means(weights)) * noise[known] / usual
    return shrunk
