"""Closed forms against the slow and obvious: drawing every pool there is, and drawing many."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.attacks.linkage import Ranks, chance, recall_at_1_curve, recall_in_pool, reciprocal_rank_in_pool
from leadapron.errors import ConfigError


def make_ranks(above, ties, database: int) -> Ranks:
    """Ranks without labels: everything is in tier 0."""
    counts = (np.array(count, dtype=np.int64)[:, None] for count in (above, ties))
    return Ranks(*counts, np.zeros(len(above)), database)


def one(above: int, ties: int, database: int) -> Ranks:
    return make_ranks([above], [ties], database)


def every_pool(above: int, ties: int, database: int, pool: int, first: int) -> tuple[Fraction, Fraction]:
    """Recall and reciprocal rank averaged over every pool and every order in which its ties may fall."""
    others = ["above"] * above + ["tie"] * ties + ["below"] * (database - 1 - above - ties)
    hits, reciprocal, cases = Fraction(0), Fraction(0), 0
    for drawn in combinations(range(database - 1), pool - 1):
        higher = sum(others[index] == "above" for index in drawn)
        level = sum(others[index] == "tie" for index in drawn)
        orders = list(permutations(range(level + 1))) if level < 4 else [(place,) for place in range(level + 1)]
        for order in orders:
            rank = higher + order[0] + 1
            hits += Fraction(int(rank <= first), len(orders))
            reciprocal += Fraction(1, rank * len(orders))
        cases += 1
    return hits / cases, reciprocal / cases


@st.composite
def cases(draw):
    database = draw(st.integers(2, 8))
    pool = draw(st.integers(2, database))
    above = draw(st.integers(0, database - 1))
    ties = draw(st.integers(0, database - 1 - above))
    return above, ties, database, pool, draw(st.integers(1, 10))


@settings(deadline=None, max_examples=150)
@given(cases())
def test_every_pool_drawn_gives_the_closed_form(case):
    above, ties, database, pool, first = case
    recall, reciprocal = every_pool(above, ties, database, pool, first)
    ranks = one(above, ties, database)
    assert recall_in_pool(ranks, pool, first)[0] == pytest.approx(float(recall), abs=1e-12)
    assert reciprocal_rank_in_pool(ranks, pool)[0] == pytest.approx(float(reciprocal), abs=1e-12)


def test_the_published_protocol_of_drawing_agrees_within_its_error():
    """Twenty thousand pools drawn for one query in a database of two thousand."""
    rng, ranks, pool, draws = np.random.default_rng(0), one(15, 4, 2000), 100, 20_000
    others = np.array([1.0] * 15 + [0.5] * 4 + [0.0] * (1999 - 19))  # above, level, below
    truth_rank = np.empty(draws)
    for draw in range(draws):
        drawn = rng.choice(others, pool - 1, replace=False)
        truth_rank[draw] = (drawn == 1).sum() + rng.integers(0, (drawn == 0.5).sum() + 1) + 1
    for first in (1, 5):
        hits = truth_rank <= first
        assert recall_in_pool(ranks, pool, first)[0] == pytest.approx(hits.mean(), abs=4 * hits.std() / draws**0.5)
    expected = reciprocal_rank_in_pool(ranks, pool)[0]
    assert expected == pytest.approx((1 / truth_rank).mean(), abs=4 * (1 / truth_rank).std() / draws**0.5)


@settings(deadline=None)
@given(st.integers(2, 300), st.data())
def test_recall_falls_with_the_pool_and_the_rank_and_rises_with_what_is_looked_at(database, data):
    pool = data.draw(st.integers(2, database))
    first = data.draw(st.integers(1, 12))
    ranks = make_ranks(np.arange(database), np.zeros(database, dtype=int), database)
    recall = recall_in_pool(ranks, pool, first)
    assert (np.diff(recall) <= 1e-12).all()
    assert (recall_in_pool(ranks, pool, first + 1) >= recall - 1e-12).all()
    if pool < database:
        assert (recall_in_pool(ranks, pool + 1, first) <= recall + 1e-12).all()
    assert ((recall >= -1e-12) & (recall <= 1 + 1e-12)).all()


@pytest.mark.parametrize(("database", "pool"), [(50, 2), (50, 17), (50, 50), (3000, 100)])
def test_a_uniform_rank_is_chance(database, pool):
    ranks = make_ranks(np.arange(database), np.zeros(database, dtype=int), database)
    for first in (1, 5, 10):
        assert recall_in_pool(ranks, pool, first).mean() == pytest.approx(chance(pool, first), abs=1e-9)
    assert reciprocal_rank_in_pool(ranks, pool).mean() == pytest.approx(chance(pool), abs=1e-9)
    all_tied = one(0, database - 1, database)
    assert recall_in_pool(all_tied, pool, 5)[0] == pytest.approx(chance(pool, 5), abs=1e-9)


def test_chance_is_the_studys():
    assert chance(100, 1) == 0.01
    assert chance(100) == pytest.approx(0.05187, abs=1e-5)
    assert chance(43_793, 10) == pytest.approx(0.000228, abs=1e-6)


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 60), st.integers(1, 30), st.integers(0, 2**32))
def test_the_curve_is_recall_at_1_at_every_size(database, queries, seed):
    rng = np.random.default_rng(seed)
    above = rng.integers(0, database, queries)
    ranks = make_ranks(above, rng.integers(0, database - above), database)
    slow = [recall_in_pool(ranks, pool, 1).mean() for pool in range(2, database + 1)]
    np.testing.assert_allclose(recall_at_1_curve(ranks), slow, atol=1e-12)


@pytest.mark.parametrize("pool", [0, 1, 11])
def test_a_pool_that_cannot_be_drawn_is_refused(pool):
    with pytest.raises(ConfigError, match="2 to 10"):
        recall_in_pool(one(0, 0, 10), pool, 1)


@pytest.mark.parametrize("database", [43_793, 1_000_000, 10_000_000])
@pytest.mark.parametrize("pool", [2, 100, 10_000])
def test_reciprocal_ranks_keep_their_digits_in_large_databases(database, pool):
    for above in (0, 1, 7):
        none = Fraction(1)
        for i in range(above + 1):
            none *= 1 - Fraction(pool, database - i)
        exact = Fraction(database, pool * (above + 1)) * (1 - none)
        assert reciprocal_rank_in_pool(one(above, 0, database), pool)[0] == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.parametrize("pool", [2, 3, 5, 10, 1888])
def test_nothing_exceeds_one(pool):
    """A pool of ten has everybody among its first ten; rounding must not make more of it."""
    ranks = make_ranks(np.arange(1888), np.zeros(1888), 1888)
    for values in (recall_in_pool(ranks, pool, 10), reciprocal_rank_in_pool(ranks, pool)):
        assert values.min() >= 0
        assert values.max() <= 1
    if pool <= 10:
        assert recall_in_pool(ranks, pool, 10) == pytest.approx(np.ones(1888), abs=1e-9)


def test_no_queries_no_values():
    assert len(recall_in_pool(make_ranks([], [], 50), 10, 1)) == 0
