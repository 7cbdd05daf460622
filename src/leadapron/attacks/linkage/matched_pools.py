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
            ranks.above_by_tier[rows], ranks.ties_by_tier[rows], tier_sizes[rows], pool - 1, wanted, harmonic, out[rows]
        )

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
def _metrics(above: Ints, ties: Ints, sizes: Ints, slots: int, firsts: Ints, harmonic: Floats, out: Floats) -> None:
    for row in range(above.shape[0]):
        certain_above, certain_ties, left, tier = 0, 0, slots, 0
        while tier < sizes.shape[1] - 1 and sizes[row, tier] <= left:
            left -= sizes[row, tier]
            certain_above += above[row, tier]
            certain_ties += ties[row, tier]
            tier += 1
        out[row] = 0.0
        _last_tier(
            certain_above, certain_ties, above[row, tier], ties[row, tier], sizes[row, tier],
            min(left, sizes[row, tier]), firsts, harmonic, out[row],
        )  # fmt: skip


@kernel
def _last_tier(
    certain_above: int, certain_ties: int, above: int, ties: int, size: int, slots: int,
    firsts: Ints, harmonic: Floats, out: Floats,
) -> None:  # fmt: skip
    """Sum over how many of the last tier's candidates above (B) and level (S) are drawn."""
    mode = _mode(size, above, slots)
    peak = _probability(mode, size, above, slots)
    for direction in (1, -1):
        b = mode if direction == 1 else mode - 1
        chance = peak if direction == 1 else peak * _ratio_down(mode, size, above, slots)
        while 0 <= b <= above and b <= slots and chance > NEGLIGIBLE:
            _add_ties(chance, certain_above + b, certain_ties, ties, size - above, slots - b, firsts, harmonic, out)
            chance *= _ratio_up(b, size, above, slots) if direction == 1 else _ratio_down(b, size, above, slots)
            b += direction


@kernel
def _add_ties(
    weight: float, higher: int, certain_ties: int, ties: int, size: int, slots: int,
    firsts: Ints, harmonic: Floats, out: Floats,
) -> None:  # fmt: skip
    if ties == 0:  # as a rule: nothing to sum over
        _add(weight, higher, certain_ties + 1, firsts, harmonic, out)
        return
    mode = _mode(size, ties, slots)
    peak = _probability(mode, size, ties, slots)
    for direction in (1, -1):
        s = mode if direction == 1 else mode - 1
        chance = peak if direction == 1 else peak * _ratio_down(mode, size, ties, slots)
        while 0 <= s <= ties and s <= slots and chance > NEGLIGIBLE:
            _add(weight * chance, higher, certain_ties + s + 1, firsts, harmonic, out)
            chance *= _ratio_up(s, size, ties, slots) if direction == 1 else _ratio_down(s, size, ties, slots)
            s += direction


@kernel
def _add(weight: float, higher: int, level: int, firsts: Ints, harmonic: Floats, out: Floats) -> None:
    """The true one is equally likely to stand at any of ``level`` places behind ``higher`` others."""
    for index in range(len(firsts)):
        out[index] += weight * min(1.0, max(0.0, (firsts[index] - higher) / level))
    out[len(firsts)] += weight * (harmonic[higher + level] - harmonic[higher]) / level


@kernel
def _mode(size: int, marked: int, drawn: int) -> int:
    """The likeliest number of marked ones among the drawn."""
    return min(marked, drawn, max(drawn - (size - marked), (drawn + 1) * (marked + 1) // (size + 2)))


@kernel
def _probability(count: int, size: int, marked: int, drawn: int) -> float:
    return math.exp(_log_choose(marked, count) + _log_choose(size - marked, drawn - count) - _log_choose(size, drawn))


@kernel
def _ratio_up(count: int, size: int, marked: int, drawn: int) -> float:
    """P(count + 1) / P(count)."""
    return (marked - count) * (drawn - count) / ((count + 1) * (size - marked - drawn + count + 1))


@kernel
def _ratio_down(count: int, size: int, marked: int, drawn: int) -> float:
    """P(count − 1) / P(count)."""
    return count * (size - marked - drawn + count) / ((marked - count + 1) * (drawn - count + 1))


@kernel
def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
