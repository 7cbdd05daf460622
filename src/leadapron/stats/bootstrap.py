"""The bootstrap of means, clustered: whole patients are drawn with replacement, with all their queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.stats.estimate import Estimate

REDRAWS = 1000
LOW, HIGH = 2.5, 97.5
REDRAWS_AT_ONCE = 50


def bootstrap_means(
    values: NDArray[np.float64], clusters: NDArray[np.generic], *, redraws: int = REDRAWS, seed: int = 0
) -> list[Estimate]:
    """The mean of every column, with its standard deviation and 95 % percentile interval over redraws of clusters.

    To draw queries instead of patients, give every row a cluster of its own.
    """
    means = redrawn_means(values, clusters, redraws=redraws, seed=seed)
    low, high = np.percentile(means, [LOW, HIGH], axis=0)
    spread = means.std(axis=0, ddof=1)
    columns = zip(values.mean(axis=0), low, high, spread, strict=True)
    return [Estimate(float(mean), float(a), float(b), float(sd), len(values)) for mean, a, b, sd in columns]


def redrawn_means(
    values: NDArray[np.float64], clusters: NDArray[np.generic], *, redraws: int = REDRAWS, seed: int = 0
) -> NDArray[np.float64]:
    """The means of all columns over clusters drawn with replacement, a redraw a row, the same draw for every column.

    A redraw only changes how often each cluster counts, so all of them are one product of weights and sums.
    """
    _, cluster = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(cluster)
    sums = np.stack([np.bincount(cluster, weights=column) for column in values.T], axis=1).astype(np.float64)
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [
            _redraw(rng, min(REDRAWS_AT_ONCE, redraws - start), sums, sizes)
            for start in range(0, redraws, REDRAWS_AT_ONCE)
        ]
    )


def _redraw(
    rng: np.random.Generator, redraws: int, sums: NDArray[np.float64], sizes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Means over as many clusters as there are, drawn with replacement; a redraw a row."""
    drawn = rng.integers(0, len(sizes), (redraws, len(sizes)))
    weights = np.stack([np.bincount(row, minlength=len(sizes)) for row in drawn]).astype(np.float64)
    means: NDArray[np.float64] = (weights @ sums) / (weights @ sizes)[:, None]
    return means
