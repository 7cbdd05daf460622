"""Networks as targets: what they are, that they know their members and nobody else, and that private ones are."""

from __future__ import annotations

import functools
import json
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
import torch
from scipy.stats import rankdata

from leadapron.errors import ConfigError, DataError, MissingExtraError
from leadapron.phantoms import Dials, build_clinic
from leadapron.privacy.accounting import Spending
from leadapron.privacy.poisson_sampling import Units
from leadapron.targets.budget import Budget
from leadapron.targets.learner import macro_auroc
from leadapron.targets.networks import NetworkConfig, networks_of
from leadapron.targets.networks import private_network as network_privacy
from leadapron.targets.networks import train_network as network_training
from leadapron.targets.networks.network_data import cropped, data_of, low_resolution
from leadapron.targets.networks.wide_resnet import WideResNet, build, count_parameters, group_norm, record_losses

SIZE = 32
TINY = NetworkConfig(depth=10, width=1, image_size=SIZE, epochs=1, batch=32)
BARE = replace(TINY, early_stopping=False, augment=False, weight_decay=0.0)
PRIVATE = replace(TINY, epsilon=8.0, early_stopping=False)
PLANNED = functools.cache(network_privacy.plan_privacy)


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setenv("LEADAPRON_THREADS", "1")
    monkeypatch.setattr(network_privacy, "plan_privacy", PLANNED)  # it takes seconds and is the same each time


@pytest.fixture(scope="module")
def pixels():
    return build_clinic(Dials(patients=80, seed=0)).pixels(SIZE)


@pytest.fixture(scope="module")
def data(pixels):
    return data_of(pixels, TINY)


@pytest.fixture(scope="module")
def members(data):
    """Two models, each with its own half of the patients."""
    rng = np.random.default_rng(1)
    halves = [rng.permutation(data.patient.max() + 1) % 2 == 0 for _ in range(2)]
    return np.stack([half[data.patient] for half in halves])


def with_labels(pixels, change):
    """The same pixels, labels that can be learnt changed; the others would become learnable and add an output."""
    records = pixels.cohort.records
    columns = [
        pl.Series(name, change(records[name].cast(pl.Float64).to_numpy().copy()), nan_to_null=True).cast(pl.Int8)
        for name in data_of(pixels, TINY).names
    ]
    cohort = replace(pixels.cohort, records=records.with_columns(columns))
    return replace(pixels, cohort=cohort)


# ---------------------------------------------------------------- the network


@pytest.mark.parametrize(
    ("depth", "width", "least", "most"),
    [(28, 2, 1.4e6, 1.6e6), (10, 1, 7e4, 9e4), (16, 1, 1.6e5, 2e5), (40, 4, 8e6, 1e7)],
)
@pytest.mark.parametrize("private", [False, True])
def test_the_networks_have_the_published_size(depth, width, least, most, private):
    network = build(depth, width, 14, private=private, seed=0)
    assert least < count_parameters(network) < most
    convolutions = sum(isinstance(module, torch.nn.Conv2d) for module in network.modules())
    assert convolutions == depth - (width == 1)  # the paper counts the three on the way past; the narrow one has two
    norms = {type(module) for module in network.modules() if "Norm" in type(module).__name__}
    assert norms == {torch.nn.GroupNorm if private else torch.nn.BatchNorm2d}


def test_an_output_a_label_and_with_group_norm_each_image_by_itself():
    images = torch.rand(3, 1, SIZE, SIZE)
    for norm, alone in ((group_norm, True), (torch.nn.BatchNorm2d, False)):
        network = WideResNet(10, 1, 5, norm).train()
        together = network(images)
        assert together.shape == (3, 5)
        assert torch.allclose(network(images[:1]), together[:1], atol=1e-5) is alone


def test_a_network_is_that_of_its_seed_and_leaves_the_generator_alone():
    before = torch.random.get_rng_state()
    one, same, other = (build(10, 1, 2, private=False, seed=seed).stem.weight for seed in (3, 3, 4))
    assert torch.equal(one, same)
    assert not torch.equal(one, other)
    assert torch.equal(before, torch.random.get_rng_state())


def test_the_loss_counts_what_is_known_record_by_record():
    rng = np.random.default_rng(0)
    logits, truth = rng.normal(0, 3, (6, 4)), rng.integers(-1, 2, (6, 4))
    truth[0] = 0
    slow = []
    for row, says in zip(logits, truth, strict=True):
        known = [np.log1p(np.exp(-z if y == 1 else z)) for z, y in zip(row, says, strict=True) if y != 0]
        slow.append(np.mean(known) if known else 0.0)
    found = record_losses(torch.from_numpy(logits), torch.from_numpy(truth))
    np.testing.assert_allclose(found, slow, rtol=1e-12)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"depth": 27}, "--depth"),
        ({"depth": 4}, "--depth"),
        ({"width": 0}, "--width"),
        ({"image_size": 30}, "--image-size"),
        ({"image_size": 50}, "--image-size"),
        ({"epochs": 0}, "--epochs"),
        ({"learning_rate": float("inf")}, "--learning-rate"),
        ({"weight_decay": -1.0}, "--weight-decay"),
        ({"level": "hospital"}, "--level"),
        ({"epsilon": 0.0}, "--epsilon"),
        ({"delta": 1e-5}, "without an epsilon"),
        ({"views": ("croped",)}, "did you mean 'cropped'"),
        ({"views": ("cropped", "cropped")}, "twice"),
        ({"seed": -1}, "--seed"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes, words):
    with pytest.raises(ConfigError, match=words):
        NetworkConfig(**changes)


# ---------------------------------------------------------------- whom it was trained on


def test_answers_are_finite_logits_of_all_audited_records_in_every_view(pixels, data, members):
    learner = networks_of(pixels, replace(TINY, views=("cropped", "low-resolution")))
    (trained,) = learner.train(members[:1], [5])
    assert list(trained.answers) == ["full", "cropped", "low-resolution"]
    for answers in trained.answers.values():
        assert answers.shape == (len(data.audited), len(learner.labels))
        assert answers.dtype == np.float32
        assert np.isfinite(answers).all()
    assert len({answers.tobytes() for answers in trained.answers.values()}) == 3
    assert json.loads(json.dumps(trained.card)) == trained.card
    assert json.loads(json.dumps(learner.describe())) == learner.describe()
    assert learner.together == 1
    assert learner.answers_are == "logits"
    assert 0 <= trained.card["auroc"] <= 1


def test_a_model_is_the_same_whenever_and_beside_whomever_it_is_trained(pixels, members):
    learner = networks_of(pixels, TINY)
    first, second = learner.train(members, [5, 6])
    torch.manual_seed(99)
    (again,) = networks_of(pixels, TINY).train(members[1:], [6])
    assert again.answers["full"].tobytes() == second.answers["full"].tobytes()
    told = {name: value for name, value in second.card.items() if name != "seconds"}
    assert told.items() <= again.card.items()
    (other_seed,) = learner.train(members[1:], [5])
    assert other_seed.answers["full"].tobytes() != second.answers["full"].tobytes()
    (other_members,) = learner.train(members[:1], [6])
    assert other_members.answers["full"].tobytes() != second.answers["full"].tobytes()
    assert first.answers["full"].tobytes() != other_members.answers["full"].tobytes()


@pytest.mark.parametrize(
    "config", [TINY, PRIVATE, replace(PRIVATE, level="record")], ids=["plain", "patient", "record"]
)
def test_nothing_of_others_enters_a_model(pixels, data, members, config):
    """Images and labels of those who are not members are turned round, and every answer about members stays."""
    mine = members[0]
    others = data.audited[~mine]
    (before,) = networks_of(pixels, config).train(members[:1], [5])

    def turned(rows):
        images = pixels.images.copy()
        images[rows] = 255 - images[rows]

        def change(values):
            values[rows] = 1 - values[rows]
            return values

        return with_labels(replace(pixels, images=images), change)

    (after,) = networks_of(turned(others), config).train(members[:1], [5])
    assert after.answers["full"][mine].tobytes() == before.answers["full"][mine].tobytes()
    assert after.answers["full"][~mine].tobytes() != before.answers["full"][~mine].tobytes()
    (changed,) = networks_of(turned(data.audited[mine]), config).train(members[:1], [5])
    assert changed.answers["full"][~mine].tobytes() != before.answers["full"][~mine].tobytes()


def test_without_counter_measures_members_are_memorised(pixels, data, members):
    """Labels by the toss of a coin: there is nothing to learn but the members."""
    rng = np.random.default_rng(2)
    tossed = with_labels(pixels, lambda values: rng.integers(0, 2, len(values)).astype(float))
    learner = networks_of(tossed, replace(BARE, epochs=12, batch=16, learning_rate=1e-2))
    (trained,) = learner.train(members[:1], [0])
    truth = torch.from_numpy(data_of(tossed, BARE).signs[data.audited])
    losses = record_losses(torch.from_numpy(trained.answers["full"]), truth).numpy()
    mine = members[0]
    assert losses[mine].mean() < 0.5 * losses[~mine].mean()
    assert trained.card["auroc_train"] > 0.9
    assert 0.3 < trained.card["auroc"] < 0.7


def test_the_best_epoch_is_kept_and_training_ends_when_it_is_not_beaten(data, members, monkeypatch):
    config = replace(TINY, epochs=30)
    network = build(10, 1, len(data.names), private=False, seed=0)
    kept = []

    def planned(network, _data, _rows):
        kept.append({name: value.clone() for name, value in network.state_dict().items()})
        return [3.0, 1.0, 2.0][min(len(kept), 3) - 1]

    few = members[0] & (np.cumsum(members[0]) <= 8)
    way = network_training.way_of(network, data, config, None, few, 0)
    monkeypatch.setattr(network_training, "loss_of", planned)
    standing = network_training.train(network, way, data, config, 0)
    assert (standing.best_epoch, standing.best) == (2, -1.0)
    assert standing.epochs == 2 + network_training.PATIENCE == len(kept)
    assert all(torch.equal(value, kept[1][name]) for name, value in network.state_dict().items())
    assert any(not torch.equal(value, kept[-1][name]) for name, value in network.state_dict().items())


def test_the_macro_auroc_is_the_mean_of_rank_sums(data):
    rows = data.judged
    logits = np.random.default_rng(0).normal(size=(len(rows), len(data.names))).astype(np.float32)
    areas = []
    for column, truth in zip(logits.T, data.signs[rows].T, strict=True):
        positives, known = (truth == 1).sum(), truth != 0
        negatives = known.sum() - positives
        if positives and negatives:
            ranks = rankdata(column[known])[truth[known] == 1].sum()
            areas.append((ranks - positives * (positives + 1) / 2) / (positives * negatives))
    assert macro_auroc(logits, data.signs[rows]) == pytest.approx(np.mean(areas))
    assert macro_auroc(logits[:1], data.signs[rows[:1]]) is None


def test_held_out_patients_must_be_there_to_stop_early(pixels):
    watched = (pixels.cohort.records["split"] == "validate").to_numpy()
    cohort = replace(pixels.cohort, records=pixels.cohort.records.filter(pl.Series(~watched)))
    without = replace(pixels, cohort=cohort, images=pixels.images[~watched])
    with pytest.raises(DataError, match="--no-early-stopping"):
        networks_of(without, TINY)
    networks_of(without, BARE)
    with pytest.raises(ConfigError, match="--image-size"):
        networks_of(pixels, replace(TINY, image_size=64))


# ---------------------------------------------------------------- partial knowledge


def test_a_thumbnail_keeps_the_means_of_cells_and_nothing_else(pixels):
    images = pixels.images[:3]
    seen = low_resolution(images)
    assert seen.shape == images.shape
    assert (seen != images).any()
    cells = images.reshape(3, SIZE // 4, 4, SIZE // 4, 4)
    assert np.array_equal(low_resolution(cells[:, :, ::-1, :, ::-1].reshape(images.shape)), seen)
    stripes = np.zeros((1, SIZE, SIZE), dtype=np.uint8)
    stripes[:, ::2] = 200
    assert (low_resolution(stripes) == 100).all()
    coarse = np.repeat(np.repeat(cells.mean((2, 4)), 4, 1), 4, 2)
    assert np.corrcoef(coarse.ravel(), seen.ravel())[0, 1] > 0.95


def test_a_crop_keeps_the_centre_and_nothing_else(pixels):
    images = pixels.images[:3]
    seen = cropped(images)
    inside = slice(SIZE // 4, -SIZE // 4)
    outside = np.ones(images.shape, dtype=bool)
    outside[:, inside, inside] = False
    assert np.array_equal(cropped(np.where(outside, 255 - images, images)), seen)
    enlarged = np.repeat(np.repeat(images[:, inside, inside], 2, 1), 2, 2)
    assert np.corrcoef(enlarged.ravel(), seen.ravel())[0, 1] > 0.95
    edge = images.copy()
    edge[:, SIZE // 4, SIZE // 4] ^= 128
    assert (cropped(edge) != seen).any()


# ---------------------------------------------------------------- differential privacy


def privacy_of(sigma, clip, expected=1.0):
    spending = Spending(sigma, 0.1, 10)
    return Budget("record", clip, 1e-5, 1.0, expected, 10, spending, ((0.0,), (1.0,)))


def sum_of_step(images, truth, clip, sigma=0.0, seed=0):
    """What a step of plain descent at rate 1 moves the weights by, turned round: the sum of clipped gradients."""
    network = build(10, 1, truth.shape[1], private=True, seed=7)
    before = torch.cat([parameter.detach().flatten().clone() for parameter in network.parameters()])
    optimiser = torch.optim.SGD(network.parameters(), lr=1.0)
    network_privacy.PrivateStep(network, optimiser, privacy_of(sigma, clip), seed)(images, truth)
    return before - torch.cat([parameter.detach().flatten() for parameter in network.parameters()])


def some_records(data, count):
    rows = data.audited[:count]
    images = torch.from_numpy(data.images[rows])[:, None].float() / 255
    return images, torch.from_numpy(data.signs[rows])


def clipped_by_hand(images, truth, clip):
    """Record after record, by ordinary gradients."""
    network = build(10, 1, truth.shape[1], private=True, seed=7)
    total, lengths = 0.0, []
    for at in range(len(images)):
        network.zero_grad()
        record_losses(network(images[at : at + 1]), truth[at : at + 1]).sum().backward()
        gradient = torch.cat([parameter.grad.flatten() for parameter in network.parameters()])
        lengths.append(float(gradient.norm()))
        total = total + gradient * min(1.0, clip / lengths[-1])
    return total, lengths


def test_clipped_sums_are_those_of_single_records_whatever_the_parts(data, monkeypatch):
    images, truth = some_records(data, 10)
    _, lengths = clipped_by_hand(images, truth, 1.0)
    clip = float(np.median(lengths))  # some are clipped, some are not
    by_hand, _ = clipped_by_hand(images, truth, clip)
    for at_once in (1, 10**6):
        monkeypatch.setattr(network_privacy, "GRADIENTS_AT_ONCE", at_once * 300_000)
        found = sum_of_step(images, truth, clip)
        assert (found - by_hand).norm() <= 1e-4 * by_hand.norm()


def test_no_record_moves_the_sum_by_more_than_the_clip(data):
    images, truth = some_records(data, 6)
    clip = 0.01
    everybody, without = sum_of_step(images, truth, clip), sum_of_step(images[1:], truth[1:], clip)
    moved = float((everybody - without).norm())
    assert 0.9 * clip < moved <= clip * (1 + 1e-3)
    twice = sum_of_step(torch.cat([images, images[:1]]), torch.cat([truth, truth[:1]]), clip)
    assert float((twice - everybody).norm()) == pytest.approx(moved, rel=1e-2)


def test_noise_is_as_large_as_accounted_for_and_drawn_even_for_nobody(data):
    images, truth = some_records(data, 4)
    alone = sum_of_step(images[:0], truth[:0], clip=0.5, sigma=3.0, seed=1)
    assert float(alone.std()) == pytest.approx(1.5, rel=0.02)
    assert abs(float(alone.mean())) < 4 * 1.5 / len(alone) ** 0.5
    added = sum_of_step(images, truth, 0.5, 3.0, seed=1) - sum_of_step(images, truth, 0.5)
    torch.testing.assert_close(added, alone, rtol=0, atol=1e-4)
    other = sum_of_step(images[:0], truth[:0], clip=0.5, sigma=3.0, seed=2)
    assert abs(float(torch.corrcoef(torch.stack([alone, other]))[0, 1])) < 0.02


def test_noise_and_first_weights_are_drawn_apart():
    streams = [network_training.stream(TINY, seed, name) for seed in (0, 1) for name in network_training.STREAMS]
    assert len(set(streams)) == 6


@pytest.mark.parametrize("level", ["patient", "record"])
def test_coins_fall_for_members_alone_and_one_record_a_patient(data, members, level):
    mine = members[0]
    rows, patient = data.audited[mine], data.patient[mine]
    units = Units.of(level, rows, patient)
    count = len(np.unique(patient)) if level == "patient" else len(rows)
    assert len(units) == count
    privacy = replace(privacy_of(1.0, 1.0), spending=Spending(1.0, 0.3, 600), steps_an_epoch=600)
    steps = network_privacy.draw_epoch(units, privacy, np.random.default_rng(0))
    owner = dict(zip(rows.tolist(), patient.tolist(), strict=True))
    drawn = [[owner[row] for row in step.tolist()] for step in steps]  # others than members are in no dictionary
    assert {row for step in steps for row in step.tolist()} == set(rows.tolist())
    if level == "patient":
        assert all(len(set(step)) == len(step) for step in drawn)
    sizes = np.array([len(step) for step in steps])
    assert sizes.mean() == pytest.approx(0.3 * count, abs=4 * (0.21 * count / 600) ** 0.5)
    assert sizes.var() == pytest.approx(0.21 * count, rel=0.3)


@pytest.mark.parametrize("level", ["patient", "record"])
def test_the_card_says_what_was_spent(pixels, data, members, level):
    learner = networks_of(pixels, replace(PRIVATE, level=level))
    (trained,) = learner.train(members[:1], [0])
    card = trained.card
    units = (data.patient.max() + 1 if level == "patient" else len(data.audited)) / 2
    assert card["level"] == level
    assert card["rate"] == pytest.approx(min(1.0, 32 / units))
    assert card["steps"] == np.ceil(1 / card["rate"])
    assert 7.9 < card["epsilon"] <= 8.0
    assert card["delta"] <= 1 / units
    spent = Spending(card["sigma"], card["rate"], card["steps"])
    assert spent.epsilon_rdp(card["delta"]) >= card["epsilon"]
    epsilons, deltas = card["profile"]
    assert np.interp(card["epsilon"], epsilons, deltas) == pytest.approx(card["delta"], rel=0.5)
    assert json.loads(json.dumps(card)) == card
    assert np.isfinite(trained.answers["full"]).all()


@pytest.mark.parametrize(("name", "config"), [("opacus", replace(PRIVATE, epsilon=7.0)), ("torch", TINY)])
def test_what_is_not_installed_is_missed_in_words(pixels, monkeypatch, name, config):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtraError, match=rf"{name}.*pip install 'leadapron\[train\]'"):
        networks_of(pixels, config)
