"""Pathology-matched pools: distractors are taken in tiers of ascending label distance, only the last is sampled.

The pool holds the true report and N − 1 others. Tiers that fit whole are in it for certain; of the last tier, with n
candidates of which g are above the true one and t level with it, ``slots`` are drawn. So the number above is A + B and
the number level is T + S with A and T certain and (B, S) multivariate hypergeometric; ties are broken at random.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.ranks import Ranks
from leadapron.engine import kernel, parallel_map
from leadapron.errors import ConfigError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

QUERIES_AT_ONCE = 512
NEGLIGIBLE = 1e-17


def hard_pool_metrics(ranks: Ranks, tier_sizes: Ints, pool: int, firsts: tuple[int, ...]) -> Floats:
    """For each query its recall among each of the ``firsts`` and its reciprocal rank, in pathology-matched pools.

    ``tier_sizes`` says how many other candidates each query has at each label distance.
    """
    if not 2 <= pool <= ranks.database:
        raise ConfigError(
            "a pool of this size cannot be drawn", got=pool, allowed=f"2 to {ranks.database}, the size of the database"
        )
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, ranks.database + 1))])
    out = np.empty((len(tier_sizes), len(firsts) + 1))
    wanted = np.array(firsts)

    def block(start: int) -> None:
        rows = slice(start, start + QUERIES_AT_ONCE)
        _metrics(
            ranks.above_by_tier[rows], ranks.ties_by_tier[rows], tier_sizes[rows], pool - 1, wanted, harmonic,
            np.empty((2, pool), dtype=np.int64), np.empty((2, pool)), out[rows],
        )  # fmt: skip

    parallel_map(block, range(0, len(out), QUERIES_AT_ONCE))
    return np.clip(out, 0, 1)  # rounding is not let out of it


def tier_sizes(codes: Ints, candidate_codes: Ints) -> Ints:
    """How many candidates, the true one left out, each query has at each label distance."""
    tiers = 1 + int(candidate_codes.max()).bit_length()
    kinds, kind = np.unique(codes, return_inverse=True)
    theirs, counts = np.unique(candidate_codes, return_counts=True)
    distance = np.bitwise_count(kinds[:, None] ^ theirs)
    sizes = np.stack([((distance == tier) * counts).sum(axis=1) for tier in range(tiers)], axis=1)[kind]
    sizes[:, 0] -= 1
    return sizes


@kernel
def _metrics(
    above: Ints, ties: Ints, sizes: Ints, slots: int, firsts: Ints, harmonic: Floats, counts: Ints, chances: Floats,
    out: Floats,
) -> None:  # fmt: skip
    """Sums over how many of the last tier's candidates above (B) and level (S) are drawn.

    ``counts`` and ``chances`` are room for the numbers that B, and then S, may be. Few functions, each called at few
    places, are compiled in half the time.
    """
    for row in range(above.shape[0]):
        higher, level, left, tier = 0, 0, slots, 0
        while tier < sizes.shape[1] - 1 and sizes[row, tier] <= left:
            left -= sizes[row, tier]
            higher += above[row, tier]
            level += ties[row, tier]
            tier += 1
        size, mine, drawn = sizes[row, tier], above[row, tier], min(left, sizes[row, tier])
        out[row] = 0.0
        for b in range(_likely(size, mine, drawn, counts[0], chances[0])):
            many, counts[1, 0], chances[1, 0] = 1, 0, 1.0  # as a rule nobody is level: nothing to sum over
            if ties[row, tier] > 0:
                many = _likely(size - mine, ties[row, tier], drawn - counts[0, b], counts[1], chances[1])
            before = higher + counts[0, b]
            for s in range(many):
                # the true one is equally likely to stand at any of so many places behind those before it
                weight, places = chances[0, b] * chances[1, s], level + counts[1, s] + 1
                for index in range(len(firsts)):
                    out[row, index] += weight * min(1.0, max(0.0, (firsts[index] - before) / places))
                out[row, len(firsts)] += weight * (harmonic[before + places] - harmonic[before]) / places


@kernel
def _likely(size: int, marked: int, drawn: int, counts: Ints, chances: Floats) -> int:
    """How many marked ones may be among the drawn, from the likeliest number on up, then down, and how likely each is.

    Returns how many numbers there are.
    """
    mode = min(marked, drawn, max(drawn - (size - marked), (drawn + 1) * (marked + 1) // (size + 2)))
    ways = _log_choose(marked, mode) + _log_choose(size - marked, drawn - mode) - _log_choose(size, drawn)
    peak, number = math.exp(ways), 0
    for step in (1, -1):
        count, chance = mode, peak
        while 0 <= count <= marked and count <= drawn and chance > NEGLIGIBLE:
            if step == 1 or count < mode:
                counts[number], chances[number] = count, chance
                number += 1
            if step == 1:
                chance *= (marked - count) * (drawn - count) / ((count + 1) * (size - marked - drawn + count + 1))
            else:
                chance *= count * (size - marked - drawn + count) / ((marked - count + 1) * (drawn - count + 1))
            count += step
    return number


@kernel
def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
