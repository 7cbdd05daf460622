"""Scores: every fast path against the slow, obvious one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from leadapron.attacks.membership import lira, rmia
from leadapron.attacks.membership.membership_roc import aucs
from leadapron.attacks.membership.references import gather
from leadapron.attacks.membership.shifts import shrunk_means
from leadapron.attacks.membership.signal_moments import Moments, describe
from leadapron.attacks.membership.variances import shrunk_variances
from membership_data import drawn, masks, signals_of, slow_auc

REFERENCES, TARGETS = np.arange(18), np.arange(18, 20)


@pytest.fixture(scope="module")
def small():
    values, members, who = drawn(30, 20, shift=0.8, bernoulli=True, seed=5)
    fine = (members.sum(axis=0) > 0) & (members.sum(axis=0) < 20)
    return values[:, fine], members[:, fine], who[fine]


@pytest.fixture(scope="module")
def gathered(small):
    return gather(signals_of(*small), REFERENCES, TARGETS)


def by_side(values, members, record):
    mask = members[REFERENCES, record]
    return values[REFERENCES, record][~mask], values[REFERENCES, record][mask]


def test_moments_are_those_of_scipy(small, gathered):
    values, members, _ = small
    for record in range(values.shape[1]):
        for side, own in enumerate(by_side(values, members, record)):
            assert gathered.moments.count[record, side] == len(own)
            assert gathered.moments.mean[record, side] == pytest.approx(own.mean())
            assert gathered.moments.variance[record, side] == pytest.approx(own.var(ddof=1))
            assert gathered.moments.skewness[record, side] == pytest.approx(stats.skew(own), abs=1e-9)
            assert gathered.moments.kurtosis[record, side] == pytest.approx(stats.kurtosis(own, fisher=False))


def test_lira_is_the_likelihood_ratio_of_two_gaussians(small, gathered):
    values, members, _ = small
    online, offline = lira.online(gathered), lira.offline(gathered)
    variance = shrunk_variances(gathered.moments)
    mean = shrunk_means(gathered.moments, variance)
    for record in range(0, values.shape[1], 7):
        out, _ = by_side(values, members, record)
        for column, target in enumerate(TARGETS):
            answer = values[target, record]
            ratio = stats.norm.logpdf(answer, mean[record, 1], variance[record, 1] ** 0.5)
            ratio -= stats.norm.logpdf(answer, mean[record, 0], variance[record, 0] ** 0.5)
            assert online[record, column] == pytest.approx(ratio)
            tail = stats.norm.logcdf(answer, out.mean(), variance[record, 0] ** 0.5)
            assert stats.norm.logcdf(offline[record, column]) == pytest.approx(tail)


def test_offline_lira_points_the_right_way_and_has_one_side():
    """Members are surer; an answer far below is no member's."""
    values, members, who = drawn(400, 40, shift=1.0)
    found = gather(signals_of(values, members, who), np.arange(36), np.arange(36, 40))
    one_sided = aucs(lira.offline(found), found.truth).mean()
    two_sided = aucs(lira.offline(found) ** 2, found.truth).mean()
    assert one_sided > 0.7
    assert one_sided > two_sided + 0.05


def test_rmia_counts_the_records_that_are_beaten(small, gathered):
    values, members, _ = small
    p = 1 / (1 + np.exp(-values))
    slope = 0.3
    scores = {"online": rmia.online(gathered), "offline": rmia.offline(gathered, slope)}
    for column, target in enumerate(TARGETS):
        usual = {"online": [], "offline": []}
        for record in range(values.shape[1]):
            out, into = by_side(p, members, record)
            usual["online"].append((out.mean() + into.mean()) / 2)
            usual["offline"].append(((1 + slope) * out.mean() + 1 - slope) / 2)
        for name, score in scores.items():
            ratio = p[target] / np.array(usual[name])
            beaten = [np.mean(ratio[record] / ratio >= 1) for record in range(values.shape[1])]
            np.testing.assert_allclose(score[:, column], beaten, atol=1.01 / len(ratio))


def test_gamma_changes_nobodys_place():
    ratio = np.random.default_rng(0).gamma(2.0, size=(500, 1))
    truth = np.random.default_rng(1).random((500, 1)) < 0.5
    exact = aucs(ratio, truth)[0]
    assert aucs(rmia.placed(ratio), truth)[0] == pytest.approx(exact)
    order = np.argsort(ratio[:, 0])
    assert (np.diff(rmia.placed(ratio, gamma=2.0)[order, 0]) >= 0).all()


def test_the_slope_is_chosen_without_the_targets_truth():
    values, members, who = drawn(200, 24, shift=0.5)
    references = np.arange(20)
    chosen = rmia.tuned_slope(signals_of(values, members, who), references, seed=0)
    other = members.copy()
    other[20:] = ~other[20:]
    assert rmia.tuned_slope(signals_of(values, other, who), references, seed=0) == chosen
    assert chosen in rmia.GRID


def test_shrinking_beats_both_a_variance_a_record_and_one_for_all():
    """Few models, scales that differ, members that vary more than others."""
    rng = np.random.default_rng(2)
    records, per_side = 4000, 6
    scale = np.exp(0.5 * rng.normal(size=records))
    samples = scale[:, None, None] * rng.normal(size=(records, 2, per_side)) * np.array([1.0, 1.5])[:, None]
    moments = moments_of(samples)
    truth = np.log(np.stack([scale**2, 2.25 * scale**2], axis=1))

    def miss(variance):
        return float(((np.log(variance) - truth) ** 2).mean())

    shrunk = miss(shrunk_variances(moments))
    assert shrunk < 0.6 * miss(moments.variance)
    assert shrunk < 0.6 * miss(np.exp(np.log(moments.variance).mean(axis=0)) * np.ones((records, 2)))


def test_with_many_models_a_record_keeps_its_own_variances():
    rng = np.random.default_rng(3)
    scale = np.exp(0.5 * rng.normal(size=(500, 2)))
    moments = moments_of(scale[:, :, None] * rng.normal(size=(500, 2, 400)))
    np.testing.assert_allclose(shrunk_variances(moments), moments.variance, rtol=0.1)


def test_where_records_do_not_differ_they_share_one_variance():
    moments = moments_of(np.random.default_rng(4).normal(size=(3000, 2, 5)))
    assert np.log(shrunk_variances(moments)).std() < 0.1


def moments_of(samples):
    count = np.full(samples.shape[:2], float(samples.shape[2]))
    return Moments(count, samples.mean(axis=2), samples.var(axis=2, ddof=1), 0 * count, 0 * count)


def test_a_side_without_references_takes_the_others_mean_and_the_usual_difference():
    rng = np.random.default_rng(9)
    values = rng.normal(size=(300, 40))
    members = np.tile(np.arange(40) >= 20, (300, 1))
    values[members] += 2.0
    members[0] = False
    members[1] = True
    moments = describe(values, members, np.ones(40, dtype=bool))
    mean = shrunk_means(moments, shrunk_variances(moments))
    assert mean[0, 0] == pytest.approx(values[0].mean())
    assert mean[1, 1] == pytest.approx(values[1].mean())
    np.testing.assert_allclose(mean[:2, 1] - mean[:2, 0], 2.0, rtol=0.25)
    assert (lira.standing(values[:, :3], moments)[1] == 0).all()


@pytest.mark.parametrize("per_side", [6, 100])
def test_shrunk_differences_are_nearer_the_truth_and_the_memorised_keep_theirs(per_side):
    rng = np.random.default_rng(10)
    shift = np.where(rng.random(4000) < 0.02, 4.0, 0.1)
    samples = rng.normal(size=(4000, 2, per_side))
    samples[:, 1] += shift[:, None]
    moments = moments_of(samples)
    mean = shrunk_means(moments, np.ones((4000, 2)))
    raw, shrunk = moments.mean[:, 1] - moments.mean[:, 0], mean[:, 1] - mean[:, 0]
    assert ((shrunk - shift) ** 2).mean() < 0.5 * ((raw - shift) ** 2).mean()
    assert shrunk[shift > 1].mean() == pytest.approx(4.0, abs=0.15)


def test_shrinking_beats_plain_estimates_as_an_attack():
    """Sixteen references, few records memorised."""
    rng = np.random.default_rng(11)
    scale = np.exp(0.35 * rng.normal(size=6000))
    members = rng.random((6000, 20)) < 0.5
    values = scale[:, None] * (rng.normal(size=(6000, 20)) + members * rng.gamma(0.25, size=(6000, 1)))
    moments = describe(values, members, np.arange(20) < 16)
    fine = moments.count.min(axis=1) >= 2
    out, into = (
        stats.norm.logpdf(values[fine, 16:], moments.mean[fine, side, None], moments.variance[fine, side, None] ** 0.5)
        for side in (0, 1)
    )
    plain = aucs(into - out, members[fine, 16:]).mean()
    ours = aucs(lira.log_ratio(values[:, 16:], moments)[fine], members[fine, 16:]).mean()
    assert ours > plain + 0.01


@pytest.fixture(scope="module")
def many_labels():
    """Labels that vary together, with the leak in what they do not share: only their joint distribution shows it."""
    rng = np.random.default_rng(6)
    models, patients, labels = 60, 400, 3
    into = masks(models, patients, rng)
    noise = 0.95 * rng.normal(size=(models, patients, 1)) + 0.3 * rng.normal(size=(models, patients, labels))
    y = rng.integers(0, 2, (patients, labels))
    logits = (2 * y - 1) * (noise + into[:, :, None] * np.array([0.35, -0.1, -0.1]) + 1)
    columns = {f"label_{at}": y[:, at] for at in range(labels)}
    signals = signals_of(logits, into, np.arange(patients), logits=True, **columns)
    return gather(signals, np.arange(50), np.arange(50, 60)), logits * (2 * y - 1)


def test_labels_as_one_gaussian_are_scipys(many_labels):
    found, values = many_labels
    scores = lira.online_joint(found)
    variance = shrunk_variances(found.label_moments)
    means = shrunk_means(found.label_moments, variance).reshape(400, 3, 2)
    variance = variance.reshape(400, 3, 2)
    correlation = lira._shrunk_correlation(found.crossed, found.moments.count.sum(axis=1))  # noqa: SLF001
    for record in (0, 17, 399):
        likelihood = []
        for side in (0, 1):
            s = np.sqrt(variance[record, :, side])
            likelihood.append(stats.multivariate_normal(means[record, :, side], correlation[record] * s[:, None] * s))
        for column, target in enumerate(range(50, 60)):
            x = values[target, record]
            assert scores[record, column] == pytest.approx(likelihood[1].logpdf(x) - likelihood[0].logpdf(x), abs=1e-6)


def test_the_joint_attack_on_labels_sees_what_their_sum_does_not(many_labels):
    found, _ = many_labels
    joint, apart, added = (
        aucs(attack(found), found.truth).mean() for attack in (lira.online_joint, lira.online_per_label, lira.online)
    )
    assert joint > 0.7
    assert joint > apart + 0.05
    assert added < 0.6


def test_an_unknown_label_says_nothing():
    rng = np.random.default_rng(7)
    logits, into = rng.normal(size=(20, 6, 2)), masks(20, 6, rng)
    known = signals_of(logits[:, :, :1], into, np.arange(6), logits=True, label_a=[1] * 6)
    with_unknown = signals_of(logits, into, np.arange(6), logits=True, label_a=[1] * 6, label_b=[None] * 6)
    first, second = (gather(signals, np.arange(16), np.arange(16, 20)) for signals in (known, with_unknown))
    np.testing.assert_allclose(lira.online(first), lira.online(second))
    per_label = lira.online_per_label(second)
    assert np.isfinite(per_label).all()
    assert np.isfinite(lira.online_joint(second)).all()


def test_an_auc_counts_ties_half():
    rng = np.random.default_rng(8)
    scores, truth = rng.integers(0, 4, (40, 3)).astype(float), rng.random((40, 3)) < 0.5
    for column, value in enumerate(aucs(scores, truth)):
        assert value == pytest.approx(slow_auc(scores[truth[:, column], column], scores[~truth[:, column], column]))
