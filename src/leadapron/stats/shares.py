"""Shares of rows that belong to patients: exact-type intervals that hold where hits are rare, without any draw.

The interval is Clopper and Pearson's with patients in the place of trials (Gaffke's bound). One patient more is
imagined: for the upper limit one with nothing but hits, for the lower limit one with none. Patients are weighted by a
Dirichlet distribution, all alike; the limits are the 2.5 % and 97.5 % points of the weighted share. With one row of 0
or 1 for each patient this is the interval of Clopper and Pearson itself.

The weighted share is below θ exactly if a sum of exponential variables, weighted by z = hits − θ rows, is below zero.
Its distribution is known by a saddlepoint to three digits, so no weights are drawn.
"""

from __future__ import annotations

import math
from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtrc, betaincinv, ndtri

from leadapron.engine import kernel, parallel_map
from leadapron.stats.estimate import Estimate

Doubles = NDArray[np.float64]
Limits = tuple[float, float]

LEVEL = 0.95
POWER = 0.8
ALL_BUT_ROUNDING = 1e-12
FAR = float(ndtri((1 + LEVEL) / 2))
BEYOND = 1e6
"""No ratio whose lower part was told from zero is as large."""


def shares(values: Doubles, clusters: NDArray[np.generic], weights: Doubles | None = None) -> list[Estimate]:
    """The mean of every column of numbers from 0 to 1, with its interval over clusters."""
    return shares_of(*added_up(values, clusters, weights))


def added_up(values: Doubles, clusters: NDArray[np.generic], weights: Doubles | None = None) -> tuple[Doubles, Doubles]:
    """The sums of every column over each cluster, and how many rows each has; a row may count for more or less."""
    _, cluster = np.unique(clusters, return_inverse=True)
    counted = np.ones(len(cluster)) if weights is None else weights
    sums = np.stack([np.bincount(cluster, weights=column * counted) for column in values.T], axis=1)
    return sums.astype(np.float64), np.bincount(cluster, weights=counted).astype(np.float64)


def shares_of(sums: Doubles, sizes: Doubles) -> list[Estimate]:
    """The same of clusters that were added up already; those without any row tell nothing."""
    told = sizes > 0
    sums, sizes = np.ascontiguousarray(sums[told].T, dtype=np.float64), sizes[told].astype(np.float64)
    total, imagined = float(sizes.sum()), usual(sizes)

    def one(hits: Doubles) -> Estimate:
        value = min(max(float(hits.sum()) / total, 0.0), 1.0)
        low, high = share_limits(hits, sizes, imagined)
        few = len(sizes) / max(len(sizes) - 1, 1)
        sd = float(np.sqrt(few * ((hits - value * sizes) ** 2).sum())) / total
        return Estimate(value, min(low, value), max(high, value), sd, round(total), len(sizes), total / imagined)

    return parallel_map(one, list(sums))


def share_limits(hits: Doubles, sizes: Doubles, imagined: float | None = None) -> Limits:
    """The limits of the share of all hits in all rows; ``imagined`` is how many rows the patient has who is imagined.

    As a rule they are as many as the patient of a row that is drawn at random has.
    """
    more = usual(sizes) if imagined is None else imagined
    total = float(sizes.sum())
    share, slack = float(hits.sum()) / total, ALL_BUT_ROUNDING
    low = 0.0 if share <= slack else _limit(hits, sizes, 0.0, more, -FAR, 0.0, share)
    high = 1.0 if share >= 1 - slack else _limit(hits, sizes, more, more, FAR, share, 1.0)
    return low, high


def lower_limit(hits: Doubles, sizes: Doubles, *, among: int = 1) -> float:
    """The lower limit alone, so far out that those of as many rivals hold together."""
    total = float(sizes.sum())
    share = float(hits.sum()) / total
    if share <= ALL_BUT_ROUNDING:
        return 0.0
    target = float(ndtri((1 - LEVEL) / 2 / among))
    hits = np.ascontiguousarray(hits)  # a column of a table would have the loop compiled once more
    return min(_limit(hits, sizes, 0.0, usual(sizes), target, 0.0, share), share)


def usual(sizes: Doubles) -> float:
    """How many rows a patient has on average over the rows, and not over the patients."""
    return float(sizes @ sizes) / float(sizes.sum())


def ratio_limits(above: Doubles, below: Doubles, most: tuple[float, float], least: tuple[float, float]) -> Limits:
    """The limits of the sum of ``above`` by that of ``below``, which must be told from zero.

    ``most`` and ``least`` are what the patient adds to both who is imagined, for the upper limit and for the lower.
    """
    ratio = float(above.sum() / below.sum())
    high = _limit(above, below, *most, FAR, ratio, BEYOND)
    return _limit(above, below, *least, -FAR, -BEYOND, ratio), high


def joined(one: float, other: float, alike: float = 0.0) -> float:
    """How far a limit of a sum lies off, from its parts' limits and how much these vary together (MOVER, Zou 2008)."""
    return math.sqrt(max(one**2 + other**2 + 2 * alike * one * other, 0.0))


def exact_limits(count: Doubles | float, tries: float) -> tuple[Doubles, Doubles]:
    """Clopper and Pearson's interval of so many hits in so many tries; neither need be a whole number."""
    tail, count = (1 - LEVEL) / 2, np.asarray(count, dtype=np.float64)
    low = np.where(count > 0, betaincinv(np.maximum(count, 1e-12), tries - count + 1, tail), 0.0)
    high = np.where(count < tries, betaincinv(count + 1, np.maximum(tries - count, 1e-12), 1 - tail), 1.0)
    return low, high


def smallest_seen(chance: float, tries: float, slack: float = 0.0, among: int = 1) -> float:
    """The smallest true share that would be found above ``chance`` in eight of ten audits of as many tries.

    Such an audit finds something from the count on that chance reaches in one of forty, or with the best ``among``
    rivals more seldom by as much; with ``slack``, from the count on whose lower limit, by so much further off, is above
    chance.
    """
    if slack >= 1:
        return 1.0
    whole = max(1, math.floor(tries))
    tail = (1 - LEVEL) / 2 / among
    count = 1 + bisect_left(range(whole + 1), True, key=lambda most: bdtrc(most, whole, chance) <= tail)
    while slack > 0 and count <= whole:
        low = float(exact_limits(count, whole)[0])
        if count / whole - joined(count / whole - low, slack) > chance:
            break
        count += 1 + count // 50
    return float(betaincinv(count, whole - count + 1, POWER)) if count <= whole else 1.0


def smallest_seen_by_error(chance: float, sd: float, *, below: bool = False) -> float:
    """The same of a number that is no share, by its standard error; ``below`` chance where lower is worse."""
    apart = (FAR + float(ndtri(POWER))) * sd
    return float(min(max(chance - apart if below else chance + apart, 0.0), 1.0))


@kernel
def _limit(
    hits: Doubles, sizes: Doubles, more_hits: float, more_rows: float, target: float, low: float, high: float
) -> float:
    """The share between ``low`` and ``high`` at which the normal score of "the weighted share is below" is ``target``.

    Newton's steps within a bracket: the score grows with the share. The last saddlepoint is the next one's start.
    """
    hit, rows, spread = more_hits, more_rows, 0.0
    for at in range(len(hits)):
        hit += hits[at]
        rows += sizes[at]
    value = hit / rows
    for at in range(len(hits)):
        spread += (hits[at] - value * sizes[at]) ** 2
    share: float = value + target * math.sqrt(spread + (more_hits - value * more_rows) ** 2) / rows
    saddle = 0.0
    for _ in range(100):
        if not low < share < high:
            share = (low + high) / 2
        score, slope, saddle = _score(hits, sizes, more_hits, more_rows, share, saddle)
        if score < target:
            low = share
        else:
            high = share
        if abs(score - target) < 1e-6 or high - low < 1e-12:
            break
        share = share - (score - target) / slope if slope > 0.0 else math.nan
    return share


@kernel
def _score(
    hits: Doubles, sizes: Doubles, more_hits: float, more_rows: float, share: float, start: float
) -> tuple[float, float, float]:
    """Barndorff-Nielsen's r* of P(sum of exponentials times z < 0), how fast it grows, and the saddlepoint."""
    last = more_hits - share * more_rows
    least, most = last, last
    for at in range(len(hits)):
        z = hits[at] - share * sizes[at]
        least, most = min(least, z), max(most, z)
    if least >= 0.0:
        return -np.inf, 0.0, 0.0
    if most <= 0.0:
        return np.inf, 0.0, 0.0
    low, high = 1.0 / least, 1.0 / most
    s = start if low < start < high else 0.0
    for _ in range(100):
        term = last / (1.0 - s * last)
        first, second = term, term * term
        for at in range(len(hits)):
            z = hits[at] - share * sizes[at]
            term = z / (1.0 - s * z)
            first += term
            second += term * term
        if first > 0.0:
            high = s
        else:
            low = s
        moved = s - first / second
        if not low < moved < high:
            moved = (low + high) / 2
        step = abs(moved - s) * math.sqrt(second)
        s = moved
        if step < 1e-7:
            break
    term = last / (1.0 - s * last)
    logs, second, rows = math.log1p(-s * last), term * term, more_rows / (1.0 - s * last)
    for at in range(len(hits)):
        z = hits[at] - share * sizes[at]
        left = 1.0 - s * z
        term = z / left
        logs += math.log(left)
        second += term * term
        rows += sizes[at] / left
    w = math.copysign(math.sqrt(max(2.0 * logs, 0.0)), s)
    v = s * math.sqrt(second)
    if abs(w) < 1e-6:  # in the middle of the distribution, where nobody looks for a limit
        return w, 0.0, s
    return w + math.log(v / w) / w, s * rows / w, s
