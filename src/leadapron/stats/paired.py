"""The paired bootstrap: the same rows measured twice, whole patients drawn with replacement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.stats.bootstrap import HIGH, LOW, REDRAWS, redrawn_means


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
    return paired_differences(before[:, None], after[:, None], clusters, redraws=redraws, seed=seed)[0]


def paired_differences(
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    clusters: NDArray[np.generic],
    *,
    redraws: int = REDRAWS,
    seed: int = 0,
) -> list[PairedDifference]:
    """The same of every column, over the same redraws."""
    if not len(before) == len(after) == len(clusters):
        raise ValueError("before, after and clusters must have one entry a row")
    different = len(np.unique(clusters))
    if different < 2:
        raise ValueError("a bootstrap over clusters needs at least two of them")
    change = after - before
    means = redrawn_means(change, clusters, redraws=redraws, seed=seed)
    low, high = np.percentile(means, [LOW, HIGH], axis=0)
    return [
        PairedDifference(
            before=float(before[:, column].mean()),
            after=float(after[:, column].mean()),
            difference=observed,
            low=float(low[column]),
            high=float(high[column]),
            sd=float(means[:, column].std(ddof=1)),
            p=two_sided_p(observed, means[:, column]),
            n=len(change),
            clusters=different,
        )
        for column, observed in enumerate(change.mean(axis=0).tolist())
    ]


def two_sided_p(observed: float, redrawn: NDArray[np.float64]) -> float:
    """The p-value of "no difference", from the differences of paired redraws.

    How often a redraw strays from the observed difference by at least as much as the observed one strays from zero.
    The observed one counts as a redraw, so the p-value is never zero.
    """
    as_far = int((np.abs(redrawn - observed) >= abs(observed)).sum())
    return (1 + as_far) / (1 + len(redrawn))
