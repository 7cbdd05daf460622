"""How many patients really are above a threshold: the survival function without the errors of the AUCs in it.

Estimates scatter around the truth, and in the tail of many patients who bear little risk some are there by scatter
alone. The distribution of the true distances is the one that fits the estimates best, given their errors. Patients
drawn anew, and the fit repeated, give an interval that allows for both: errors of the AUCs, and the finite number of
patients.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

from leadapron.attacks.membership.binormal import Auc
from leadapron.attacks.membership.mixing import binned, fitted_weights, spaced
from leadapron.attacks.membership.survival import THRESHOLDS
from leadapron.stats import exact_limits

Doubles = NDArray[np.float64]

BINS, GRID = 200, 100
REDRAWS = 200
NEIGHBOURHOODS = 50
LEAST_WIDTH = 1.0
"""The grid spans at least this much: a threshold falls between two of its points."""


def true_shares(found: Auc, seed: int, thresholds: Doubles = THRESHOLDS) -> pl.DataFrame:
    """The share of the patients whose true AUC is above each threshold, with its interval."""
    distance = found.distance
    points = spaced(float(distance.min()), float(distance.max()), GRID, least=LEAST_WIDTH)
    bins = binned(distance, points, _usual_error(found, points), BINS)
    beyond = _share_beyond(points, ndtri(thresholds))

    # weights add up to one but for rounding, and no share is more than all
    share = np.minimum(fitted_weights(bins.counts[None, :], bins.likelihood) @ beyond, 1.0)[0]
    rng = np.random.default_rng(seed)
    redrawn = rng.multinomial(len(distance), bins.counts / len(distance), REDRAWS).astype(np.float64)
    shares = np.minimum(fitted_weights(redrawn, bins.likelihood) @ beyond, 1.0)
    from_redraws = np.percentile(shares, [2.5, 97.5], axis=0)
    # where nobody or nearly nobody is left, redraws of the same patients cannot show how many others there may be
    exact = exact_limits(share * len(distance), len(distance))
    return pl.DataFrame(
        {
            "auc": thresholds,
            "share": share,
            "low": np.minimum(from_redraws[0], exact[0]),
            "high": np.maximum(from_redraws[1], exact[1]),
        }
    )


def _usual_error(found: Auc, points: Doubles) -> Doubles:
    """How far estimates err whose truth lies there: as far as the estimates nearby."""
    order = np.argsort(found.distance)
    parts = np.array_split(order, min(NEIGHBOURHOODS, len(order)))
    middles = [found.distance[part].mean() for part in parts]
    squares = [(found.error[part] ** 2).mean() for part in parts]
    return np.asarray(np.sqrt(np.interp(points, middles, squares)))


def _share_beyond(points: Doubles, thresholds: Doubles) -> Doubles:
    """Points by thresholds: how much of a point's cell lies beyond the threshold."""
    step = points[1] - points[0]
    share: Doubles = np.clip((points[:, None] - thresholds) / step + 0.5, 0.0, 1.0)
    return share
