"""Attackers compose: Sinkhorn's ranks and the towers' pieces against slow oracles, and who may be let loose."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.linkage import LinkageConfig, audit_linkage, linkers, rank_truth, sinkhorn, towers
from leadapron.attacks.linkage.assignment import assign
from leadapron.attacks.linkage.knowledge import Knowledge, of_patients
from leadapron.attacks.linkage.known_words import with_words
from leadapron.attacks.linkage.linkage_task import build_task
from leadapron.attacks.linkage.linkers import Composition, attacker
from leadapron.attacks.linkage.similarities import learn
from leadapron.errors import ConfigError
from leadapron.release import Release

FORTH, BACK = "image-to-report", "report-to-image"


def release(image, text, patient, study=None, who="p", **arrays):
    records = {
        "record_id": [f"{who}{row}" for row in range(len(image))],
        "patient_id": [f"{who}{one}" for one in patient],
    }
    if study is not None:
        records["report_id"] = [f"{who}{one}" for one in study]
    rows = {"image": image, "text": text, **arrays}
    return Release(pl.DataFrame(records), {name: value.astype(np.float32) for name, value in rows.items()})


def bent(seed, who, studies=500, width=12, noise=0.25, leak=True):
    """Two studies a patient, two images a study, which lie where a bent map of the report puts them."""
    rng, world = np.random.default_rng(seed), np.random.default_rng(99)
    text = rng.standard_normal((studies, width))
    up, down = world.standard_normal((width, 40)), world.standard_normal((40, width))
    study = np.repeat(np.arange(studies), 2)
    image = (np.abs(text @ up + 2) @ down)[study] / 15 + noise * rng.standard_normal((2 * studies, width))
    if not leak:
        image = rng.permutation(image)
    return release(image, text[study], study // 2, study, who)


def recall(task):
    ranks = rank_truth(task.queries, task.database, task.truth)
    return float(((ranks.above == 0) / (ranks.ties + 1)).mean())


def worth_by_hand(scores, rows, copies, softness):
    """Every copy of a text a column of its own, rows and columns brought to their weights in turn, in logarithms."""
    scores, of = np.repeat(scores, copies, axis=1), np.repeat(np.arange(len(copies)), copies)
    warm = softness * np.sqrt((scores**2).mean() - scores.mean() ** 2)
    added = np.zeros(scores.shape[1])
    for _ in range(sinkhorn.ROUNDS):
        plan = np.exp(scores / warm + added)
        plan *= (rows / rows.sum() / plan.sum(axis=1))[:, None]
        added = added - np.log(plan.sum(axis=0))
    first = np.array([np.flatnonzero(of == text)[0] for text in range(len(copies))])
    return warm * added[first]


@pytest.mark.parametrize("kept", [0, 10**9])
def test_sinkhorns_worth_is_that_of_scaling_rows_and_columns_by_hand(monkeypatch, kept):
    monkeypatch.setattr(sinkhorn, "PAIRS_KEPT", kept)
    monkeypatch.setattr(sinkhorn, "ROWS_AT_ONCE", 7)
    rng = np.random.default_rng(0)
    queries, texts = (rng.standard_normal((count, 5)).astype(np.float32) for count in (40, 23))
    rows, ones = rng.integers(1, 4, 40).astype(float), np.ones(23, dtype=int)
    found = sinkhorn.worth(queries, rows, texts, ones.astype(float))
    expected = worth_by_hand(queries.astype(float) @ texts.T.astype(float), rows, ones, sinkhorn.SOFTNESS)
    assert found - found.mean() == pytest.approx(expected - expected.mean(), abs=1e-3)


def test_a_text_with_copies_weighs_as_much_as_its_copies(monkeypatch):
    """The spread of the scores is that of distinct texts, so the temperature is fixed here."""
    monkeypatch.setattr(sinkhorn, "_spread", lambda *_: 2.0)
    rng = np.random.default_rng(1)
    queries, texts = (rng.standard_normal((count, 4)).astype(np.float32) for count in (30, 9))
    copies = rng.integers(1, 5, 9)
    scores = queries.astype(float) @ texts.T.astype(float)
    wide = np.repeat(scores, copies, axis=1)
    softness = 0.5 / np.sqrt((wide**2).mean() - wide.mean() ** 2)
    expected = worth_by_hand(scores, np.ones(30), copies, softness)
    found = sinkhorn.worth(queries, np.ones(30), texts, copies.astype(float))
    assert found - found.mean() == pytest.approx((expected - expected.mean()) * 2 * sinkhorn.SOFTNESS / 0.5, abs=1e-3)


def test_sinkhorn_gains_where_one_to_one_is_true_and_where_all_scores_are_alike_it_adds_nothing():
    rng = np.random.default_rng(2)
    text = rng.standard_normal((400, 16))
    data = release(text + 1.1 * rng.standard_normal(text.shape), text, np.arange(400))
    task = build_task(data, FORTH)
    assert recall(attacker("sinkhorn")(task, Knowledge())) > 1.05 * recall(task)
    assert sinkhorn.worth(np.ones((5, 3), np.float32), np.ones(5), np.ones((4, 3), np.float32), np.ones(4)).any() == 0


def test_the_images_of_a_study_ask_as_one():
    task = Composition("cosine", "study")(build_task(bent(0, "a"), FORTH), Knowledge())
    assert (task.queries[::2] == task.queries[1::2]).all()


def test_the_gradients_of_the_towers_are_the_slopes_of_the_loss():
    rng = np.random.default_rng(3)
    width = 6
    weights = [
        {
            name: value.astype(np.float64)
            for name, value in towers.start(rng.standard_normal((5, width)), rng).weights.items()
        }
        for _ in range(2)
    ]
    for one in weights:
        one["down"] = 0.1 * rng.standard_normal(one["down"].shape)
    rows, pair = [rng.standard_normal((9, 5)) for _ in range(2)], np.array([0, 1, 2, 3, 4, 5, 6, 7, 7])
    masks = [(rng.random((9, towers.HIDDEN)) > 0.3).astype(float) for _ in range(2)]

    def loss(sharpness=4.0):
        return towers.loss_gradients(weights, sharpness, rows, pair, masks)

    _, gradients, by_sharpness = loss()
    step = 1e-6
    assert (loss(4 + step)[0] - loss(4 - step)[0]) / (2 * step) == pytest.approx(by_sharpness, abs=1e-5)
    for side, gradient in enumerate(gradients):
        for name, slope in gradient.items():
            values = weights[side][name]
            for at in rng.integers(0, values.size, 6):
                place = np.unravel_index(at, values.shape)
                own = values[place]
                values[place] = own + step
                more = loss()[0]
                values[place] = own - step
                less = loss()[0]
                values[place] = own
                assert (more - less) / (2 * step) == pytest.approx(slope[place], abs=2e-5)


def test_the_loss_is_the_mean_of_two_cross_entropies_without_twins():
    rng = np.random.default_rng(4)
    both = [towers.start(rng.standard_normal((5, 5)), rng) for _ in range(2)]
    rows, pair = [rng.standard_normal((4, 5)).astype(np.float32) for _ in range(2)], np.array([0, 1, 1, 2])
    scores = 20.0 * both[0](rows[0]).astype(float) @ both[1](rows[1]).T
    scores[1, 2] = scores[2, 1] = -np.inf
    entropies = [-np.log(np.exp(scores[i, i]) / np.exp(scores[i]).sum()) for i in range(4)]
    entropies += [-np.log(np.exp(scores[i, i]) / np.exp(scores[:, i]).sum()) for i in range(4)]
    found, _, _ = towers.loss_gradients([one.weights for one in both], 20.0, rows, pair, [None, None])
    assert found == pytest.approx(np.mean(entropies), abs=1e-4)


def test_towers_undo_a_bent_map_which_no_linear_one_does(monkeypatch):
    monkeypatch.setattr(towers, "STEPS", 250)
    known, others = bent(5, "a", studies=800), bent(6, "b", studies=200)
    task, kept = build_task(others, FORTH), {}
    by = {
        name: recall(attacker(name)(task, Knowledge(pairs=build_task(known, FORTH), kept=kept)))
        for name in ("linear", "towers")
    }
    assert by["towers"] > 1.3 * by["linear"]
    back = attacker("towers")(build_task(others, BACK), Knowledge(pairs=build_task(known, BACK), kept=kept))
    assert recall(back) > by["linear"], "what was learnt serves the other direction"


def test_nobody_is_chosen_on_or_taught_by_those_under_attack(monkeypatch):
    monkeypatch.setattr(towers, "STEPS", 20)
    known, others = build_task(bent(7, "a"), FORTH), build_task(bent(8, "b", studies=100), FORTH)
    knowledge = Knowledge(pairs=known)
    held_out = learn(known, knowledge).held_out
    seen = []
    ranked = linkers.rank_truth
    monkeypatch.setattr(linkers, "rank_truth", lambda *task: seen.append(len(task[0])) or ranked(*task))
    task = attacker("composed")(others, knowledge)
    assert task.composition
    assert seen
    assert set(seen) == {int(np.isin(known.query_patient, held_out).sum())}
    assert set(of_patients(known, held_out).candidate_patient) == set(held_out)


@pytest.mark.study
def test_among_shuffled_pairs_every_composition_is_at_chance_and_a_planted_leak_is_found():
    known, null, true = bent(9, "a", studies=900), bent(10, "b", leak=False), bent(10, "b")
    config = LinkageConfig(pools=(100,), attackers=("towers+study+sinkhorn", "composed", "csls+patient+sinkhorn"))
    at = {"metric": "recall@1", "direction": FORTH, "pool": 100}
    for row in audit_linkage(null, config, known=known).estimates:
        if row.has(group=None, **at):
            assert row.low <= 0.01 <= row.high
    found = {row.attacker: row.value for row in audit_linkage(true, config, known=known).estimates if row.has(**at)}
    assert found["towers+study+sinkhorn"] > 0.3
    assert found["composed"] > 0.3


def test_words_bring_features_and_findings_where_the_vectors_are_gone(monkeypatch):
    monkeypatch.setattr(towers, "STEPS", 60)
    rng = np.random.default_rng(11)
    parts = []
    for who, count in (("a", 1200), ("b", 200)):
        text = rng.standard_normal((count, 8))
        nothing = rng.standard_normal((count, 6))
        parts.append(
            release(
                text[:, :6] + 0.2 * rng.standard_normal((count, 6)),
                nothing,
                np.arange(count),
                who=who,
                text_features=5 * text,
            )
        )
    known, attacked = parts
    found = audit_linkage(attacked, LinkageConfig(pools=(100,), attackers=("cosine", "words")), known=known)
    assert found.spot.attacker == "words"
    assert found.headline.low > 0.3
    assert {one["attacker"] for one in found.details["compositions"]} == {"words"}
    assert with_words(attacked).text.shape[1] == 14


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("words",), "backbone features"),
        (("composed",), "known pairs"),
        (("towers+study",), "known pairs"),
        (("cosine+none+nothing",), "no such part"),
        (("study+sinkhorn",), "begins with how it compares"),
        (("cosine+csls",), "one similarity"),
    ],
)  # fmt: skip
def test_who_cannot_be_run_is_refused_where_asked_for(asked, said):
    with pytest.raises(ConfigError, match=said):
        audit_linkage(bent(12, "a", studies=40), LinkageConfig(attackers=asked))


def test_who_cannot_be_run_is_named_where_everybody_was_asked_for():
    found = audit_linkage(bent(13, "a", studies=40), LinkageConfig())
    told = [limit for limit in found.limits if "was not run" in limit]
    assert [name for name in ("composed", "words") if any(f"attacker {name} " in limit for limit in told)] == [
        "composed",
        "words",
    ]
    assert not any(row.attacker in ("composed", "words") for row in found.estimates)


@pytest.mark.parametrize("similarity", ["linear", "towers"])
def test_assignment_compares_as_the_best_on_known_patients_does(monkeypatch, similarity):
    """Where vectors as they stand link nothing, one-to-one links what maps or networks do, and shuffled pairs not."""
    monkeypatch.setattr(towers, "STEPS", 60)
    known, others, null = bent(12, "a"), bent(13, "b", studies=150), bent(13, "b", studies=150, leak=False)
    if similarity == "linear":
        turn = np.linalg.qr(np.random.default_rng(14).standard_normal((12, 12)))[0]
        known, others, null = (
            Release(one.records, {"image": (0.5 * one.image + one.text @ turn).astype(np.float32), "text": one.text})
            for one in (known, others, null)
        )
        null = Release(null.records, {"image": np.random.default_rng(15).permutation(null.image), "text": null.text})
    knowledge = Knowledge(pairs=build_task(known, FORTH))
    task = build_task(others, FORTH)
    found = attacker("assignment")(task, knowledge)
    assert found.composition.split("+")[0] in ("linear", "towers")
    assert "sinkhorn" not in found.composition
    assert assign(task).mean() < 0.05
    assert assign(found).mean() > max(0.1, recall(attacker(similarity)(task, knowledge)))
    assert assign(attacker("assignment")(build_task(null, FORTH), knowledge)).mean() < 0.03


def test_assignment_without_known_pairs_takes_the_vectors_as_they_stand():
    task = build_task(bent(16, "a", studies=100), FORTH)
    assert attacker("assignment")(task, Knowledge()) is task
