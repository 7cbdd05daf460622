"""The AUC of a record: by both estimators right, with intervals that cover, and a word on which to trust."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from leadapron.attacks.membership import error_with, models_needed
from leadapron.attacks.membership.binormal import binormal
from leadapron.attacks.membership.normality import normality_p
from leadapron.attacks.membership.rank_aucs import rank_auc
from leadapron.attacks.membership.records import record_risks
from leadapron.attacks.membership.signal_moments import describe
from leadapron.errors import ConfigError
from membership_data import drawn, signals_of, slow_auc

STUDIES = 4000


def sampled(auc, models=200, studies=STUDIES, seed=0, ratio=1.0):
    """Studies by models: Gaussian signals whose AUC is as given, the first half without the record."""
    rng = np.random.default_rng(seed)
    members = np.zeros((studies, models), dtype=bool)
    members[:, models // 2 :] = True
    noise = rng.normal(size=(studies, models)) * np.where(members, ratio, 1.0)
    return noise + members * stats.norm.ppf(auc) * np.hypot(1, ratio), members


def moments(values, members):
    return describe(values, members, np.ones(values.shape[1], dtype=bool))


@pytest.mark.parametrize("auc", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_probit_intervals_cover_at_their_nominal_rate(auc, ratio):
    found = binormal(moments(*sampled(auc, ratio=ratio)))
    covered = ((found.low <= auc) & (auc <= found.high)).mean()
    assert covered == pytest.approx(0.95, abs=0.013)
    assert found.sd.mean() == pytest.approx(found.value.std(), rel=0.08)
    assert found.value.mean() == pytest.approx(auc, abs=0.002)


@pytest.mark.parametrize("auc", [0.5, 0.9, 0.99])
def test_intervals_by_ranks_cover_near_their_nominal_rate(auc):
    found = rank_auc(*sampled(auc, seed=1))
    assert 0.92 <= ((found.low <= auc) & (auc <= found.high)).mean() <= 0.985


def test_ranks_are_those_of_every_pair_compared():
    rng = np.random.default_rng(2)
    values = rng.integers(0, 9, (30, 21)).astype(np.float32)
    members = rng.random((30, 21)) < 0.4
    members[:, 0], members[:, 1] = True, False
    found = rank_auc(values, members)
    for row, inside, auc in zip(values, members, found.value, strict=True):
        assert auc == pytest.approx(slow_auc(row[inside], row[~inside]), abs=1e-9)


def test_normality_is_scipys_test_of_both_sides():
    values, members = sampled(0.7, models=80, studies=20)
    p = normality_p(moments(values, members))
    for row, inside, found in zip(values, members, p, strict=True):
        both = stats.normaltest(row[inside]).statistic + stats.normaltest(row[~inside]).statistic
        assert found == pytest.approx(stats.chi2.sf(both, 4))
    assert np.isnan(normality_p(moments(*sampled(0.7, models=20, studies=3)))).all()


def test_gaussian_signals_are_left_alone_and_others_are_told():
    fine = normality_p(moments(*sampled(0.8, seed=3))) < 0.01
    assert fine.mean() < 0.03
    rng = np.random.default_rng(4)
    heavy = rng.standard_t(3, size=(500, 200)) + np.arange(200) // 100 * 1.3
    members = np.tile(np.arange(200) >= 100, (500, 1))
    found = moments(heavy, members)
    assert (normality_p(found) < 0.01).mean() > 0.9
    # where tails are heavy the bi-normal AUC understates, and ranks do not
    truth = (rng.standard_t(3, size=10**6) + 1.3 > rng.standard_t(3, size=10**6)).mean()
    assert binormal(found).value.mean() < truth - 0.02
    assert rank_auc(heavy, members).value.mean() == pytest.approx(truth, abs=0.02)


def test_records_are_measured_alike_in_any_order_and_block(monkeypatch):
    from leadapron.attacks.membership import signals as module

    values, members, who = drawn(60, 24, shift=1.0, bernoulli=False)
    whole = record_risks(signals_of(values, members, who))
    shuffle = np.random.default_rng(0).permutation(len(who))
    monkeypatch.setattr(module, "AT_ONCE", 24 * 10)
    mixed = record_risks(signals_of(values[:, shuffle], members[:, shuffle], who[shuffle]))
    np.testing.assert_allclose(mixed.gaussian.value, whole.gaussian.value[shuffle])
    np.testing.assert_allclose(mixed.ranked.low, whole.ranked.low[shuffle])


def test_null_records_sit_at_chance():
    found = record_risks(signals_of(*drawn(1500, 64, seed=6, images=1)))
    assert found.gaussian.value.mean() == pytest.approx(0.5, abs=0.006)
    assert found.ranked.value.mean() == pytest.approx(0.5, abs=0.006)
    for auc in (found.gaussian, found.ranked):
        assert ((auc.low <= 0.5) & (auc.high >= 0.5)).mean() == pytest.approx(0.95, abs=0.02)


def test_signals_that_never_vary_have_an_auc():
    values = np.array([[1.0] * 8, [0.0] * 4 + [1.0] * 4])
    members = np.tile(np.arange(8) >= 4, (2, 1))
    assert binormal(moments(values, members)).value.tolist() == [0.5, 1.0]
    assert rank_auc(values, members).value[1] > 0.95


def test_the_plan_is_met():
    """As many models as planned give that error, and a few fewer do not."""
    models = models_needed(0.95, 0.01)
    assert error_with(models, 0.95) <= 0.01 < error_with(models - 2, 0.95)
    found = binormal(moments(*sampled(0.95, models=models, studies=2000, seed=7)))
    assert found.value.std() == pytest.approx(0.01, rel=0.06)
    assert error_with(200, 0.5) == pytest.approx(0.0399, abs=1e-4)
    for wrong in ((1.0, 0.01), (0.9, 0.0), (0.4, 0.1), (0.5, 1e-9)):
        with pytest.raises(ConfigError):
            models_needed(*wrong)
