"""What a station does in a round, against a plain loop of the same steps; and what the methods make of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.special import log_softmax
from torch.nn import functional

from federated_data import plan, station
from leadapron.federated.architectures import Inputs, new_model
from leadapron.federated.fusion_model import FusionModel, fingerprint, load_weights, weights_of
from leadapron.federated.methods import METHODS
from leadapron.federated.methods.averaging import ALPHAS
from leadapron.federated.methods.car_mfl import partners_of
from leadapron.federated.methods.creamfl import ROWS_AT_ONCE, ensemble, sureness
from leadapron.federated.methods.method import Answer, Place, Server
from leadapron.federated.scoring import macro_auroc
from leadapron.federated.seeded_streams import stream

INPUTS = Inputs(6, 6, 3)


def begun(chosen=None) -> FusionModel:
    return new_model(chosen or plan(), INPUTS)


def place(holds: str = "both", number: int = 1, memory=None, rows: int = 37, **given) -> Place:
    chosen = plan(**given)
    return Place(
        chosen,
        begun(chosen),
        station(rows, holds=holds),
        station(25, name="public", seed=7),
        number,
        {} if memory is None else memory,
    )


def answered(where: Place, method: str, received=None):
    return METHODS.find(method).answer(where, weights_of(begun(where.plan)) if received is None else received)


def plain_loop(chosen, records, model, optimiser, number: int = 1) -> float:
    """Mini-batches as anybody would write them, in the order that the seed decides."""
    rng = stream(chosen, "order", records.name, number)
    model.train()
    for _ in range(chosen.epochs):
        losses = []
        order = rng.permutation(len(records))
        for start in range(0, len(records), chosen.batch):
            rows = order[start : start + chosen.batch]
            image, text = (None if half is None else torch.tensor(half[rows]) for half in (records.image, records.text))
            truth = torch.tensor(records.truth[rows])
            each = functional.binary_cross_entropy_with_logits(
                model(image, text), (truth == 1).float(), reduction="none"
            )
            known = truth != -1
            loss = (each * known).sum() / known.sum()
            optimiser.zero_grad()
            loss.backward()
            if chosen.gradient_limit is not None:
                torch.nn.utils.clip_grad_norm_(model.parameters(), chosen.gradient_limit)
            optimiser.step()
            losses.append(loss.item())
    return float(np.mean(losses))


@pytest.mark.parametrize("holds", ["both", "image", "text"])
@pytest.mark.parametrize("limit", [None, 0.05])
def test_a_round_gives_the_same_bits_as_a_plain_loop(holds, limit):
    given = {"epochs": 3, "batch": 8, "gradient_limit": limit}
    chosen, model = plan(**given), begun()
    optimiser = torch.optim.Adam(model.parameters(), lr=chosen.learning_rate, fused=True)
    slow = plain_loop(chosen, station(37, holds=holds), model, optimiser)
    where = place(holds, **given)
    arrays, loss = answered(where, "mfedavg")
    assert fingerprint(weights_of(where.model)) == fingerprint(weights_of(model))
    assert loss == pytest.approx(slow, rel=1e-6)
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, weights_of(model)[name])


@pytest.mark.parametrize(("kept", "same"), [("kept", True), ("reset", False)])
def test_the_optimiser_is_kept_or_begins_anew(kept, same):
    chosen = plan(epochs=2, optimiser=kept)
    model = begun()
    optimiser = torch.optim.Adam(model.parameters(), lr=chosen.learning_rate, fused=True)
    plain_loop(chosen, station(37), model, optimiser, 1)
    between = weights_of(model)
    plain_loop(chosen, station(37), model, optimiser, 2)
    memory: dict = {}
    answered(place(number=1, memory=memory, epochs=2, optimiser=kept), "mfedavg")
    second = place(number=2, memory=memory, epochs=2, optimiser=kept)
    answered(second, "mfedavg", between)
    assert (fingerprint(weights_of(second.model)) == fingerprint(weights_of(model))) is same


@pytest.mark.parametrize(("holds", "missing"), [("image", "text_encoder"), ("text", "image_encoder")])
def test_zero_filling_leaves_the_encoder_of_the_missing_half_as_it_was_and_does_not_send_it(holds, missing):
    where = place(holds)
    before = weights_of(where.model)
    arrays, _ = answered(where, "mfedavg")
    assert {name.partition(".")[0] for name in arrays} == {f"{holds}_encoder", "classifier"}
    for name, array in weights_of(where.model).items():
        assert np.array_equal(array, before[name]) is (name.partition(".")[0] == missing)
    columns = arrays["classifier.weight"] != before["classifier.weight"]
    seen = columns[:, :4] if holds == "image" else columns[:, 4:]
    assert seen.any()
    assert columns.sum() == seen.sum(), "the classifier learns nothing of zeros"


@pytest.mark.parametrize(("holds", "borrowed"), [("image", "text"), ("text", "image")])
def test_car_mfl_trains_on_the_partners_that_the_sent_model_finds(holds, borrowed):
    given = {"epochs": 2, "batch": 8}
    where = place(holds, **given)
    chosen = partners_of(begun(), where.station, where.public, where.plan, 1)
    filled = replace(where.station, **{borrowed: getattr(where.public, borrowed)[chosen]})
    model = begun()
    plain_loop(plan(**given), filled, model, torch.optim.Adam(model.parameters(), lr=2e-3, fused=True))
    arrays, _ = answered(where, "car-mfl")
    assert fingerprint(arrays) == fingerprint(weights_of(model)), "every part of the model is sent"


def test_a_hospital_with_both_halves_borrows_nothing():
    one, other = place("both"), place("both")
    assert fingerprint(answered(one, "car-mfl")[0]) == fingerprint(answered(other, "mfedavg")[0])


def server(**given) -> Server:
    chosen = plan(**given)
    public = station(25, name="public", seed=7)
    holds = {"a": "image", "b": "text", "c": "both"}
    return Server(chosen, begun(), public, public, round=1, validate=station(40, seed=9), holds=holds)


def answers() -> dict[str, Answer]:
    return {
        name: Answer(answered(place(holds, rows=rows, epochs=3), "car-mfl")[0], rows, 0.5)
        for name, holds, rows in (("a", "image", 20), ("b", "text", 30), ("c", "both", 10))
    }


def by_hand(given, public, weights) -> dict[str, np.ndarray]:
    updates = [*(one.arrays for one in given.values()), public]
    return {
        name: sum(
            weight * update[name].astype(np.float64)
            for weight, update in zip(weights[name.partition(".")[0]], updates, strict=True)
        )
        / sum(weights[name.partition(".")[0]])
        for name in public
    }


@pytest.mark.parametrize("normalise", ["linear", "softmax"])
def test_the_mean_is_that_of_the_published_weights_with_the_public_set_as_one_more_hospital(normalise):
    where, given = server(normalise=normalise), answers()
    METHODS.find("car-mfl").takes(where, given)
    total = 20 + 30 + 10 + 25
    raw = {
        "image_encoder": [20, 0.3 * 30, 10, 25],
        "text_encoder": [0.3 * 20, 30, 10, 25],
        "classifier": [20, 30, 10, 25],
    }
    if normalise == "softmax":
        raw = {
            group: weights if group == "classifier" else [np.exp(weight / total) for weight in weights]
            for group, weights in raw.items()
        }
    assert where.own_update is not None
    wanted = by_hand(given, where.own_update, raw)
    for name, array in weights_of(where.model).items():
        np.testing.assert_allclose(array, wanted[name], rtol=1e-5, atol=1e-7)


def test_the_public_set_is_trained_like_a_hospital_from_the_same_start():
    where = server(epochs=2)
    METHODS.find("mfedavg-public").takes(where, {})
    model = begun()
    plain_loop(plan(epochs=2), where.public, model, torch.optim.Adam(model.parameters(), lr=2e-3, fused=True))
    assert fingerprint(where.own_update) == fingerprint(weights_of(model)) == fingerprint(weights_of(where.model))


def test_plain_averaging_leaves_out_the_public_set():
    where, given = server(), answers()
    METHODS.find("mfedavg").takes(where, given)
    assert where.own_update is None
    for name, array in weights_of(where.model).items():
        mean = sum(one.records * one.arrays[name].astype(np.float64) for one in given.values()) / 60
        np.testing.assert_allclose(array, mean, rtol=1e-5, atol=1e-7)


def test_alpha_by_validation_is_the_one_that_scores_best():
    given, scores = answers(), []
    for alpha in ALPHAS:
        where = server(alpha=alpha)
        METHODS.find("car-mfl").takes(where, given)
        scores.append(macro_auroc(where.model, where.validate, "both"))
    chosen = server(alpha_by_validation=True)
    METHODS.find("car-mfl").takes(chosen, given)
    assert len(set(scores)) > 1
    best = ALPHAS[int(np.argmax(scores))]
    assert chosen.notes == {"alpha": best}
    again = server(alpha=best)
    METHODS.find("car-mfl").takes(again, given)
    assert fingerprint(weights_of(again.model)) == fingerprint(weights_of(chosen.model))


def slow_ensemble(features: list[np.ndarray], other: np.ndarray) -> np.ndarray:
    """Record by record: how surely a hospital's feature finds the record's other half, as a weight among hospitals."""
    found = []
    for row in range(len(other)):
        sure = []
        for one in features:
            near = [float(one[row].astype(np.float64) @ column) for column in other]
            sure.append(near[row] - np.log(np.sum(np.exp(near))))
        weights = np.exp(sure) / np.sum(np.exp(sure))
        found.append(sum(weight * one[row] for weight, one in zip(weights, features, strict=True)))
    return np.array(found)


def test_creamfl_weighs_features_by_how_surely_they_find_the_other_half():
    rng = np.random.default_rng(0)
    features = [rng.standard_normal((9, 4)).astype(np.float32) for _ in range(3)]
    other = rng.standard_normal((9, 4)).astype(np.float32)
    np.testing.assert_allclose(ensemble(features, other), slow_ensemble(features, other), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(ensemble(features[:1], other), features[0])


@pytest.mark.parametrize("rows", [1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1, 2 * ROWS_AT_ONCE + 7])
def test_creamfl_is_as_sure_in_blocks_as_in_one_piece(rows):
    rng = np.random.default_rng(rows)
    features, other = (rng.standard_normal((rows, 4)).astype(np.float32) for _ in range(2))
    whole = log_softmax(features.astype(np.float64) @ other.T.astype(np.float64), axis=1)
    np.testing.assert_allclose(sureness(features, other), np.diagonal(whole), rtol=0, atol=1e-12)


def test_creamfl_sends_features_of_the_public_set_and_keeps_the_model():
    method, where = METHODS.find("creamfl"), place("image")
    sent = method.sends(server())
    arrays, _ = method.answer(where, sent)
    assert set(arrays) == {"image"}
    assert arrays["image"].shape == (25, 4)
    np.testing.assert_allclose(np.linalg.norm(arrays["image"], axis=1), 1, rtol=1e-5)
    second = place("image", 2, where.memory)
    later = {half: sent[half] for half in ("image", "text")}
    method.answer(second, later)
    assert fingerprint(weights_of(second.model)) != fingerprint(weights_of(begun()))
    held = server()
    method.takes(held, {"a": Answer(arrays, 37, 0.5)})
    assert fingerprint(weights_of(held.model)) != fingerprint(weights_of(begun()))


def test_each_hospital_alone_goes_on_with_its_own_model():
    method, one = METHODS.find("local-only"), place("image")
    method.answer(one, weights_of(begun()))
    second = place("image", 2, one.memory)
    load_weights(second.model, weights_of(new_model(plan(seed=99), INPUTS)))
    learnt, _ = method.answer(second, weights_of(new_model(plan(seed=98), INPUTS)))
    model = begun()
    optimiser = torch.optim.Adam(model.parameters(), lr=2e-3, fused=True)
    for number in (1, 2):
        plain_loop(plan(), station(37, holds="image"), model, optimiser, number)
    own = {name: array for name, array in weights_of(model).items() if not name.startswith("text")}
    assert fingerprint(learnt) == fingerprint(own)


def test_the_starting_model_is_that_of_the_seed_and_leaves_torch_s_own_numbers_alone():
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    one, other = fingerprint(weights_of(begun())), fingerprint(weights_of(begun(plan(seed=5))))
    assert torch.equal(torch.rand(1), expected)
    assert one == fingerprint(weights_of(begun())) != other
