"""Pathology-matched pools: the closed form against every pool there is, and against the published drawing."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.attacks.linkage.matched_pools import hard_pool_metrics, tier_sizes
from leadapron.attacks.linkage.ranks import Ranks
from leadapron.errors import ConfigError

FIRSTS = (1, 5, 10)

TIERS = 15


def every_hard_pool(tiers, pool):
    """Average over every way to fill the last tier. ``tiers`` lists each candidate as "above", "tie" or "below"."""
    fixed, slots = [], pool - 1
    for tier in tiers:
        if len(tier) > slots:
            break
        fixed += tier
        slots -= len(tier)
    else:
        tier, slots = [], 0
    totals, cases = [Fraction(0)] * 4, 0
    for drawn in combinations(range(len(tier)), slots):
        members = fixed + [tier[index] for index in drawn]
        higher, level = members.count("above"), members.count("tie") + 1
        for place in range(level):
            rank = higher + place + 1
            for index, first in enumerate(FIRSTS):
                totals[index] += Fraction(int(rank <= first), level)
            totals[3] += Fraction(1, rank * level)
        cases += 1
    return [float(total / cases) for total in totals]


@settings(deadline=None, max_examples=150)
@given(st.data())
def test_every_hard_pool_drawn_gives_the_closed_form(data):
    kinds = st.sampled_from(["above", "tie", "below"])
    tiers = [data.draw(st.lists(kinds, max_size=5)) for _ in range(3)]
    database = 1 + sum(map(len, tiers))
    if database < 2:
        return
    pool = data.draw(st.integers(2, database))
    counts = {kind: np.zeros((1, TIERS), dtype=np.int64) for kind in ("above", "tie", "all")}
    for number, tier in enumerate(tiers):
        counts["above"][0, number] = tier.count("above")
        counts["tie"][0, number] = tier.count("tie")
        counts["all"][0, number] = len(tier)
    ranks = Ranks(counts["above"], counts["tie"], np.zeros(1), database)
    fast = hard_pool_metrics(ranks, counts["all"], pool, FIRSTS)[0]
    assert fast == pytest.approx(every_hard_pool(tiers, pool), abs=1e-11)


def test_the_published_protocol_of_drawing_agrees_within_its_error():
    rng = np.random.default_rng(0)
    sizes, above, ties = [300, 800], [6, 20], [3, 10]
    counts = [np.zeros((1, TIERS), dtype=np.int64) for _ in range(3)]
    for target, values in zip(counts, (above, ties, sizes), strict=True):
        target[0, :2] = values
    ranks = Ranks(counts[0], counts[1], np.zeros(1), 1101)
    fast = hard_pool_metrics(ranks, counts[2], 501, FIRSTS)[0]
    last = np.array([2] * 20 + [1] * 10 + [0] * 770)
    drawn_ranks = []
    for _ in range(20_000):
        drawn = rng.choice(last, 200, replace=False)
        drawn_ranks.append(6 + (drawn == 2).sum() + rng.integers(0, 3 + (drawn == 1).sum() + 1) + 1)
    found = np.array(drawn_ranks)
    for index, first in enumerate(FIRSTS):
        hits = found <= first
        assert fast[index] == pytest.approx(hits.mean(), abs=4 * hits.std() / 20_000**0.5 + 1e-9)
    assert fast[3] == pytest.approx((1 / found).mean(), abs=4 * (1 / found).std() / 20_000**0.5)


def test_the_whole_database_is_no_harder_than_it_is():
    """A hard pool that takes everybody in is the full random pool."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(0, 40, (50, TIERS))
    sizes[:, 0] += 2
    sizes[:, -1] += 600 - sizes.sum(axis=1)
    above, ties = (rng.integers(0, sizes // 3 + 1) for _ in range(2))
    ranks = Ranks(above, ties, np.zeros(50), 601)
    found = hard_pool_metrics(ranks, sizes, 601, FIRSTS)
    total_above, total_ties = above.sum(axis=1), ties.sum(axis=1)
    expected = np.clip((1 - total_above) / (total_ties + 1), 0, 1)
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-12)


def test_tier_sizes_leave_the_true_one_out():
    codes = np.array([0b00, 0b01, 0b11, 0b01])
    sizes = tier_sizes(codes, codes)
    assert sizes[:, :3].tolist() == [[0, 2, 1], [1, 2, 0], [0, 2, 1], [1, 2, 0]]
    assert sizes.sum(axis=1).tolist() == [3, 3, 3, 3]


def test_a_hard_pool_larger_than_the_database_is_refused():
    ranks = Ranks(*(np.zeros((1, TIERS), dtype=np.int64) for _ in range(2)), np.zeros(1), 10)
    with pytest.raises(ConfigError, match="2 to 10"):
        hard_pool_metrics(ranks, np.zeros((1, TIERS), dtype=np.int64), 11, FIRSTS)
