"""Two numbers of the same patients, measured twice: how they differ, with an interval and the p-value of "not at all".

Shares are compared by their own exact-type limits, put together with the correlation over patients (MOVER, Zou 2008;
for ratios Donner and Zou 2012). They leave doubt where nothing was found. Other means are compared by redrawing
patients.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.stats.bootstrap import HIGH, LOW, REDRAWS, redrawn_means
from leadapron.stats.estimate import Estimate
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


@dataclass(frozen=True)
class PairedShares:
    """Two shares of the same patients, and how much patients who are hit before are hit after."""

    before: Estimate
    after: Estimate
    correlation: float
    sd: float


def paired_shares(before: Doubles, after: Doubles, clusters: NDArray[np.generic]) -> list[PairedShares]:
    """Column by column."""
    _check(before, after, clusters)
    (old, sizes), (new, _) = added_up(before, clusters), added_up(after, clusters)
    found = []
    for column, (first, second) in enumerate(zip(shares_of(old, sizes), shares_of(new, sizes), strict=True)):
        x, y = old[:, column] - first.value * sizes, new[:, column] - second.value * sizes
        length = math.sqrt(float(x @ x) * float(y @ y))
        sd = math.sqrt(float((y - x) @ (y - x)) * len(x) / (len(x) - 1)) / float(sizes.sum())
        found.append(PairedShares(first, second, float(x @ y) / length if length > 0 else 0.0, sd))
    return found


def share_differences(
    before: Doubles, after: Doubles, clusters: NDArray[np.generic], *, seed: int = 0
) -> list[PairedDifference]:
    """After minus before of every column of shares. The p-value turns patients round, each with all its rows."""
    pairs = paired_shares(before, after, clusters)
    sums, _ = added_up(after - before, clusters)
    rng = np.random.default_rng(seed)
    as_far = np.zeros(sums.shape[1])
    for _ in range(FLIPS // FLIPS_AT_ONCE):
        signs = rng.integers(0, 2, (FLIPS_AT_ONCE, len(sums)), dtype=np.int8) * 2.0 - 1.0
        as_far += (np.abs(signs @ sums) >= np.abs(sums.sum(axis=0)) - 1e-12).sum(axis=0)
    found = []
    for pair, farther in zip(pairs, as_far.tolist(), strict=True):
        low, high = difference_limits(pair)
        old, new = pair.before, pair.after
        p = (1 + farther) / (1 + FLIPS)
        found.append(
            PairedDifference(old.value, new.value, new.value - old.value, low, high, pair.sd, p, old.n, len(sums))
        )
    return found


def difference_limits(pair: PairedShares) -> tuple[float, float]:
    """Of after minus before."""
    old, new, r = pair.before, pair.after, pair.correlation
    difference = new.value - old.value
    return (
        difference - _joined(new.value - new.low, old.high - old.value, r),
        difference + _joined(new.high - new.value, old.value - old.low, r),
    )


def ratio_limits(pair: PairedShares, chance: float) -> tuple[float, float]:
    """Of the excess over ``chance`` after by that before; the whole interval of before must lie above chance.

    The limits are the ratios at which the difference of after and so many times before just may be zero.
    """
    b, l2, u2 = (end - chance for end in (pair.before.value, pair.before.low, pair.before.high))
    a, l1, u1 = (end - chance for end in (pair.after.value, pair.after.low, pair.after.high))
    r = pair.correlation
    low = _root(a, b, a - l1, u2 - b, r, -1.0)
    high = _root(a, b, u1 - a, b - l2, r, 1.0)
    return low, high


def _root(a: float, b: float, da: float, db: float, r: float, side: float) -> float:
    """The smaller or larger solution x of (a - x b)^2 = da^2 - 2 r x da db + x^2 db^2."""
    square, middle, rest = b * b - db * db, a * b - r * da * db, a * a - da * da
    inside = max(middle * middle - square * rest, 0.0)
    return (middle + side * math.sqrt(inside)) / square if square > 0 else side * math.inf


def _joined(x: float, y: float, r: float) -> float:
    return math.sqrt(max(x * x + y * y - 2 * r * x * y, 0.0))


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
