"""What a rank in the whole database means for a random pool of candidates: in closed form, without drawing any.

A query's true report has g candidates above it and e level with it, out of M. In a pool of N, the true one and N − 1
drawn without replacement from the other M − 1, the number above it is hypergeometric. Ties are broken at random, so
the true one is equally likely to come behind 0, 1, … or all e of them. Everything depends on g + u with u = 0 … e
alone: one table of length M a pool, prefix sums, and two look-ups a query; without ties not even the table is needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from leadapron.attacks.linkage.ranks import Ranks
from leadapron.engine import kernel
from leadapron.errors import ConfigError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NEGLIGIBLE = 1e-20


@dataclass(frozen=True)
class RandomPools:
    """One attacker's ranks, and each query's recall in random pools: a pool that is asked for again is not computed."""

    ranks: Ranks
    _recalls: dict[tuple[int, int], Floats] = field(default_factory=dict)

    def recall(self, pool: int, first: int = 1) -> Floats:
        if (pool, first) not in self._recalls:
            column = recall_in_pool(self.ranks, pool, first)
            column.flags.writeable = False  # it is handed out more than once
            self._recalls[pool, first] = column
        return self._recalls[pool, first]


def recall_in_pool(ranks: Ranks, pool: int, first: int) -> Floats:
    """For each query the chance that its true report is among the ``first`` of a random pool."""
    _check(ranks.database, pool)
    others, drawn = ranks.database - 1, pool - 1
    log_factorial = _log_factorials(others.bit_length())
    return _mean_over_ties(lambda above: _fewer_than(first, above, others, drawn, log_factorial), ranks)


@kernel
def _fewer_than(first: int, above: Ints, others: int, drawn: int, log_factorial: Floats) -> Floats:
    """The chance that fewer than ``first`` of those above are drawn: the first one by logarithms, the next from it."""
    everything = log_factorial[others] - log_factorial[drawn] - log_factorial[others - drawn]
    chances = np.zeros(len(above))
    for row in range(len(above)):
        marked = above[row]
        count, most = max(0, marked + drawn - others), min(first - 1, marked, drawn)
        if count > most:
            continue
        left = others - marked - drawn
        chance = math.exp(
            log_factorial[marked] - log_factorial[count] - log_factorial[marked - count]
            + log_factorial[others - marked] - log_factorial[drawn - count] - log_factorial[left + count]
            - everything
        )  # fmt: skip
        chances[row] = chance
        while count < most:
            chance *= (marked - count) * (drawn - count) / ((count + 1) * (left + count + 1))
            count += 1
            chances[row] += chance
    return chances


def reciprocal_rank_in_pool(ranks: Ranks, pool: int) -> Floats:
    """For each query the expected reciprocal rank of its true report in a random pool."""
    _check(ranks.database, pool)
    left = ranks.database - np.arange(ranks.database)
    # C(M − 1 − g, N) / C(M, N) is the product of 1 − N / (M − i) for i = 0 … g; as a difference of logarithms of
    # factorials it would lose its last digits, and they are all that is left of one minus it.
    with np.errstate(divide="ignore"):
        log_none = np.cumsum(np.log1p(-np.minimum(pool / left, 1.0)))

    def reciprocal_rank(above: Ints) -> Floats:
        value: Floats = ranks.database / (pool * (above + 1)) * -np.expm1(log_none[above])
        return value

    return _mean_over_ties(reciprocal_rank, ranks)


def recall_at_1_curve(ranks: Ranks) -> Floats:
    """Recall@1, averaged over the queries, for every pool size from 2 to the whole database."""
    # Each query spreads one vote evenly over the places its ties may give it.
    edges = np.zeros(ranks.database + 1)
    vote = 1 / (ranks.ties + 1)
    np.add.at(edges, ranks.above, vote)
    np.add.at(edges, ranks.above + ranks.ties + 1, -vote)
    return _curve(np.cumsum(edges)[:-1] / len(ranks.above))


@kernel
def _curve(share: Floats) -> Floats:
    """``share[g]`` of the queries have g above; P(none of these in a pool of N) by recurrence in N, until it is nil."""
    others = len(share) - 1
    curve = np.zeros(others)
    for above in range(others + 1):
        if share[above] > 0:
            chance = 1.0
            for drawn in range(1, others + 1):
                chance *= (others - above - drawn + 1) / (others - drawn + 1)
                if chance < NEGLIGIBLE:
                    break
                curve[drawn - 1] += share[above] * chance
    return curve


def chance(pool: int, first: int | None = None) -> float:
    """What guessing gives: recall among the ``first``, or the mean reciprocal rank."""
    if first is not None:
        return min(first, pool) / pool
    return float((1 / np.arange(1, pool + 1)).sum() / pool)


def _mean_over_ties(value: Callable[[Ints], Floats], ranks: Ranks) -> Floats:
    """Between 0 and 1 for certain: rounding is not let out of it."""
    if not ranks.ties.any():
        return np.clip(value(ranks.above), 0, 1)
    table = value(np.arange(ranks.database))
    sums = np.concatenate([[0.0], np.cumsum(table)])
    means = (sums[ranks.above + ranks.ties + 1] - sums[ranks.above]) / (ranks.ties + 1)
    # no difference of sums where none is needed
    return np.clip(np.where(ranks.ties == 0, table[ranks.above], means), 0, 1)


def log_choose(n: Ints | int, k: int) -> Floats:
    """The logarithm of "n choose k", −∞ where there is no way to choose."""
    log_factorial = _log_factorials(int(np.max(n, initial=0)).bit_length())
    ways = log_factorial[n] - log_factorial[min(k, len(log_factorial) - 1)] - log_factorial[np.maximum(n - k, 0)]
    return np.where(np.asarray(n) >= k, ways, -np.inf)


@lru_cache(maxsize=4)
def _log_factorials(bits: int) -> Floats:
    """Of all numbers of so many bits; looked up, because a pool needs each of them many times."""
    table: Floats = gammaln(np.arange(1 << bits) + 1.0)
    table.flags.writeable = False
    return table


def _check(database: int, pool: int) -> None:
    if not 2 <= pool <= database:
        raise ConfigError(
            "a pool of this size cannot be drawn", got=pool, allowed=f"2 to {database}, the size of the database"
        )
