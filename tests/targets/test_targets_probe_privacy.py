"""Private probes: the clip holds, the noise is as large as it says, the coins are fair, and the cost is counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leadapron.errors import DataError
from leadapron.privacy import Promise, Spending
from leadapron.release import Release
from leadapron.targets.budget import Budget
from leadapron.targets.probes import ProbeConfig, Probes, probes_of
from leadapron.targets.probes.probe_batches import Poisson, padded
from leadapron.targets.probes.probe_data import probe_data
from leadapron.targets.probes.probe_privacy import Protection
from probe_models import SHAPES, dealt, network, protection, slow_gradients, summed, traced
from utility_releases import made

pytest.importorskip("dp_accounting")
CONFIG = ProbeConfig(hidden=8, epochs=3, batch=16, epsilon=3.0)


@pytest.fixture(scope="module")
def small():
    """The accountant is asked once."""
    return made(patients=60), probes_of(made(patients=60), CONFIG)


def with_noise(clip=1.0, sigma=2.0, batch=16.0):
    budget = Budget("record", clip, 1e-5, 1.0, batch, 10, Spending(sigma, 0.1, 10), ((), ()))
    return Protection(budget, np.arange(9))


def clipped_sum(shape, flat, inputs, truth, clip, taken=None):
    given, slopes = traced(shape, flat, inputs, truth)
    with_noise(clip).clip_rows(given, slopes, np.ones(inputs.shape[:2], dtype=bool) if taken is None else taken)
    return summed(shape, given, slopes)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("clip", [0.05, 1.5, 1e6])
def test_the_clipped_sum_is_that_of_a_slow_loop(shape, clip):
    flat, inputs, truth = network(shape)
    slow = slow_gradients(shape, flat, inputs, truth)
    taken = np.random.default_rng(0).random(inputs.shape[:2]) < 0.7
    expected = np.zeros((len(flat), shape.parameters))
    for model, row in np.argwhere(taken):
        gradient = slow[model, row]
        expected[model] += gradient * min(1, clip / max(np.linalg.norm(gradient), 1e-30))
    np.testing.assert_allclose(clipped_sum(shape, flat, inputs, truth, clip, taken), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_nobody_moves_the_sum_by_more_than_the_clip(shape):
    flat, inputs, truth = network(shape, seed=2)
    inputs[:, 0, :-1] *= 1000  # one record is far away from all others
    whole = clipped_sum(shape, flat, inputs, truth, 0.5)
    moves = [
        np.linalg.norm(
            whole - clipped_sum(shape, flat, np.delete(inputs, row, 1), np.delete(truth, row, 1), 0.5), axis=1
        )
        for row in range(inputs.shape[1])
    ]
    assert np.max(moves) <= 0.5 * (1 + 1e-4)
    assert np.max(moves) > 0.49


def test_noise_is_as_large_as_it_says_and_each_models_own():
    total = np.zeros((4, 50_000), dtype=np.float32)
    rngs = [np.random.default_rng(seed) for seed in range(4)]
    with_noise(clip=0.5, sigma=3.0, batch=20).add_noise(total, rngs)
    np.testing.assert_allclose(total.std(axis=1), 3.0 * 0.5 / 20, rtol=0.02)
    assert np.abs(np.corrcoef(total)[~np.eye(4, dtype=bool)]).max() < 0.02
    assert np.abs(total.mean(axis=1)).max() < 5 * 3.0 * 0.5 / 20 / np.sqrt(50_000)


def test_coins_are_fair_and_a_patient_is_drawn_once():
    patient = np.repeat(np.arange(40), [1, 2, 3, 4] * 10)
    members = patient % 2 == 0
    batches = Poisson(members, patient, 0.2, np.random.default_rng(0))
    draws = [batches.draw() for _ in range(4000)]
    assert all(len(np.unique(patient[rows])) == len(rows) for rows in draws)
    assert members[np.concatenate(draws)].all()
    drawn = np.array([np.isin(np.arange(40), patient[rows]) for rows in draws])[:, ::2]
    error = np.sqrt(0.2 * 0.8 / 4000)
    assert np.abs(drawn.mean(axis=0) - 0.2).max() < 4 * error
    assert np.abs(np.corrcoef(drawn.T)[~np.eye(20, dtype=bool)]).max() < 5 / np.sqrt(4000)  # independent of each other
    of_three = np.bincount(np.concatenate(draws), minlength=len(patient))[patient == 2]
    assert np.abs(of_three / of_three.sum() - 1 / 3).max() < 0.08


def test_noise_and_coins_reach_the_models(small):
    """With the same members, seeds differ; and without noise a model is another one than with it."""
    release, learner = small
    members = np.repeat(dealt(release, 8)[:1], 2, axis=0)
    one, other = learner.train(members, [1, 2])
    assert not np.array_equal(one.answers["full"], other.answers["full"])
    spent = learner.course.protection.budget
    without_noise = replace(spent, spending=replace(spent.spending, sigma=0.0))
    quiet = replace(learner.course.protection, budget=without_noise)
    silent = replace(learner, course=replace(learner.course, protection=quiet))
    assert not np.allclose(silent.train(members[:1], [1])[0].answers["full"], one.answers["full"], atol=1e-3)


def test_padding_leaves_nobody_out():
    rows, taken = padded([np.array([3, 4]), np.array([], dtype=np.int64), np.arange(7)], 5)
    assert rows.shape == taken.shape == (3, 7)
    assert taken.sum(axis=1).tolist() == [2, 0, 7]
    assert rows[2].tolist() == list(range(7))


@pytest.mark.parametrize("level", ["record", "patient"])
def test_the_card_agrees_with_the_accountant(level):
    release = made(patients=120, images=3)
    (model,) = probes_of(release, replace(CONFIG, level=level)).train(dealt(release, 8)[:1], [0])
    card = model.card
    units = {"record": 216, "patient": 72}[level] / 2
    assert card["level"] == level
    assert card["rate"] == 16 / units
    assert card["steps"] == 3 * np.ceil(units / 16)
    spending = Spending(card["sigma"], card["rate"], card["steps"])
    assert spending.epsilon(card["delta"]) == pytest.approx(card["epsilon"], rel=5e-3)
    assert 2.9 < card["epsilon"] <= 3.0
    epsilons, deltas = card["profile"]
    assert np.interp(card["epsilon"], epsilons, deltas) == pytest.approx(card["delta"], rel=0.5)
    promise = Promise(tuple(epsilons), tuple(deltas))
    assert promise.auc() <= Promise((card["epsilon"],), (card["delta"],)).auc()
    assert "not for release" in card["noise"]


def test_nothing_is_taken_from_audited_patients_before_training(small):
    """Rows are scaled each by itself: another patient's embedding does not change mine."""
    release, learner = small
    image = release.image.copy()
    image[5] *= 7
    image[10] += 3
    one, other = learner.course.data, probe_data(Release(release.records, {"image": image}), CONFIG)
    others = np.delete(np.arange(len(one.audited)), [5, 6])
    assert np.array_equal(one.audited.inputs[others], other.audited.inputs[others])
    np.testing.assert_allclose(one.audited.inputs[5], other.audited.inputs[5], rtol=1e-5)
    assert not np.allclose(one.audited.inputs[6], other.audited.inputs[6])
    assert len(learner.course.draws) == 0  # nor is anybody jittered by a share of a spread that is theirs


def test_less_privacy_learns_more():
    release = made(3.0, patients=400, images=1)
    course, members = (
        probes_of(release, replace(CONFIG, epsilon=None, epochs=40, batch=32)).course,
        dealt(release, 8)[:4],
    )
    data = probe_data(release, CONFIG)
    aurocs = []
    for sigma in (30.0, 1.0):
        private = replace(course, data=data, draws=course.draws[:0], protection=protection(data, "record", sigma=sigma))
        models = Probes(private, {"full": data.audited.inputs}).train(members, range(4))
        aurocs.append(np.mean([model.card["auroc"] for model in models]))
    assert aurocs[0] < aurocs[1] - 0.05


def test_patients_without_names_cannot_be_protected():
    release = made(patients=60)
    nameless = Release(release.records.drop("patient_id"), release.arrays)
    with pytest.raises(DataError, match="--level record"):
        probes_of(nameless, CONFIG)
    assert probes_of(nameless, replace(CONFIG, epsilon=None)).course.protection is None
