"""Survival: intervals that hold in the tail, and the share of patients whose true risk is there."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from leadapron.attacks.membership.binormal import Auc, error_at
from leadapron.attacks.membership.survival import survival
from leadapron.attacks.membership.true_shares import true_shares


def test_the_interval_is_the_exact_one():
    risk = np.random.default_rng(0).beta(2, 2, 3000)
    for row in survival(risk, np.array([0.5, 0.7, 0.99])).iter_rows(named=True):
        exact = stats.binomtest(row["patients"], 3000).proportion_ci(method="exact")
        assert row["share"] == row["patients"] / 3000
        assert (row["low"], row["high"]) == (pytest.approx(exact.low), pytest.approx(exact.high))


def scattered(patients, seed, models=100):
    """Nine in ten patients bear little risk, one in ten some; what is estimated of them errs."""
    rng = np.random.default_rng(seed)
    exposed = rng.random(patients) < 0.1
    true = np.where(exposed, ndtri(0.85), ndtri(0.52)) + 0.1 * rng.normal(size=patients)
    error = error_at(true, models / 2, models / 2)
    return Auc(true + error * rng.normal(size=patients), error), true


THRESHOLDS = np.array([0.6, 0.65, 0.8])


def share_above(threshold):
    parts = stats.norm.sf((ndtri(threshold) - ndtri(np.array([0.85, 0.52]))) / 0.1)
    return float(np.array([0.1, 0.9]) @ parts)


@pytest.mark.study
def test_scatter_is_taken_out_of_the_share_and_the_interval_covers():
    truth = np.array([share_above(threshold) for threshold in THRESHOLDS])
    covered, naive_covered, shares = np.zeros(3), np.zeros(3), []
    for study in range(40):
        found, _ = scattered(800, study)
        table = true_shares(found, study, THRESHOLDS)
        naive = survival(found.value, THRESHOLDS)
        shares.append(table["share"].to_numpy())
        covered += (table["low"].to_numpy() <= truth) & (truth <= table["high"].to_numpy())
        naive_covered += (naive["low"].to_numpy() <= truth) & (truth <= naive["high"].to_numpy())
    assert naive_covered[0] / 40 < 0.5  # counted as they are, many are beyond 0.6 by scatter alone
    assert (covered / 40 >= 0.85).all()
    np.testing.assert_allclose(np.mean(shares, axis=0), truth, atol=0.03)


def test_where_nobody_bears_a_risk_nobody_is_found_to():
    rng = np.random.default_rng(5)
    error = np.full(3000, 0.2)
    table = true_shares(Auc(error * rng.normal(size=3000), error), 0, np.array([0.6, 0.7, 0.9]))
    assert ndtr(0.2 * 1.5) > 0.6  # so scatter alone takes some of them beyond 0.6
    assert (table["share"].to_numpy() < [0.03, 0.001, 0.001]).all()
    assert (table["high"].to_numpy()[1:] > 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_where_everybody_is_exposed_the_share_is_one_and_not_more(seed):
    distance = 4 + 0.3 * np.random.default_rng(seed).normal(size=50)
    table = true_shares(Auc(distance, np.full(50, 0.2)), 0, np.array([0.5, 0.6, 0.9]))
    assert (table["share"] <= 1).all()
    assert (table["high"] <= 1).all()
    np.testing.assert_allclose(table["share"], 1)
