"""Updates of a bounded length with noise, and what that promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from federated_data import gathered, plan, run
from leadapron.errors import ConfigError
from leadapron.federated.noised_updates import DELTA, clipped, guarantee_of


def weights(seed: int, length: float = 1.0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    arrays = {name: rng.standard_normal((20, 10)) for name in ("image_encoder.weight", "classifier.weight")}
    whole = math.sqrt(sum(np.square(one).sum() for one in arrays.values()))
    return {name: (length * one / whole).astype(np.float32) for name, one in arrays.items()}


def moved(after, before) -> float:
    return math.sqrt(sum(np.square(after[name].astype(np.float64) - before[name]).sum() for name in after))


@pytest.mark.parametrize(("length", "sent"), [(5.0, 2.0), (2.0, 2.0), (0.5, 0.5), (0.0, 0.0)])
def test_no_update_is_longer_than_the_clip_and_a_short_one_stays_as_it_is(length, sent):
    before, step = weights(0, 3.0), weights(1, length)
    learnt = {name: before[name] + step[name] for name in before}
    found = clipped(learnt, before, plan(clip=2.0))
    assert moved(found, before) == pytest.approx(sent, rel=1e-5)
    for name in found:
        assert found[name].dtype == np.float32
        scale = sent / length if length else 1.0
        np.testing.assert_allclose(found[name] - before[name], scale * step[name], atol=1e-6)


def test_noise_has_the_spread_that_the_plan_says_and_is_never_the_same():
    before = weights(0, 3.0)
    one, other = (clipped(before, before, plan(clip=2.0, noise=0.5)) for _ in range(2))
    drawn = np.concatenate([(one[name] - before[name]).ravel() for name in one])
    assert drawn.std() == pytest.approx(1.0, rel=0.15)
    assert abs(drawn.mean()) < 0.2
    assert not np.array_equal(one["classifier.weight"], other["classifier.weight"])


def test_a_counter_of_batches_is_not_sent_and_does_not_lengthen_the_update():
    before, step = weights(0, 3.0), weights(1, 1.0)
    counter = "image_encoder.normalisation.num_batches_tracked"
    learnt = {name: before[name] + step[name] for name in before} | {counter: np.array(500)}
    found = clipped(learnt, before | {counter: np.array(0)}, plan(clip=2.0))
    assert set(found) == set(before)
    assert moved(found, before) == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize(("noise", "rounds"), [(10.0, 1), (10.0, 30), (40.0, 30)])
def test_the_promise_is_that_of_the_gaussian_mechanism_over_all_rounds(noise, rounds):
    """Two updates are at most twice the clip apart: the smallest epsilon is where the curve meets delta."""
    promise = guarantee_of(plan(clip=3.0, noise=noise, rounds=rounds))
    mu = 2 * math.sqrt(rounds) / noise

    def delta(epsilon: float) -> float:
        return norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu)

    assert promise.kind == "differential privacy"
    assert promise.unit == "patient"
    assert promise.delta == DELTA
    assert delta(promise.epsilon) == pytest.approx(DELTA, rel=1e-3)
    assert promise.details["mu"] == pytest.approx(mu)


def test_without_noise_nothing_is_promised():
    for given in ({}, {"clip": 1.0}, {"secure": True}):
        promise = guarantee_of(plan(**given))
        assert promise.kind == "none"
        assert promise.epsilon is None


def test_a_noised_run_sends_no_loss_and_writes_down_what_it_promises(tmp_path):
    found = run(gathered(), tmp_path / "run", clip=0.5, noise=2.0, rounds=2)
    assert found.guarantee["kind"] == "differential privacy"
    assert all(loss is None for one in found.rounds for loss in one.losses.values())
    assert set(found.rounds[0].losses) == {f"hospital-{at:02d}" for at in range(4)}
    assert not found.rounds[0].left_out


@pytest.mark.parametrize("method", ["creamfl", "local-only", "public-only", "centralised"])
@pytest.mark.parametrize("given", [{"clip": 1.0}, {"clip": 1.0, "noise": 1.0}, {"secure": True}])
def test_a_method_that_sends_something_else_than_an_update_promises_nothing(tmp_path, method, given):
    option = "secure" if "secure" in given else "clip"
    with pytest.raises(ConfigError, match=rf"{option}: only what hospitals send to be averaged .* got '{method}'"):
        run(gathered(), tmp_path / "run", method=method, **given)
    assert list(tmp_path.iterdir()) == []


def test_a_secure_run_keeps_the_mean_and_no_hospital_s_update(tmp_path):
    plain, secure = (run(gathered(), tmp_path / str(kept), secure=kept) for kept in (False, True))
    assert [one.weights for one in plain.rounds] == [one.weights for one in secure.rounds]
    names = {path.name for path in (tmp_path / "True" / "rounds").rglob("*.npz")}
    assert names == {"global.npz", "public.npz"}
