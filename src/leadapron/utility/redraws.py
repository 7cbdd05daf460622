"""Redraws: how often each patient counts, the sample itself first, so that every number goes the same way."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import parallel_map
from leadapron.stats.bootstrap import HIGH, LOW

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

REDRAWS_AT_ONCE = 50


@dataclass(frozen=True)
class Redraws:
    """``weights[r, c]`` is how often cluster c counts in redraw r; row 0 is the sample itself, all ones.

    ``cluster`` says of which cluster each record is.
    """

    weights: NDArray[np.uint16]
    cluster: Ints

    def means(self, values: Floats) -> Floats:
        """The mean over the records in every redraw, the sample first; a record whose value is NaN is not there."""
        there = ~np.isnan(values)
        count = self.weights.shape[1]
        sums = np.bincount(self.cluster[there], weights=values[there], minlength=count)
        sizes = np.bincount(self.cluster[there], minlength=count).astype(np.float64)
        both = np.stack([sums, sizes], axis=1)
        blocks = range(0, len(self.weights), REDRAWS_AT_ONCE)  # as floating-point numbers all would not fit
        totals = np.concatenate([self.weights[at : at + REDRAWS_AT_ONCE].astype(np.float64) @ both for at in blocks])
        return ratio(totals[:, 0], totals[:, 1])


def draw(cluster_of: NDArray[np.generic], redraws: int, seed: int) -> Redraws:
    """As many clusters as there are, drawn with replacement. Only the set of clusters and the seed decide.

    So two releases of the same records, in whatever order, are redrawn alike.
    """
    names, cluster = np.unique(cluster_of, return_inverse=True)
    weights = np.ones((redraws + 1, len(names)), dtype=np.uint16)

    def fill(row: int) -> None:
        drawn = np.random.default_rng([seed, row]).integers(0, len(names), len(names))
        weights[row] = np.bincount(drawn, minlength=len(names))

    parallel_map(fill, range(1, redraws + 1))
    return Redraws(weights, cluster.astype(np.int64))


def spread(replicates: Floats) -> tuple[float, float, float]:
    """The 95 % percentile interval and the standard deviation over the redraws in which there is a value."""
    there = replicates[~np.isnan(replicates)]
    low, high = np.percentile(there, [LOW, HIGH])
    return float(low), float(high), float(there.std(ddof=1))


def ratio(above: Floats | Ints, below: Floats | Ints) -> Floats:
    """The quotient, NaN where there is nothing to divide by."""
    quotient: Floats = np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below != 0)
    return quotient
