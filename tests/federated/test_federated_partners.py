"""Who lends the missing half, against a slow search that looks at every pair."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.federated import partners as module
from leadapron.federated.partners import jaccard, partners


def slow_jaccard(one: np.ndarray, other: np.ndarray) -> float:
    mine, theirs = set(np.flatnonzero(one)), set(np.flatnonzero(other))
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0


def slow_partner(own, public, positive, public_positive, pairing: str, neighbours: int) -> int:
    near = [float(own @ other) for other in public]
    order = sorted(range(len(public)), key=lambda at: -near[at])
    if pairing in ("nearest", "cross-modal"):
        return order[0]
    pool = order[:neighbours] if pairing == "refined" else order
    return max(pool, key=lambda at: (slow_jaccard(positive, public_positive[at]), near[at]))


def drawn(rows: int, findings: int = 5, width: int = 7, seed: int = 0):
    rng = np.random.default_rng(seed)
    values = rng.standard_normal((rows, width)).astype(np.float32)
    return values / np.linalg.norm(values, axis=1, keepdims=True), rng.random((rows, findings)) < 0.3


def chosen(own, public, pairing: str, neighbours: int = 4, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return partners(own[0], public[0], own[1], public[1], pairing=pairing, neighbours=neighbours, rng=rng)


def test_jaccard_is_the_share_of_common_findings_and_two_without_any_are_alike():
    _, one = drawn(30, seed=1)
    _, two = drawn(20, seed=2)
    assert not one.any(axis=1).all(), "some have no finding"
    slow = [[slow_jaccard(mine, theirs) for theirs in two] for mine in one]
    np.testing.assert_allclose(jaccard(one, two), slow, rtol=1e-15)


@pytest.mark.parametrize("pairing", ["refined", "nearest", "labels", "cross-modal"])
@pytest.mark.parametrize("neighbours", [1, 4, 25, 99])
def test_a_partner_is_the_one_that_a_search_of_every_pair_finds(monkeypatch, pairing, neighbours):
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    own, public = drawn(40, seed=3), drawn(25, seed=4)
    slow = [
        slow_partner(value, public[0], positive, public[1], pairing, neighbours)
        for value, positive in zip(*own, strict=True)
    ]
    assert chosen(own, public, pairing, neighbours).tolist() == slow


def test_one_neighbour_is_the_nearest_whatever_the_findings():
    own, public = drawn(40, seed=3), drawn(25, seed=4)
    assert chosen(own, public, "refined", 1).tolist() == chosen(own, public, "nearest").tolist()


def test_all_as_neighbours_are_the_findings_alone():
    own, public = drawn(40, seed=3), drawn(25, seed=4)
    assert chosen(own, public, "refined", 25).tolist() == chosen(own, public, "labels").tolist()


def test_among_those_whose_findings_fit_as_well_the_nearest_lends():
    own = np.array([[1.0, 0.0]], np.float32), np.array([[True, False]])
    public = (
        np.array([[0.6, 0.8], [0.8, 0.6], [1.0, 0.0]], np.float32),
        np.array([[True, False], [True, False], [False, True]]),
    )
    assert chosen(own, public, "refined", 3).tolist() == [1]
    assert chosen(own, public, "nearest").tolist() == [2]


def test_those_who_are_as_near_as_the_last_neighbour_are_in_and_the_first_of_equals_lends():
    own = np.array([[1.0, 0.0]], np.float32), np.array([[True, False]])
    twins = np.array([[0.6, 0.8], [0.6, 0.8], [0.6, -0.8]], np.float32)
    assert chosen(own, (twins, np.array([[False, True], [False, True], [True, False]])), "refined", 1).tolist() == [2]
    assert chosen(own, (twins, np.array([[True, False]] * 3)), "refined", 1).tolist() == [0]


def test_at_random_the_seed_decides_and_every_public_record_is_drawn():
    own, public = drawn(400, seed=3), drawn(25, seed=4)
    first = chosen(own, public, "random", seed=5)
    assert first.tolist() == np.random.default_rng(5).integers(0, 25, 400).tolist()
    assert set(first) == set(range(25))
    assert first.tolist() != chosen(own, public, "random", seed=6).tolist()
