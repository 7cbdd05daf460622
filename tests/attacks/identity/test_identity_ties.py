"""Equal vectors tie, for every attacker, whatever the width, the blocks and the threads: a slow count in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from identity_data import drawn, release_of
from leadapron.attacks.identity import scores as scoring
from leadapron.attacks.identity import sweep as sweeping
from leadapron.attacks.identity.fused import found_with
from leadapron.attacks.identity.gallery import build_gallery
from leadapron.attacks.identity.grid import MOST, MOST_WRONG, grid_over
from leadapron.attacks.identity.identity_task import build_task
from leadapron.attacks.identity.pair_sweeps import sweep_all
from leadapron.attacks.identity.recognisers import ATTACKERS, Knowledge
from leadapron.attacks.identity.retrieval import average_precision, best_of, found_within
from leadapron.attacks.identity.roc import placements
from leadapron.defences import defend

SIMPLE = ("cosine", "euclidean", "network")


def signs(width, rows=200, kinds=4, patients=50, seed=0):
    """Rows of a few distinct vectors of ±1, dealt to patients at random."""
    rng = np.random.default_rng(seed)
    distinct = rng.choice([-1.0, 1.0], (kinds, width)).astype(np.float32)
    return distinct[rng.integers(0, kinds, rows)], rng.integers(0, patients, rows)


def knowledge_for(width):
    """Other patients to learn from, and a network's weights."""
    image, who = drawn(30, 0.5, seed=8, width=width)
    weights = np.linspace(-2, 1, width).tolist()
    card = {"identity_score": {"kind": "weighted-l1", "weights": weights}}
    return Knowledge(build_gallery(release_of(image, who)), card)


def slow_figures(image, who, table_of):
    """Precision@1, mAP@R and AUC, pair by pair; a score belongs to two distinct vectors, and is rounded to 9 digits."""
    distinct, kind = np.unique(image, axis=0, return_inverse=True)
    scale = np.abs(table_of(distinct)).max() or 1.0
    table = np.round(table_of(distinct) / scale, 9)[kind[:, None], kind[None, :]]
    same = who[:, None] == who
    upper = np.triu(np.ones_like(same), 1)
    strangers = np.sort(table[~same & upper])
    own = table[same & upper]
    below = np.searchsorted(strangers, own, "left") + np.searchsorted(strangers, own, "right")
    first, average = [], []
    for query in range(len(who)):
        others = np.arange(len(who)) != query
        score, right = table[query, others], same[query, others]
        if right.any():
            first.append(right[score == score.max()].mean())
            average.append(float(slow_average(score, right)))
    return np.mean(first), np.mean(average), below.mean() / 2 / len(strangers)


def slow_average(score, right):
    """AP@R, ties broken at random: the sum over all two places of the chance that both hold a mate."""
    mates, places = int(right.sum()), []
    for level in np.unique(score)[::-1]:
        on_it = right[score == level]
        places += [(level, int(on_it.sum()), len(on_it))] * len(on_it)
    total = Fraction(0)
    for last, (level, found, number) in enumerate(places[:mates]):
        chance = Fraction(found, number)
        for other, many, size in places[:last]:
            total += Fraction(found * (many - (level == other)), number * (size - (level == other))) / (last + 1)
        total += chance / (last + 1)
    return total / mates


def double_table(name):
    """An attacker's scores of distinct vectors as one would write them down in double precision."""

    def cosine(rows):
        rows = rows.astype(np.float64)
        products = rows @ rows.T
        return products / np.sqrt(np.outer(np.diag(products), np.diag(products)))

    def apart(rows):
        return rows[:, None].astype(np.float64) - rows[None]

    return {
        "cosine": cosine,
        "euclidean": lambda rows: -np.square(apart(rows)).sum(axis=2),
        "network": lambda rows: np.abs(apart(rows)) @ np.linspace(-2, 1, rows.shape[1]).astype(np.float32),
    }[name]


def our_figures(image, who, attacker, knowledge):
    task = build_task(build_gallery(release_of(image, who)))
    scores = ATTACKERS[attacker](task.gallery.image, knowledge)
    swept = sweep_all(task, scores, (np.ones(len(task.first), dtype=bool),))
    best = best_of(swept.standings[0], swept.strangers)
    auc = placements(swept.sets[0].cells, swept.passed.strangers).mean()
    return found_within(best, 1).mean(), average_precision(swept.standings[0])[0].mean(), auc


@pytest.mark.parametrize("width", [384, 1000, 8192])
@pytest.mark.parametrize("attacker", SIMPLE)
def test_few_distinct_vectors_tie_as_they_should(attacker, width):
    """Their scores came from two orders of summation: precision@1 was off by 0.27 at width 384."""
    image, who = signs(width)
    card = {"identity_score": {"kind": "weighted-l1", "weights": np.linspace(-2, 1, width).tolist()}}
    ours = our_figures(image, who, attacker, Knowledge(None, card))
    assert ours == pytest.approx(slow_figures(image, who, double_table(attacker)), abs=1e-9)


@pytest.mark.parametrize("width", [5, 384])
@pytest.mark.parametrize("attacker", ["whitened", "learned"])
def test_few_distinct_vectors_tie_after_a_map(attacker, width):
    """The map is a product of matrices, too: of equal rows it may make different ones."""
    image, who = signs(width, kinds=min(4, 2**width))
    knowledge = knowledge_for(width)

    def table_of(distinct):
        rows = np.concatenate([distinct, image])  # what is learned from the images must not change
        scores = ATTACKERS[attacker](rows, knowledge)
        first, second = np.indices((len(distinct), len(distinct))).reshape(2, -1)
        return scores.unit * scores.of_pairs(first, second).reshape(len(distinct), -1)

    assert our_figures(image, who, attacker, knowledge) == pytest.approx(slow_figures(image, who, table_of), abs=1e-9)


@pytest.mark.parametrize("attacker", ATTACKERS)
@pytest.mark.parametrize("value", [1.3, -0.1])
def test_where_all_rows_are_the_same_nobody_is_recognised(attacker, value):
    """AUC was 1.0 or 0.0, and a count was written past the end of its table."""
    width = 33 if attacker in ("whitened", "learned") else 8192
    image, who = np.full((40, width), value, dtype=np.float32), np.arange(40) % 17
    knowledge = knowledge_for(width) if width == 33 else Knowledge(None, knowledge_card(width))
    _, _, auc = our_figures(image, who, attacker, knowledge)
    assert auc == 0.5


def knowledge_card(width):
    return {"identity_score": {"kind": "weighted-l1", "weights": [1.0] * width}}


@pytest.mark.parametrize(
    ("method", "options"), [("quantise", {"bits": 1}), ("microaggregate", {"k": 4}), ("prototypes", {"k": 3})]
)
@pytest.mark.parametrize("attacker", ["cosine", "euclidean"])
def test_releases_of_many_equal_vectors(method, options, attacker):
    rng = np.random.default_rng(1)
    image, who = drawn(40, 0.4, seed=3, width=4)
    label = (image[:, 0] > 0).astype(np.int8)
    image = image[rng.integers(0, len(image), len(image))]
    release = release_of(image, who, split=["train"] * len(who), label_edema=label)
    release = release.__class__(release.records, {"image": release.image, "text": release.image})
    defended = defend(release, method, **options)
    whose = defended.records["patient_id"].cast(pl.String).to_numpy()
    ours = our_figures(defended.image, [name[1:] for name in whose], attacker, Knowledge(None, {}))
    assert ours == pytest.approx(slow_figures(defended.image, whose, double_table(attacker)), abs=MOST_WRONG)


def test_distances_far_from_zero_are_those_of_the_numbers_that_float32_holds():
    """Less what all rows have in common, where that can be taken away exactly."""
    image, who = drawn(25, 1.0, seed=2, width=20)
    image = (image + np.linspace(-1e4, 1e4, 20)).astype(np.float32)
    ours = our_figures(image, who, "euclidean", Knowledge(None, {}))
    assert ours == pytest.approx(slow_figures(image, who, double_table("euclidean")), abs=1e-6)


@pytest.mark.parametrize("attacker", ATTACKERS)
def test_nothing_hangs_on_threads_and_blocks(attacker, monkeypatch):
    image, who = drawn(60, 1.0, seed=6, width=11)
    image = np.concatenate([image, signs(11, rows=60)[0]])
    who = np.concatenate([who, np.arange(60) % 23])
    task = build_task(build_gallery(release_of(image, who)))
    scores = ATTACKERS[attacker](task.gallery.image, knowledge_for(11))

    def counted():
        swept = sweep_all(task, scores, (np.ones(len(task.first), dtype=bool), task.apart))
        best = [best_of(standing, swept.strangers) for standing in swept.standings]
        lists = [column for standing in swept.standings for column in average_precision(standing)]
        passed = swept.passed.strangers, swept.passed.beaten, swept.passed.over, swept.passed.watched
        return [*passed, *lists, *(getattr(one, name) for one in best for name in ("above", "ties"))]

    monkeypatch.setenv("LEADAPRON_THREADS", "1")
    once = counted()
    monkeypatch.setenv("LEADAPRON_THREADS", "3")
    monkeypatch.setattr(sweeping, "QUERIES_AT_ONCE", 7)
    monkeypatch.setattr(sweeping, "IMAGES_AT_ONCE", 13)
    for mine, other in zip(once, counted(), strict=True):
        assert np.array_equal(mine, other)


def test_several_known_images_are_found_by_blocks_as_pair_by_pair():
    image, who = drawn(40, 1.0, seed=4, images=5)
    image = np.round(image)
    task = build_task(build_gallery(release_of(image, who)))
    risk, _ = found_with(task, scoring.cosines(task.gallery.image), 2, 3, 20, 0)
    assert 0.2 < risk.mean() < 1
    turned = np.ascontiguousarray(task.gallery.image[:, ::-1])  # another order of summation
    assert found_with(task, scoring.cosines(turned), 2, 3, 20, 0)[0] == pytest.approx(risk, abs=1e-12)


def test_blocks_are_settled_where_their_error_could_decide():
    """Rows whose products lie in the middle between two whole numbers, up to rounding."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((64, 300)).astype(np.float32)
    scores = scoring.inner_products(rows, np.ones(64), np.zeros(64))
    coarse = scoring.InnerProducts(scores.queries, scores.gallery, 2.0**-36)  # a unit as small as the error
    assert coarse.unit < scores.unit
    block = np.empty((64, 64))
    coarse.fill(slice(0, 64), slice(0, 64), block)
    first, second = np.indices((64, 64)).reshape(2, -1)
    assert (coarse.of_pairs(first, second) == block.ravel()).all()
    assert (block == block.T).all()


def test_crowded_cells_are_divided_until_auc_is_right():
    """All but one of the pairs lie so close together that they share a cell."""
    rng = np.random.default_rng(0)
    pairs = np.append(10**9 + rng.integers(0, 50, 500), 0).astype(np.float64)
    strangers = 10**9 + rng.integers(0, 50, 2000).astype(np.float64)
    plain = grid_over(pairs, 10**9, 1.0)
    assert len(np.unique(plain.wide(pairs))) <= 3
    grid = plain.divided([pairs], np.bincount(plain.wide(strangers), minlength=plain.size))
    counts = np.bincount(grid.cells(strangers), minlength=grid.size)
    true = np.mean([(score > strangers).mean() + (score == strangers).mean() / 2 for score in pairs])
    assert (
        grid.most_wrong(pairs, counts)
        <= MOST_WRONG
        < plain.most_wrong(pairs, np.bincount(plain.cells(strangers), minlength=plain.size))
    )
    assert placements(grid.cells(pairs), counts).mean() == pytest.approx(true, abs=1e-12)
    for score in np.unique(np.concatenate([pairs, strangers])):
        cell = int(grid.cells(np.array([score]))[0])
        assert grid.score(cell) <= score
        assert int(grid.cells(np.array([grid.score(cell)]))[0]) == cell
    assert grid.score(grid.size) == np.inf
    assert grid.size > plain.size > MOST


def test_a_draw_of_strangers_that_misleads_is_made_good(monkeypatch):
    """Where too few strangers were drawn to see the crowd, the sweep is made again."""
    from leadapron.attacks.identity import sweep

    image, who = drawn(30, 1.0, seed=5)
    image[:, 0] += 1e3  # all angles are small
    image[0] = -image[0]
    monkeypatch.setattr(sweep, "DRAWN", 1)
    ours = our_figures(image, who, "cosine", Knowledge(None, {}))
    monkeypatch.undo()
    assert ours == our_figures(image, who, "cosine", Knowledge(None, {}))
