"""The matching against SciPy's and against its own dual: no total is larger than what prices and rows add up to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from leadapron.attacks.linkage import sparse_matching
from leadapron.attacks.linkage.assignment import assign
from leadapron.attacks.linkage.linkage_task import build_task
from leadapron.attacks.linkage.sparse_matching import match
from leadapron.release import Release
from linkage_data import planted


def largest_total(places, worth, room, alone):
    """By SciPy: a column for each seat of a place, and one of its own for each row."""
    rows = len(places)
    seats = [np.flatnonzero(np.repeat(np.arange(len(room)), room) == place) for place in range(len(room))]
    edges = [
        (row, seat, worth[row, edge])
        for row in range(rows)
        for edge in range(places.shape[1])
        for seat in seats[places[row, edge]]
    ]
    edges += [(row, room.sum() + row, alone) for row in range(rows)]
    row, column, value = map(np.array, zip(*edges, strict=True))
    shift = 1 - value.min()  # a zero would be no edge
    graph = csr_array((value + shift, (row, column)), shape=(rows, room.sum() + rows))
    chosen = min_weight_full_bipartite_matching(graph, maximize=True)
    return graph.toarray()[chosen].sum() - shift * rows


def check(places, worth, room, alone, expected=None):
    """It can be done, its total is that of the dual, and whatever is priced is full."""
    chosen, price = match(places, worth, room, alone)
    rows = np.flatnonzero(chosen >= 0)
    got = np.bincount(places[rows, chosen[rows]], minlength=len(room))
    assert (got <= room).all()
    assert (price >= 0).all()
    assert (price[got < room] == 0).all()
    total = worth[rows, chosen[rows]].sum() + alone * (len(chosen) - len(rows))
    profit = np.maximum(alone, (worth - price[places]).max(axis=1))
    given_up = np.full(len(chosen), alone)
    given_up[rows] = (worth - price[places])[rows, chosen[rows]]
    assert given_up == pytest.approx(profit, abs=1e-9), "every row has what is best for it at these prices"
    assert total == pytest.approx(profit.sum() + price @ room, abs=1e-9)
    if expected is not None:
        assert total == pytest.approx(expected, abs=1e-9)
    return chosen


def graph(seed, rows, places, kept, kind, several):
    rng = np.random.default_rng(seed)
    kept = min(kept, places)
    wanted = rng.random((rows, places))
    if kind == "hubs":
        wanted[:, : max(1, places // 4)] -= 1  # all look at the same few
    at = np.argsort(wanted, axis=1)[:, :kept].copy()
    worth = {
        "any": rng.standard_normal((rows, kept)),
        "hubs": rng.standard_normal((rows, kept)),
        "few values": rng.integers(-2, 3, (rows, kept)).astype(float),
        "equal": np.full((rows, kept), 0.25),
        "rows alike": np.repeat(rng.standard_normal((1, kept)), rows, axis=0),
        "negative": -1 - rng.random((rows, kept)),
    }[kind]
    return at, worth, rng.integers(1, 5, places) if several else np.ones(places, dtype=np.int64)


KINDS = ("any", "hubs", "few values", "equal", "rows alike", "negative")


@pytest.fixture(autouse=True, params=[0, sparse_matching.FEW_ROWS], ids=["compiled", "in Python"])
def ways(request, monkeypatch):
    """Every test by the compiled loops, and by the same as they are written."""
    monkeypatch.setattr(sparse_matching, "FEW_ROWS", request.param)


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6), rows=st.integers(1, 14), places=st.integers(1, 14), kept=st.integers(1, 6),
    kind=st.sampled_from(KINDS), several=st.booleans(), alone=st.sampled_from([-20.0, -1.0, 0.0, 0.5]),
)  # fmt: skip
def test_no_matching_is_worth_more(seed, rows, places, kept, kind, several, alone):
    task = (*graph(seed, rows, places, kept, kind, several), alone)
    check(*task, expected=largest_total(*task))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("passes", [0, 2])
def test_paths_alone_and_rows_reduced_first_find_the_same_total(monkeypatch, kind, passes):
    monkeypatch.setattr(sparse_matching, "PASSES", passes)
    task = (*graph(1, 300, 280, 8, kind, several=False), -3.0)
    check(*task, expected=largest_total(*task))


def test_prices_that_creep_are_left_to_the_paths():
    """Twelve rows for eleven places that are worth nearly the same: each step raises a price by next to nothing."""
    places = np.repeat(np.arange(11)[None], 12, axis=0)
    worth = 1e-7 * np.random.default_rng(2).random((12, 11))
    task = places, worth, np.ones(11, dtype=np.int64), -1.0
    check(*task, expected=largest_total(*task))


@pytest.mark.parametrize("kind", KINDS)
def test_a_small_matching_is_that_of_the_compiled_loops(monkeypatch, kind):
    task = (*graph(3, 250, 240, 8, kind, several=kind == "equal"), -3.0)
    found = []
    for few in (0, 1000):
        monkeypatch.setattr(sparse_matching, "FEW_ROWS", few)
        found.append(match(*task))
    (chosen, price), (in_python, its_price) = found
    assert np.array_equal(chosen, in_python)
    assert np.array_equal(price, its_price)


def test_who_is_worth_less_than_staying_alone_stays_alone():
    places, room = np.array([[0], [0]]), np.array([1])
    assert check(places, np.array([[0.1], [0.3]]), room, 0.2).tolist() == [-1, 0]
    assert check(places, np.array([[0.1], [0.1]]), room, 0.2).tolist() == [-1, -1]
    assert check(places[:1], np.array([[0.3]]), room, 0.2).tolist() == [0]


def test_rows_that_sit_well_move_where_that_helps_all():
    """The first two would both have place 0; who can go elsewhere at less loss does, and pushes a third on."""
    places = np.array([[0, 1], [0, 1], [1, 2]])
    worth = np.array([[1.0, 0.9], [1.0, 0.2], [0.5, 0.4]])
    assert check(places, worth, np.ones(3, dtype=np.int64), -1.0).tolist() == [1, 0, 1]


def test_a_text_with_many_copies_leaves_room_for_the_studies_that_share_it():
    """More copies than the nearest that are kept: each study whose report it is can have it all the same."""
    data = planted(1.0, patients=60, images=1)
    text = np.array(data.text)
    text[:40] = text[0]
    image = text + 0.01 * np.random.default_rng(0).standard_normal(text.shape)
    data = Release(data.records, {"image": image.astype(np.float32), "text": text})
    hits = assign(build_task(data, "image-to-report"))
    assert hits[:40] == pytest.approx(np.full(40, 1 / 40))
    assert (hits[40:] == 1).all()


def test_the_partners_do_not_depend_on_the_number_of_threads(monkeypatch):
    rng = np.random.default_rng(5)
    text = np.repeat(rng.standard_normal((300, 6)), 2, axis=0)
    image = text + rng.standard_normal(text.shape)
    data = planted(0.0, patients=600, images=1)
    data = Release(data.records, {"image": image.astype(np.float32), "text": text.astype(np.float32)})
    found = []
    for threads in ("1", "2"):
        monkeypatch.setenv("LEADAPRON_THREADS", threads)
        found.append(assign(build_task(data, "image-to-report")).tolist())
    assert found[0] == found[1]
