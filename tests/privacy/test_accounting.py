"""Epsilon: the figures of independent accountants, and options that make no sense refused."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import integrate, stats

from leadapron.errors import ConfigError
from leadapron.privacy.accounting import Spending, check_delta, sigma_by_rdp, solve_sigma
from leadapron.privacy.bounds import LinkageBound, bound_linkage, rate_bound
from leadapron.privacy.gaussian import gaussian_bound, gaussian_deltas

RECORDS = {"rate": 128 / 153_255, "steps": 5990}
# sigma: epsilon at delta 6e-6 by Opacus' Rényi accountant, Google's, and Google's privacy loss distribution (1e-4)
BY_RECORD = {0.6: (2.966, 2.024), 0.8: (1.289, 0.535), 1.0: (0.757, 0.312), 1.2: (0.485, 0.228), 2.0: (0.162, 0.113)}
# batch, steps: sigma: epsilon of 44,510 patients at delta 1e-5, Rényi and privacy loss distribution (1e-3)
BY_PATIENT = {
    (128, 1740): {0.6: (4.25, 3.35), 0.8: (1.76, 1.13), 1.0: (0.98, 0.62), 1.2: (0.65, 0.45), 2.0: (0.25, 0.22)},
    (128, 5990): {0.6: (5.88, 4.96), 0.8: (2.35, 1.92), 1.0: (1.35, 1.16), 1.2: (0.95, 0.85), 2.0: (0.46, 0.43)},
    (512, 435): {0.6: (7.36, 6.17), 0.8: (3.19, 2.60), 1.0: (1.78, 1.45), 1.2: (1.19, 1.00), 2.0: (0.52, 0.47)},
    (512, 1500): {0.6: (11.4, 9.99), 0.8: (4.94, 4.35), 1.0: (2.90, 2.61), 1.2: (2.06, 1.87), 2.0: (0.99, 0.90)},
}


def three_digits(value):
    return float(f"{value:.3g}")


@pytest.mark.parametrize("sigma", BY_RECORD)
def test_epsilon_of_records(sigma):
    spending = Spending(sigma, **RECORDS)
    by_rdp, by_pld = BY_RECORD[sigma]
    assert spending.epsilon_rdp(6e-6) == pytest.approx(by_rdp, abs=6e-4)
    assert spending.epsilon(6e-6) == pytest.approx(by_pld, abs=6e-4)


@pytest.mark.parametrize(("batch", "steps"), BY_PATIENT)
def test_epsilon_of_patients(batch, steps):
    for sigma, (by_rdp, by_pld) in BY_PATIENT[batch, steps].items():
        spending = Spending(sigma, batch / 44_510, steps)
        assert three_digits(spending.epsilon_rdp(1e-5)) == pytest.approx(by_rdp, rel=0.005, abs=0.0051)
        assert three_digits(spending.epsilon(1e-5, 1e-3)) == pytest.approx(by_pld, rel=0.005, abs=0.0051)


def test_rdp_is_that_of_opacus():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        accountants = pytest.importorskip("opacus.accountants", reason="opacus, the oracle, is not installed")
    for sigma, rate, steps in ((1.0, 0.01, 500), (2.0, 0.1, 60)):
        theirs = accountants.RDPAccountant()
        theirs.history = [(sigma, rate, steps)]
        prv = accountants.PRVAccountant()
        prv.history = [(sigma, rate, steps)]
        ours = Spending(sigma, rate, steps)
        assert ours.epsilon_rdp(1e-5) == pytest.approx(theirs.get_epsilon(1e-5), rel=2e-3)
        assert ours.epsilon(1e-5) == pytest.approx(prv.get_epsilon(1e-5), abs=0.015)
        assert ours.epsilon(1e-5) < ours.epsilon_rdp(1e-5)


def test_one_gaussian_costs_what_its_formula_says():
    spending = Spending(0.0, 1.0, 0, before=(2.0,))
    epsilons = np.array([0.1, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(spending.deltas(epsilons), gaussian_deltas(0.5, epsilons), rtol=2e-3)


def test_what_is_spent_before_is_added_like_a_step():
    """Three Gaussians before and five full steps are eight Gaussians."""
    together = Spending(4.0, 1.0, 5, before=(4.0,) * 3).epsilon(1e-5)
    assert together == pytest.approx(Spending(4.0, 1.0, 8).epsilon(1e-5), abs=1e-3)
    assert together == pytest.approx(Spending(4.0 / math.sqrt(8), 1.0, 1).epsilon(1e-5), abs=1e-3)


FOR_EPSILON_1 = {128: 0.692, 512: 0.871, 2048: 1.293, 8192: 2.282}
"""Batch of 153,255 records in 5 epochs: the sigma that gives epsilon 1 at delta 6e-6."""


def five_epochs(batch, sigma=0.0):
    return Spending(sigma, batch / 153_255, 5 * math.ceil(153_255 / batch))


@pytest.mark.parametrize("batch", [128, 512])
def test_a_little_less_noise_would_exceed_epsilon(batch):
    sigma = FOR_EPSILON_1[batch]
    assert five_epochs(batch, sigma + 0.001).epsilon(6e-6) <= 1.0 < five_epochs(batch, sigma - 0.001).epsilon(6e-6)


@pytest.mark.parametrize("batch", [2048, 8192])
def test_sigma_for_an_epsilon(batch):
    solved = solve_sigma(five_epochs(batch), 1.0, 6e-6)
    assert solved.sigma == pytest.approx(FOR_EPSILON_1[batch], rel=2e-3)
    assert 0.997 < solved.epsilon(6e-6) <= 1.0


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 40.0])
def test_solved_noise_keeps_epsilon_and_no_more(epsilon):
    open_ = Spending(0.0, 0.1, 30, before=(300.0,))
    solved = solve_sigma(open_, epsilon, 1e-4)
    assert epsilon * 0.99 < solved.epsilon(1e-4, 1e-4 * max(1, epsilon)) <= epsilon
    assert (solved.rate, solved.steps, solved.before) == (open_.rate, open_.steps, open_.before)


def test_noise_is_never_less_than_the_name_is_worth():
    assert solve_sigma(Spending(0.0, 0.001, 1), 50.0, 1e-4).sigma == 0.3


def test_the_published_way_of_solving_reaches_the_claim():
    spending = Spending(0.0, **RECORDS)
    sigma = sigma_by_rdp(spending, 0.757, 6e-6)
    assert sigma == pytest.approx(1.0, rel=2e-3)


@pytest.mark.parametrize(
    ("epsilon", "before", "words"),
    [
        (0.0, (), "not an epsilon"),
        (-1.0, (), "not an epsilon"),
        (math.nan, (), "not an epsilon"),
        (1e-6, (), "cannot be reached"),
        (0.1, (5.0,), "cannot be reached"),
    ],
)
def test_an_epsilon_that_cannot_be_reached_is_refused(epsilon, before, words):
    with pytest.raises(ConfigError, match=words) as refused:
        solve_sigma(Spending(0.0, 0.2, 100, before=before), epsilon, 1e-4)
    assert "--epsilon" in str(refused.value)


def test_delta_must_not_exceed_one_over_the_patients():
    assert check_delta(None, 44_510, "patient") == 1e-5
    assert check_delta(None, 100, "patient") == 1e-5
    assert check_delta(None, 1_000_000, "patient") == 5e-7
    assert check_delta(1e-3, 1000, "patient") == 1e-3
    for wrong in (1.1e-3, 0.0, -1e-9, 1.0):
        with pytest.raises(ConfigError, match="1 / patients"):
            check_delta(wrong, 1000, "patient")


def test_the_gaussian_profile_is_the_integral_it_stands_for():
    """The hockey-stick divergence between N(mu, 1) and N(0, 1), by brute force."""
    for mu, epsilon in ((0.3, 0.2), (1.0, 1.0), (2.5, 0.1)):

        def excess(x, mu=mu, epsilon=epsilon):
            return max(stats.norm.pdf(x - mu) - math.exp(epsilon) * stats.norm.pdf(x), 0)

        slow = integrate.quad(excess, -10, 15, limit=400, points=[epsilon / mu + mu / 2])[0]
        assert gaussian_deltas(mu, np.array([epsilon]))[0] == pytest.approx(slow, abs=1e-6)


@pytest.mark.parametrize("left_out", [0.001, 0.02, 0.3, 0.9])
def test_for_a_gaussian_the_bound_is_met_by_the_best_test(left_out):
    """No sampling: the profile is a Gaussian's, and the most powerful event reaches Φ(Φ⁻¹(left out) + mu)."""
    bound = bound_linkage(Spending(2.0, 1.0, 3), 1e-5)
    mu = math.sqrt(3) / 2
    reached = gaussian_bound(left_out, mu)
    assert reached - 1e-9 <= bound(left_out) <= reached + 2e-3
    assert mu - 1e-3 <= bound.mu <= mu + 0.03


def test_the_bound_of_a_sampled_run_is_no_looser_than_epsilon_alone_and_no_tighter_than_its_gaussian():
    spending = Spending(2.0, 0.05, 100)
    bound, epsilon = bound_linkage(spending, 1e-5), spending.epsilon(1e-5)
    for left_out in (0.001, 0.01, 0.1, 0.5):
        assert left_out <= bound(left_out) <= rate_bound(left_out, epsilon, 1e-5) + 1e-3
        assert bound(left_out) <= gaussian_bound(left_out, bound.mu) + 2e-3
    assert bound(0.0) < 1e-6
    assert bound(1.0) == 1.0


def test_the_bound_holds_for_averages_over_patients():
    bound = bound_linkage(Spending(2.0, 0.05, 100), 1e-5)
    rates = np.random.default_rng(0).beta(0.2, 2, 200)
    assert np.mean([bound(rate) for rate in rates]) <= bound(float(rates.mean())) + 1e-9


def test_no_privacy_spent_allows_no_excess():
    nothing = LinkageBound(np.array([0.0, 1.0]), np.array([0.0, 0.0]))
    assert nothing(0.3) == 0.3
    assert nothing.mu < 1e-3
