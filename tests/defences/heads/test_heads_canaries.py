"""Training from end to end, with canaries: an attacker who guesses who was in must stay below the claimed epsilon."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from leadapron.defences.heads.head_objectives import AgainstBank
from leadapron.defences.heads.head_training import Pairs, Recipe, train
from leadapron.defences.heads.network import Network, fresh_heads
from leadapron.defences.heads.strangers import Bank
from leadapron.engine.extras import torch_threads
from leadapron.privacy.accounting import Spending
from leadapron.privacy.poisson_sampling import Units
from leadapron.privacy.secret_noise import SeededNoise
from privacy_audits import gaussian_audit, one_run_epsilon

CANARIES, WIDTH, DELTA = 1000, 128, 1e-5
SIGMA, RATE, EPOCHS, STEPS = 4.0, 0.25, 5, 8


def canary_run(clip, sigma, seed=0):
    """Pairs whose image and text have nothing to do with each other, each in the training set by a coin.

    The attacker scores a pair by how much closer its two sides have come since before training.
    """
    rng = np.random.default_rng(seed)
    features = {side: rng.standard_normal((CANARIES, WIDTH)).astype(np.float32) for side in ("image", "text")}
    inside = rng.random(CANARIES) < 0.5
    members = np.flatnonzero(inside)
    bank = Bank(*(rng.standard_normal((128, WIDTH)).astype(np.float32) for _ in range(2)), "test")
    network = Network(fresh_heads("linear", WIDTH, WIDTH, 64, seed))

    def agreement():
        sides = [network.embed(side, torch.from_numpy(rows)) for side, rows in features.items()]
        return (sides[0] * sides[1]).sum(1).numpy()

    before = agreement()
    units = Units("record", members, np.arange(len(members) + 1))
    recipe = Recipe(EPOCHS, STEPS, int(RATE * len(members)), RATE, clip, sigma, learning_rate=3e-3)
    with torch_threads(1):
        train(network, Pairs(features, units), AgainstBank(bank, 0.1), recipe, SeededNoise(seed))
    return agreement() - before, inside


@pytest.fixture(scope="module")
def claimed():
    return Spending(SIGMA, RATE, EPOCHS * STEPS).epsilon(DELTA, 1e-3)


def test_private_training_is_not_flagged(claimed):
    scores, inside = canary_run(1.5, SIGMA)
    assert one_run_epsilon(scores, inside, 200, DELTA) <= claimed


@pytest.mark.parametrize("clip", [None, 1.5])
def test_training_without_noise_is_flagged(clip, claimed):
    """If this does not fail the audit, the audit is broken."""
    scores, inside = canary_run(clip, 0.0)
    assert one_run_epsilon(scores, inside, 200, DELTA) > claimed


def test_noise_that_is_far_too_small_is_flagged(claimed):
    scores, inside = canary_run(1.5, SIGMA / 40)
    assert one_run_epsilon(scores, inside, 200, DELTA) > claimed


# ---------------------------------------------------------------- the auditors themselves


def gaussian_scores(mu, count=2000, seed=0):
    rng = np.random.default_rng(seed)
    inside = rng.random(count) < 0.5
    return rng.standard_normal(count) + mu * inside, inside


def test_the_auditors_bound_what_is_there_from_below():
    """Of a Gaussian mechanism with mu 1, whose epsilon at 1e-5 is 4.38, 95 of 100 runs may not disprove that."""
    flagged = np.zeros(2)
    for seed in range(40):
        scores, inside = gaussian_scores(1.0, seed=seed)
        flagged += [gaussian_audit(scores, inside) > 1, one_run_epsilon(scores, inside, 500, 1e-5) > 4.38]
    assert flagged[0] <= 7  # one-sided 95 %: 2 are expected
    assert flagged[1] == 0  # this one is far from tight
    assert 0.85 < np.mean([gaussian_audit(*gaussian_scores(1.0, seed=seed)) for seed in range(10)]) < 1


def test_the_auditors_find_a_mechanism_that_hides_nothing():
    inside = np.random.default_rng(0).random(1000) < 0.5
    assert gaussian_audit(inside.astype(float), inside) == np.inf
    assert one_run_epsilon(inside + np.linspace(0, 0.1, 1000), inside, 400, 1e-5) > 4
    assert one_run_epsilon(np.random.default_rng(1).random(1000), inside, 400, 1e-5) < 0.5
