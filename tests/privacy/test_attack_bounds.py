"""One Gaussian curve and one bound by pairs (ε, δ), each against the slow formula that it stands for."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from leadapron.privacy import (
    auc_bound,
    bound_of_guarantee,
    gaussian_auc,
    gaussian_bound,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_mu,
    rate_bound,
)

MUS = (0.2, 1.0, 3.0)
RATES = (0.001, 0.05, 0.3, 0.9)


def best_test(mu, rate, draws=200_001):
    """The chance of the likeliest points of N(mu, 1) that have mass ``rate`` together under N(0, 1), summed up."""
    places = np.linspace(-12, 12 + mu, draws)
    without, within = (stats.norm.pdf(places, centre) * (places[1] - places[0]) for centre in (0, mu))
    order = np.argsort(-within / without, kind="stable")
    return np.interp(rate, np.cumsum(without[order]), np.cumsum(within[order]))


@pytest.mark.parametrize("mu", MUS)
def test_the_gaussian_curve_is_what_the_best_test_reaches(mu):
    for rate in RATES:
        assert gaussian_bound(rate, mu) == pytest.approx(best_test(mu, rate), abs=1e-3)
    rates = (np.arange(20_000) + 0.5) / 20_000
    assert gaussian_auc(mu) == pytest.approx(np.mean([gaussian_bound(rate, mu) for rate in rates]), abs=1e-4)


@pytest.mark.parametrize("mu", MUS)
def test_delta_epsilon_and_mu_are_three_readings_of_one_curve(mu):
    """A delta is the most by which the chance of an event exceeds e^ε times its chance without the unit."""
    rates = stats.norm.cdf(np.linspace(-12, 12, 4001))
    for epsilon in (0.1, 1.0, 4.0):
        slow = max(gaussian_bound(rate, mu) - math.exp(epsilon) * rate for rate in rates)
        delta = gaussian_delta(epsilon, mu, 1.0)
        assert delta == pytest.approx(max(slow, 0.0), abs=1e-5)
        if delta > 1e-12:
            assert gaussian_mu(epsilon, delta) == pytest.approx(mu, rel=1e-6)
            assert gaussian_epsilon(delta, mu, 1.0) == pytest.approx(epsilon, rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 8.0, 40.0, 800.0, 2000.0])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.3])
def test_one_pair_is_bounded_in_closed_form(epsilon, delta):
    growth = math.exp(min(epsilon, 700.0))
    assert auc_bound(epsilon, delta) == pytest.approx(1 - (1 - delta) ** 2 / (1 + growth), abs=1e-14)
    for rate in (0.0, *RATES, 1.0):
        slow = min(growth * rate + delta, 1 - (1 - rate - delta) / growth, 1.0) if epsilon < 700 else 1.0
        assert rate_bound(rate, epsilon, delta) == pytest.approx(slow, abs=1e-14)


def test_the_tightest_line_of_a_guarantee_counts():
    """At epsilon 3 the growing line allows everything for pairs that are linked 3 times in 10 when left out."""
    pair = {"epsilon": 3.0, "delta": 1e-5, "details": {}}
    assert bound_of_guarantee(pair, 0.3) == pytest.approx(1 - math.exp(-3) * (0.7 - 1e-5))
    assert bound_of_guarantee(pair, 0.001) == pytest.approx(math.exp(3) * 0.001 + 1e-5)
    with_mu = {**pair, "details": {"mu": 0.5}}
    assert bound_of_guarantee(with_mu, 0.3) == pytest.approx(gaussian_bound(0.3, 0.5) + 1e-9)
    assert bound_of_guarantee({"epsilon": None, "details": {}}, 0.3) is None
    assert bound_of_guarantee({}, 0.3) is None
