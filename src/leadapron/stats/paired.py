"""Two numbers of the same patients, measured twice: how they differ, with an interval and the p-value of "not at all".

The difference of two shares has the exact-type limits of a share: they leave doubt where hardly any patient changed.
Other means are compared by redrawing patients.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.stats.bootstrap import HIGH, LOW, REDRAWS, redrawn_means
from leadapron.stats.shares import added_up, shares_of

Doubles = NDArray[np.float64]

FLIPS = 2000
FLIPS_AT_ONCE = 100


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


def share_differences(
    before: Doubles, after: Doubles, clusters: NDArray[np.generic], *, weights: Doubles | None = None, seed: int = 0
) -> list[PairedDifference]:
    """After minus before of every column of shares. The p-value turns patients round, each with all its rows.

    Half of one more than a difference is a share, and so are its limits. A row may count for more or less.
    """
    _check(before, after, clusters)
    sums, sizes = added_up(after - before, clusters, weights)
    rng = np.random.default_rng(seed)
    as_far = np.zeros(sums.shape[1])
    for _ in range(FLIPS // FLIPS_AT_ONCE):
        signs = rng.integers(0, 2, (FLIPS_AT_ONCE, len(sums)), dtype=np.int8) * 2.0 - 1.0
        as_far += (np.abs(signs @ sums) >= np.abs(sums.sum(axis=0)) - 1e-12).sum(axis=0)
    halves = shares_of((sums + sizes[:, None]) / 2, sizes)
    return [
        PairedDifference(
            before=float(np.average(before[:, column], weights=weights)),
            after=float(np.average(after[:, column], weights=weights)),
            difference=2 * half.value - 1,
            low=2 * half.low - 1,
            high=2 * half.high - 1,
            sd=2 * half.sd,
            p=(1 + farther) / (1 + FLIPS),
            n=half.n,
            clusters=len(sizes),
        )
        for column, (half, farther) in enumerate(zip(halves, as_far.tolist(), strict=True))
    ]


def mean_difference(
    before: Doubles, after: Doubles, clusters: NDArray[np.generic], *, redraws: int = REDRAWS, seed: int = 0
) -> PairedDifference:
    """The mean of ``after - before`` of numbers that are no shares, with redraws of whole clusters."""
    different = _check(before, after, clusters)
    change = after - before
    means = redrawn_means(change[:, None], clusters, redraws=redraws, seed=seed)[:, 0]
    low, high = np.percentile(means, [LOW, HIGH])
    observed = float(change.mean())
    return PairedDifference(
        before=float(before.mean()),
        after=float(after.mean()),
        difference=observed,
        low=float(low),
        high=float(high),
        sd=float(means.std(ddof=1)),
        p=two_sided_p(observed, means),
        n=len(change),
        clusters=different,
    )


def _check(before: Doubles, after: Doubles, clusters: NDArray[np.generic]) -> int:
    if not len(before) == len(after) == len(clusters):
        raise ValueError("before, after and clusters must have one entry a row")
    different = len(np.unique(clusters))
    if different < 2:
        raise ValueError("an interval over clusters needs at least two of them")
    return different


def two_sided_p(observed: float, redrawn: Doubles) -> float:
    """The p-value of "no difference", from the differences of paired redraws.

    How often a redraw strays from the observed difference by at least as much as the observed one strays from zero.
    The observed one counts as a redraw, so the p-value is never zero.
    """
    as_far = int((np.abs(redrawn - observed) >= abs(observed)).sum())
    return (1 + as_far) / (1 + len(redrawn))
