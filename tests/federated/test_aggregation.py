"""The weights of hospitals in each part of the model, against sums by hand and against the published sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from leadapron.federated.aggregation import Share, weight_of, weighted_mean

GROUPS = ("image_encoder", "text_encoder", "classifier")
PUBLIC = 2701
SIZES = (2123, 2171, 2107, 2195, 2127, 2164, 2188, 2528, 2086, 2343)
"""Records of the public set and of the ten hospitals in the published partition."""
ORDER = (3, 5, 6, 0, 7, 1, 4, 9, 8, 2)
"""The first of these hold both halves in the published code, the others radiographs alone."""


def shares(both: int) -> list[Share]:
    total = sum(SIZES) + PUBLIC
    held = [("both" if ORDER.index(at) < both else "image", SIZES[at]) for at in range(10)] + [("both", PUBLIC)]
    return [Share(holds, records, records / total) for holds, records in held]


def of_image_hospitals(both: int, normalise: str, alpha: float) -> float:
    """The share of the text encoder that hospitals without texts decide."""
    stations = shares(both)
    weights = [weight_of(one, "text_encoder", normalise, alpha) for one in stations]
    borrowed = sum(weight for weight, one in zip(weights, stations, strict=True) if one.holds == "image")
    return borrowed / sum(weights)


@pytest.mark.parametrize(
    ("both", "averaged", "published", "published_without", "linear"),
    [(2, 0.7146, 0.7135, 0.7080, 0.4289), (4, 0.5402, 0.5293, 0.5226, 0.2606), (6, 0.3503, 0.3484, 0.3424, 0.1392)],
)
def test_alpha_hardly_matters_under_the_published_softmax(both, averaged, published, published_without, linear):
    """Also where alpha is 0, hospitals without texts decide as much of the text encoder as without any weighing."""
    assert of_image_hospitals(both, "linear", 1.0) == pytest.approx(averaged, abs=5e-5)
    assert of_image_hospitals(both, "softmax", 0.3) == pytest.approx(published, abs=5e-5)
    assert of_image_hospitals(both, "softmax", 0.0) == pytest.approx(published_without, abs=5e-5)
    assert of_image_hospitals(both, "linear", 0.3) == pytest.approx(linear, abs=5e-5)


def test_without_alpha_the_linear_weights_leave_out_what_was_borrowed():
    assert of_image_hospitals(2, "linear", 0.0) == 0


@pytest.mark.parametrize("normalise", ["linear", "softmax"])
def test_alpha_weighs_the_borrowed_encoder_alone_and_the_classifier_goes_by_records(normalise):
    lends = {"image": "text_encoder", "text": "image_encoder", "both": None}
    for holds, borrowed in lends.items():
        share = Share(holds, 30, 0.25)
        for group in GROUPS:
            factor = 0.3 if group == borrowed else 1.0
            by_hand = math.exp(factor * 0.25) if normalise == "softmax" else factor * 30
            found = weight_of(share, group, normalise, 0.3)
            assert found == pytest.approx(30.0 if group == "classifier" else by_hand)


def arrays(seed: int, groups=GROUPS) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {f"{group}.weight": rng.standard_normal((3, 2)).astype(np.float32) for group in groups}


def test_the_mean_of_each_array_is_over_those_who_sent_it():
    before, one, two = arrays(0), arrays(1), arrays(2, ("image_encoder", "classifier"))
    weights = [{"image_encoder": 1.0, "text_encoder": 2.0, "classifier": 3.0}] * 2
    weights[1] = {"image_encoder": 5.0, "text_encoder": 7.0, "classifier": 1.0}
    mean = weighted_mean([one, two], weights, before)
    by_hand = {
        "image_encoder.weight": (1 * one["image_encoder.weight"] + 5 * two["image_encoder.weight"]) / 6,
        "text_encoder.weight": one["text_encoder.weight"],
        "classifier.weight": (3 * one["classifier.weight"] + 1 * two["classifier.weight"]) / 4,
    }
    assert list(mean) == list(before)
    for name, array in mean.items():
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, by_hand[name], rtol=1e-6)


def test_what_has_no_weight_or_was_not_sent_stays_as_it_was():
    before = arrays(0)
    nothing = weighted_mean([arrays(1)], [dict.fromkeys(GROUPS, 0.0)], before)
    unsent = weighted_mean([arrays(1, ("classifier",))], [dict.fromkeys(GROUPS, 1.0)], before)
    for name in ("image_encoder.weight", "text_encoder.weight"):
        np.testing.assert_array_equal(nothing[name], before[name])
        np.testing.assert_array_equal(unsent[name], before[name])


def test_the_mean_is_summed_in_double_precision_in_the_order_of_the_names():
    updates = [{"classifier.bias": np.array([10.0**power], np.float32)} for power in (8, 0, 0, 0)]
    mean = weighted_mean(updates, [{"classifier": 1.0}] * 4, {"classifier.bias": np.zeros(1, np.float32)})
    assert mean["classifier.bias"][0] == np.float32((1e8 + 3) / 4)


def test_a_counter_of_batches_is_taken_over_and_not_averaged():
    name = "image_encoder.normalisation.num_batches_tracked"
    mean = weighted_mean([{name: np.array(4)}, {name: np.array(9)}], [{"image_encoder": 1.0}] * 2, {name: np.array(0)})
    assert mean[name] == 4
