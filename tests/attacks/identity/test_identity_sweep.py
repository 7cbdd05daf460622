"""The exact counts of the identity audit against slow and obvious ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from identity_data import cosine_table, drawn, release_of, slow_auc, slow_retrieval
from leadapron.attacks.identity import nearest_strangers
from leadapron.attacks.identity import scores as scoring
from leadapron.attacks.identity import sweep as sweeping
from leadapron.attacks.identity.gallery import build_gallery
from leadapron.attacks.identity.identity_task import build_task, match
from leadapron.attacks.identity.levels import find_levels
from leadapron.attacks.identity.pair_sweeps import sweep_all, sweep_matched
from leadapron.attacks.identity.retrieval import (
    Best,
    average_precision,
    best_of,
    chance_at_r,
    chance_first,
    first_in_gallery,
    found_within,
)
from leadapron.attacks.identity.roc import cell_at, cell_of_equal_error, placements
from leadapron.attacks.identity.weighted_l1 import weighted_l1
from leadapron.attacks.open_world import FalseAlarms


def swept_of(image, who, **columns):
    task = build_task(build_gallery(release_of(image, who, **columns)))
    everything = (np.ones(len(task.first), dtype=bool),)
    return task, sweep_all(task, scoring.cosines(task.gallery.image), everything)


def auc_of(swept, part=0):
    return placements(swept.sets[part].cells, swept.passed.strangers).mean()


def some_ties(seed):
    """Embeddings of which many are equal, within patients and between them."""
    image, who = drawn(14, 1.0, seed=seed, width=3, images=2)
    rng = np.random.default_rng(seed)
    return image[rng.integers(0, max(2, len(image) // 3), len(image))], who


@pytest.mark.parametrize("noise", [0.3, 1.5, 50.0])
def test_auc_is_that_over_all_pairs(noise):
    image, who = drawn(40, noise)
    task, swept = swept_of(image, who)
    table = cosine_table(task.gallery.image)
    assert auc_of(swept) == pytest.approx(slow_auc(table, task.gallery.patient), abs=1e-6)
    assert (
        swept.passed.strangers.sum()
        == swept.strangers.sum()
        == (table.size - (task.gallery.patient[:, None] == task.gallery.patient).sum())
    )
    # the coarse sums by image, of which only the interval is made, agree too
    assert swept.passed.beaten.sum() / swept.strangers.sum() == pytest.approx(auc_of(swept), abs=2e-3)


@pytest.mark.parametrize("seed", range(6))
def test_equal_embeddings_tie_whatever_the_blocks(seed, monkeypatch):
    image, who = some_ties(seed)
    task, swept = swept_of(image, who)
    assert auc_of(swept) == pytest.approx(slow_auc(cosine_table(task.gallery.image), task.gallery.patient), abs=1e-9)
    monkeypatch.setattr(sweeping, "QUERIES_AT_ONCE", 3)
    monkeypatch.setattr(sweeping, "IMAGES_AT_ONCE", 5)
    _, again = swept_of(image, who)
    assert (again.passed.strangers == swept.passed.strangers).all()
    assert (again.passed.beaten == swept.passed.beaten).all()
    assert (again.passed.over == swept.passed.over).all()
    best, best_again = (best_of(one.standings[0], one.strangers) for one in (swept, again))
    assert (best.above == best_again.above).all()
    assert (best.ties == best_again.ties).all()


@pytest.mark.parametrize(("noise", "ties"), [(0.3, False), (1.5, False), (50.0, False), (1.0, True)])
def test_retrieval_is_that_of_ranked_lists(noise, ties):
    image, who = some_ties(3) if ties else drawn(40, noise, seed=2)
    task, swept = swept_of(image, who)
    best = best_of(swept.standings[0], swept.strangers)
    average, share = average_precision(swept.standings[0])
    ours = np.stack([found_within(best, 1), share, average], axis=1)
    rng, table = np.random.default_rng(0), cosine_table(task.gallery.image)
    draws = 3000 if ties else 1
    drawn_ones = np.array([list(slow_retrieval(table, task.gallery.patient, rng).values()) for _ in range(draws)])
    error = drawn_ones.std(axis=0) / np.sqrt(draws)
    assert (np.abs(ours - drawn_ones.mean(axis=0)) <= 5 * error + 1e-9).all()


def test_lists_are_right_however_soon_lower_levels_are_given_up(monkeypatch):
    """Small blocks raise the floor early and often; large ones never."""
    image, who = drawn(60, 2.0, seed=5, images=6)
    _, swept = swept_of(image, who)
    monkeypatch.setattr(sweeping, "IMAGES_AT_ONCE", 7)
    _, again = swept_of(image, who)
    for mine, other in zip(average_precision(swept.standings[0]), average_precision(again.standings[0]), strict=True):
        assert mine == pytest.approx(other, abs=1e-12)


@pytest.mark.parametrize("pool", [2, 5, 20])
@pytest.mark.parametrize("ties", [False, True])
def test_a_gallery_of_any_size_is_that_of_draws(pool, ties):
    image, who = some_ties(4) if ties else drawn(20, 1.2, seed=4)
    task, swept = swept_of(image, who)
    best = best_of(swept.standings[0], swept.strangers)
    ours = first_in_gallery(best, pool)
    table, patient, rng = np.round(cosine_table(task.gallery.image), 5), task.gallery.patient, np.random.default_rng(1)
    for place, query in enumerate(best.query[:12]):
        mates = np.flatnonzero((patient == patient[query]) & (np.arange(len(patient)) != query))
        strangers = np.flatnonzero(patient != patient[query])
        hits = []
        for _ in range(2000):
            pooled = np.concatenate([mates, rng.choice(strangers, pool - 1, replace=False)])
            top = pooled[table[query, pooled] == table[query, pooled].max()]
            hits.append((patient[top] == patient[query]).mean())
        error = max(np.std(hits), 0.02) / np.sqrt(len(hits))
        assert ours[place] == pytest.approx(np.mean(hits), abs=5 * error)


def test_the_whole_gallery_is_precision_at_1():
    _, swept = swept_of(*drawn(30, 1.5))
    best = best_of(swept.standings[0], swept.strangers)
    assert first_in_gallery(best, int(swept.strangers.max()) + 1) == pytest.approx(found_within(best, 1), abs=1e-9)


@given(st.integers(0, 40), st.integers(0, 5000), st.integers(1, 4), st.integers(2, 400))
@settings(max_examples=60, deadline=None)
def test_long_stretches_of_ties_add_up(above, ties, tied, pool):
    """Stretches stand for single ties; compared with the sum over each of them."""
    strangers = 6000
    one = Best(*(np.array([value]) for value in (0, above, ties, tied, tied, strangers)))
    from leadapron.attacks.identity.retrieval import _none_drawn, _tail

    u = np.arange(ties + 2)
    weight = -np.diff(_tail(np.full(len(u), ties), np.full(len(u), tied), u))
    none = _none_drawn(above + u[:-1], np.full(len(weight), strangers), np.full(len(weight), pool - 1))
    assert first_in_gallery(one, pool)[0] == pytest.approx(float((weight * none).sum()), rel=2e-3)


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_figures_are_monotone_and_do_not_hang_on_the_order(seed):
    image, who = drawn(15, 1.5, seed=seed)
    if np.bincount(who).max() < 2:
        return
    _, swept = swept_of(image, who)
    shuffled = np.random.default_rng(seed).permutation(len(who))
    _, again = swept_of(image[shuffled], who[shuffled])
    assert auc_of(swept) == pytest.approx(auc_of(again), abs=1e-9)
    best = best_of(swept.standings[0], swept.strangers)
    by_pool = np.stack([first_in_gallery(best, pool) for pool in range(2, len(who))])
    by_rank = np.stack([found_within(best, rank) for rank in range(1, len(who))])
    assert (np.diff(by_pool, axis=0) <= 1e-9).all()
    assert (np.diff(by_rank, axis=0) >= -1e-12).all()
    assert np.diff(swept.rocs[0].fpr).max() <= 0


def test_equal_vectors_give_chance():
    image, who = np.ones((60, 4), dtype=np.float32), drawn(20, 1)[1][:60]
    _, swept = swept_of(image, who)
    best = best_of(swept.standings[0], swept.strangers)
    average, share = average_precision(swept.standings[0])
    assert auc_of(swept) == pytest.approx(0.5)
    assert (average.mean(), share.mean()) == pytest.approx(chance_at_r(best))
    for pool in (2, 10, 1000):
        assert first_in_gallery(best, pool) == pytest.approx(chance_first(best, pool), rel=1e-3)


def test_thresholds_are_the_lowest_that_keep_to_the_rate():
    _, swept = swept_of(*drawn(60, 1.5))
    roc = swept.rocs[0]
    for fpr in (0.1, 0.01, 0.001):
        cell = cell_at(roc, fpr)
        assert roc.fpr[cell] <= fpr < roc.fpr[cell - 1]
    equal = cell_of_equal_error(roc)
    assert roc.fpr[equal] == pytest.approx(1 - roc.tpr[equal], abs=0.01)


def test_matched_strangers_share_the_attributes():
    image, who = drawn(50, 1.5, seed=7)
    sex = np.where(who % 2 == 0, "F", "M")
    view = np.random.default_rng(0).choice(["AP", "PA"], len(who))
    task, _ = swept_of(image, who, sex=sex, view=view)
    matched = match(task.gallery)
    assert matched.attributes == ("sex", "view")
    swept = sweep_matched(task, scoring.cosines(task.gallery.image), matched)
    records = task.gallery.records
    alike = np.array(
        [[a == b for b in records.select("sex", "view").rows()] for a in records.select("sex", "view").rows()]
    )
    table = cosine_table(task.gallery.image)
    assert auc_of(swept) == pytest.approx(slow_auc(table, task.gallery.patient, alike), abs=1e-6)
    strangers = (alike & (task.gallery.patient[:, None] != task.gallery.patient)).sum(axis=1)
    assert (swept.strangers[matched.place] == strangers).all()


def test_distances_and_a_networks_score_rank_as_they_are_defined():
    image, who = drawn(25, 1.2, seed=9)
    weights = np.random.default_rng(0).normal(size=image.shape[1]).astype(np.float32)
    task = build_task(build_gallery(release_of(image, who)))
    rows = task.gallery.image
    apart = rows[:, None].astype(np.float64) - rows[None]
    tables = {
        "distance": (scoring.distances(rows), -(apart**2).sum(axis=2) / 2),
        "network": (weighted_l1(rows, weights), (np.abs(apart) * weights).sum(axis=2)),
    }
    for scores, table in tables.values():
        block = np.empty((len(rows), len(rows)))
        scores.fill(slice(0, len(rows)), slice(0, len(rows)), block)
        assert scores.unit * block == pytest.approx(table, abs=1e-9)
        first, second = task.first, task.second
        assert (scores.of_pairs(first, second) == block[first, second]).all()
        swept = sweep_all(task, scores, (np.ones(len(first), dtype=bool),))
        assert auc_of(swept) == pytest.approx(slow_auc(table, task.gallery.patient), abs=1e-6)


def test_levels_are_the_distinct_scores_of_each_group():
    levels = find_levels(np.array([0, 0, 0, 1]), np.array([5.0, 6.0, 5.0, 5.0]), 3)
    assert levels.start.tolist() == [0, 2, 3, 3]
    assert levels.score.tolist() == [5, 6, 5]
    assert levels.count.tolist() == [2, 1, 1]


@pytest.mark.parametrize("score", ["cosines", "distances"])
def test_the_nearest_strangers_are_those_of_the_whole_table(score, monkeypatch):
    monkeypatch.setattr(nearest_strangers, "KEPT", 15)
    monkeypatch.setattr(sweeping, "QUERIES_AT_ONCE", 16)
    monkeypatch.setattr(sweeping, "IMAGES_AT_ONCE", 7)
    image, who = drawn(40, 0.5)
    image[3] = image[9]
    task = build_task(build_gallery(release_of(image, who)))
    patient, scores = task.gallery.patient, getattr(scoring, score)(task.gallery.image)
    nearest = nearest_strangers.NearestCounter(len(who))
    sweep_all(task, scores, (np.ones(len(task.first), dtype=bool),), None, nearest)
    listed = nearest_strangers.listed_of(nearest, scores, task.everybody, patient)
    table = np.empty((len(who), len(who)))
    scores.fill(slice(0, len(who)), slice(0, len(who)), table)
    for query in range(len(who)):
        strangers = np.flatnonzero(patient != patient[query])
        own = listed.strangers.probe == query
        best = np.sort(table[query, strangers])[::-1][:15]
        np.testing.assert_array_equal(listed.strangers.score[own], best)
        assert set(listed.strangers.whose[own]) <= set(patient[strangers])
        assert listed.strangers.met[query] == len(strangers)
    longer = listed.long_enough(3, rate=0.3)
    assert len(longer.strangers.score) > len(listed.strangers.score)
    threshold = FalseAlarms(longer.strangers, 3).threshold(0.3)
    for query in np.flatnonzero(FalseAlarms(listed.strangers, 3).open_lists(0.3)):
        above = table[query, patient != patient[query]] - longer.strangers.level[query] > threshold
        mine = longer.strangers.score[longer.strangers.probe == query] - longer.strangers.level[query]
        assert (mine > threshold).sum() == above.sum()
