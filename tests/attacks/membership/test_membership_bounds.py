"""What differential privacy promises about membership: closed forms, whole profiles, patients with several records."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from leadapron.attacks.membership.beyond_promise import beyond
from leadapron.attacks.membership.binormal import Auc
from leadapron.errors import ConfigError
from leadapron.privacy import Promise, Spending, auc_bound, gaussian_auc, gaussian_bound, gaussian_mu, rate_bound
from leadapron.privacy.bounds import of_several

DELTA = 1e-5
KNOWN = [
    (0.1, 0.524989, 0.0325, 0.509173),
    (1, 0.731064, 0.2681, 0.575165),
    (2, 0.880799, 0.5016, 0.638574),
    (5, 0.993307, 1.1212, 0.786064),
    (8, 0.999665, 1.6660, 0.880614),
    (10, 0.999955, 2.0004, 0.921397),
]


@pytest.mark.parametrize(("epsilon", "closed", "mu", "gaussian"), KNOWN)
def test_known_values(epsilon, closed, mu, gaussian):
    assert round(auc_bound(epsilon, DELTA), 6) == closed
    assert round(auc_bound(np.array([epsilon]), np.array([DELTA])), 6) == closed
    assert round(gaussian_mu(epsilon, DELTA), 4) == mu
    assert round(gaussian_auc(gaussian_mu(epsilon, DELTA)), 6) == gaussian


def gaussian_profile(mu, points=3000):
    epsilons = np.linspace(0, 6 * mu + mu**2, points)
    return epsilons, ndtr(mu / 2 - epsilons / mu) - np.exp(epsilons) * ndtr(-mu / 2 - epsilons / mu)


@pytest.mark.parametrize("mu", [0.3, 1.0, 2.5])
def test_the_profile_of_a_gaussian_gives_the_gaussians_bounds(mu):
    profile = gaussian_profile(mu)
    exact = gaussian_auc(mu)
    assert exact <= auc_bound(*profile) <= exact + 1e-5
    for fpr in (1e-4, 1e-2, 0.3):
        exact = gaussian_bound(fpr, mu)
        assert exact - 1e-12 <= rate_bound(fpr, *profile) <= exact + 1e-4


def test_the_area_is_that_of_the_lowest_line_summed_up():
    epsilons, deltas = np.array([0.0, 0.5, 1.5, 4.0]), np.array([0.3, 0.1, 0.02, 1e-4])
    grid = (np.arange(200_000) + 0.5) / 200_000
    lowest = np.ones_like(grid)
    for epsilon, delta in zip(epsilons, deltas, strict=True):
        lowest = np.minimum(lowest, math.exp(epsilon) * grid + delta)
        lowest = np.minimum(lowest, 1 - math.exp(-epsilon) * (1 - delta - grid))
    assert auc_bound(epsilons, deltas) == pytest.approx(lowest.mean(), abs=1e-9)
    assert rate_bound(grid[777], epsilons, deltas) == pytest.approx(lowest[777])


def test_private_training_is_bounded_by_its_whole_profile():
    pytest.importorskip("dp_accounting")
    for noise, rate, known in ((1.0, 0.01, 0.6149), (2.0, 0.04, 0.6825)):
        profile = map(np.array, Spending(noise, rate, 1000).profile(1e-3))
        assert auc_bound(*profile) == pytest.approx(known, abs=1e-4)


def test_a_patient_with_several_records_is_promised_less():
    epsilon, delta = of_several(1.0, DELTA, 3)
    assert epsilon == 3
    assert delta == pytest.approx(DELTA * (math.exp(3) - 1) / (math.e - 1))
    assert of_several(1.0, DELTA, 1) == (1.0, DELTA)
    assert of_several(50.0, DELTA, 40) == (2000.0, 1.0)
    assert Promise((1.0,), (DELTA,)).auc(3) == pytest.approx(auc_bound(epsilon, delta))
    assert Promise(mu=0.5).auc(4) == gaussian_auc(2.0)
    assert Promise(mu=0.5).tpr(0.01, 2) == gaussian_bound(0.01, 1.0)
    assert Promise((50.0,), (DELTA,)).auc(40) == 1.0
    for whole in (Promise(mu=0.5, unit="patient"), Promise((1.0,), (DELTA,), unit="patient")):
        assert whole.auc(7) == whole.auc(1), "all records of a patient are one unit"
        assert whole.tpr(0.01, 7) == whole.tpr(0.01, 1)
    several = [Promise(*map(tuple, gaussian_profile(0.5, 300))).auc(count) for count in (1, 2, 3)]
    assert several == sorted(several)


def test_those_beyond_the_bound_are_counted_and_chance_is_not_taken_for_a_breach():
    """A thousand patients right at the bound: half of the estimates are above it, none surely."""
    rng = np.random.default_rng(0)
    promise = Promise((1.0,), (DELTA,))
    error = np.full(1000, 0.1)
    distance = ndtri(promise.auc()) + error * rng.normal(size=1000)
    distance[:12] += 1.5
    found = beyond(promise, Auc(distance, error), Auc(distance, error), ndtr(distance), np.full(1000, 2))
    assert found.auc_bound_record == pytest.approx(0.731064, abs=1e-6)
    assert 400 < found.records.above < 600
    assert found.records.surely_above == 12
    assert found.patients.above < 20  # who has two records is promised less
    assert found.patients_by_record_bound == found.records
    assert found.tpr_bound_patient["2"]["0.01"] == promise.tpr(0.01, 2) > found.tpr_bound_record["0.01"]
    assert found.compared["auc_by_pair"] == pytest.approx(0.731064, abs=1e-6)
    assert found.compared["auc_as_gaussian"] == pytest.approx(0.575165, abs=1e-6)


def test_of_a_whole_profile_one_pair_is_held_against_it():
    epsilons, deltas = gaussian_profile(0.5, 300)
    compared = Promise(tuple(epsilons), tuple(deltas)).compared()
    assert compared["delta"] <= DELTA < deltas[list(epsilons).index(compared["epsilon"]) - 1]
    whole = auc_bound(epsilons, deltas)
    assert compared["auc_by_pair"] > whole, "a single pair bounds less"
    assert compared["auc_as_gaussian"] == pytest.approx(gaussian_auc(0.5), abs=0.01)


@pytest.mark.parametrize("wrong", [{}, {"mu": -1.0}, {"epsilons": (1.0,), "deltas": (2.0,)}, {"epsilons": (1.0,)}])
def test_what_is_no_promise_is_refused(wrong):
    with pytest.raises(ConfigError):
        Promise(**wrong)
