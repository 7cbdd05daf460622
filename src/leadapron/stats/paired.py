"""The paired bootstrap: the same rows measured twice, whole patients drawn with replacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.stats.bootstrap import HIGH, LOW, REDRAWS


@dataclass(frozen=True)
class PairedDifference:
    """The mean before and after, the mean difference with its 95 % interval, and the p-value of "no difference"."""

    before: float
    after: float
    difference: float
    low: float
    high: float
    sd: float
    p: float
    n: int
    clusters: int


def paired_difference(
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    clusters: NDArray[np.generic],
    *,
    redraws: int = REDRAWS,
    seed: int = 0,
) -> PairedDifference:
    """The mean of ``after - before``, with redraws of whole clusters."""
    if not len(before) == len(after) == len(clusters):
        raise ValueError("before, after and clusters must have one entry a row")
    _, cluster = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(cluster)
    if len(sizes) < 2:
        raise ValueError("a bootstrap over clusters needs at least two of them")
    difference = after - before
    sums = np.bincount(cluster, weights=difference)
    rng = np.random.default_rng(seed)
    means = np.empty(redraws)
    for redraw in range(redraws):
        drawn = rng.integers(0, len(sizes), len(sizes))
        means[redraw] = sums[drawn].sum() / sizes[drawn].sum()
    observed = float(difference.mean())
    low, high = np.percentile(means, [LOW, HIGH])
    return PairedDifference(
        before=float(before.mean()),
        after=float(after.mean()),
        difference=observed,
        low=float(low),
        high=float(high),
        sd=float(means.std(ddof=1)),
        p=two_sided_p(observed, means),
        n=len(difference),
        clusters=len(sizes),
    )


def two_sided_p(observed: float, redrawn: NDArray[np.float64]) -> float:
    """The p-value of "no difference", from the differences of paired redraws.

    How often a redraw strays from the observed difference by at least as much as the observed one strays from zero.
    The observed one counts as a redraw, so the p-value is never zero.
    """
    as_far = int((np.abs(redrawn - observed) >= abs(observed)).sum())
    return (1 + as_far) / (1 + len(redrawn))
