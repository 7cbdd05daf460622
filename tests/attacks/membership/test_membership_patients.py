"""The risk of a patient: chance does not grow with the number of records, joint attacks are honest."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr

from leadapron.attacks.membership.binormal import Auc
from leadapron.attacks.membership.joint import folds_of, joint_auc
from leadapron.attacks.membership.null_maximum import calibrated, expected_maximum, log_tail
from leadapron.attacks.membership.patient_aucs import patient_risks, starts_of
from leadapron.attacks.membership.records import record_risks
from membership_data import alternating, drawn, signals_of


def risks(*data, seed=0):
    signals = signals_of(*data)
    return patient_risks(signals, record_risks(signals), seed)


@pytest.fixture(scope="module", params=[0.0, 0.5, 0.95])
def null(request):
    """Two thousand patients without any risk, with up to nineteen records each, alike to a degree."""
    return request.param, risks(*drawn(2000, 100, images=10, alike=request.param, seed=11))


def test_the_published_maximum_grows_with_the_number_of_records_and_the_calibrated_one_does_not(null):
    alike, found = null
    few, many = found.records <= 2, found.records >= 12
    if alike < 0.9:
        assert found.maximum[many].mean() > found.maximum[few].mean() + 0.02
    assert abs(found.calibrated[many].mean() - 0.5) < 0.008
    assert abs(found.calibrated[few].mean() - 0.5) < 0.015
    beyond = [np.quantile(found.calibrated[group], 0.95) for group in (few, many)]
    assert beyond[1] == pytest.approx(beyond[0], abs=0.025)


def test_chance_gives_uniform_p_values(null):
    _, found = null
    for level in (0.01, 0.05, 0.2, 0.5):
        error = (level * (1 - level) / len(found.p)) ** 0.5
        assert (found.p <= level).mean() == pytest.approx(level, abs=4 * error + 0.05 * level)
    assert stats.kstest(found.p, "uniform").statistic < 0.045


def test_how_alike_records_are_is_seen(null):
    alike, found = null
    assert found.alike[found.records > 5].mean() == pytest.approx(alike, abs=0.04)


def test_the_joint_attack_finds_nothing_where_there_is_nothing(null):
    """Leaving one model out would give about 0.46 here: its members' own mean is lower without them."""
    _, found = null
    assert found.joint.value.mean() == pytest.approx(0.5, abs=0.006)
    covered = (found.joint.low <= 0.5) & (found.joint.high >= 0.5)
    assert 0.93 <= covered.mean() <= 0.99


def test_leaving_one_model_out_would_be_biased():
    """The bias is real on these data, so its absence above says something."""
    values, members, _ = drawn(1500, 40, images=1, seed=12)
    n_in = members.sum(axis=0)
    total, total_in = values.sum(axis=0), (values * members).sum(axis=0)
    left_in = (total_in - values * members) / (n_in - members)
    left_out = (total - total_in - values * ~members) / (len(values) - n_in - ~members)
    scores = (left_in - left_out) * values - (left_in**2 - left_out**2) / 2
    signals = signals_of(scores, members, np.arange(scores.shape[1]))
    assert record_risks(signals).ranked.value.mean() < 0.48


@pytest.mark.parametrize("shift", [0.5, 2.0])
@pytest.mark.parametrize("models", [64, 200])
def test_joint_intervals_cover_what_the_attack_can_reach(shift, models):
    found = risks(*drawn(600, models, shift=shift, alike=0.3, seed=13))
    best = ndtr(shift * np.sqrt(found.records / (1 + (found.records - 1) * 0.3)) / np.sqrt(2))
    assert found.joint.value.mean() <= best.mean() + 0.005
    assert found.joint.value.mean() > best.mean() - (0.03 if models == 64 else 0.01)
    covered = (found.joint.low <= best) & (found.joint.high >= best)
    assert covered.mean() > 0.87


def test_a_memorised_patient_is_found_among_many():
    shift = np.zeros(500)
    shift[[3, 77]] = 4.0
    found = risks(*drawn(500, 64, shift=shift, seed=14))
    assert set(np.argsort(found.p)[:2]) == {3, 77}
    assert (found.p[[3, 77]] < 1e-6).all()
    for score in (found.calibrated, found.joint.value, found.joint.low):
        assert (score[[3, 77]] > 0.95).all()


def test_one_memorised_record_among_many_is_not_drowned():
    values, members, who = drawn(100, 200, images=10, alike=0.3, seed=15)
    lot = int(np.bincount(who).argmax())
    record = int(np.flatnonzero(who == lot)[2])
    values[:, record] += 3 * values[:, record].std() * members[:, record]
    found = risks(values, members, who)
    assert found.joint.value[lot] > 0.97
    assert found.calibrated[lot] > 0.97


def slow_joint(values, members, folds):
    """One patient, fold by fold, with the matrices written out."""
    gaps, weights, squares = [], [], {True: 0.0, False: 0.0}
    for fold in range(folds.max() + 1):
        learn, tried = folds != fold, folds == fold
        x, m = values[:, learn], members[learn]
        into, out = x[:, m].mean(axis=1), x[:, ~m].mean(axis=1)
        off = np.where(m, x - into[:, None], x - out[:, None])
        dof = len(m) - 2
        spread = np.sqrt((off**2).sum(axis=1) / dof)
        r = (off / spread[:, None]) @ (off / spread[:, None]).T / dof
        apart = ~np.eye(len(r), dtype=bool)
        target = max(r[apart].mean(), 0)
        lam = min(1, ((1 - r[apart] ** 2) ** 2).sum() / dof / max(((r[apart] - target) ** 2).sum(), 1e-300))
        mixed = np.where(apart, lam * target + (1 - lam) * r, 1.001)
        delta = (into - out) / spread
        noise = 1 / m.sum() + 1 / (~m).sum()
        kept = max(0, 1 - (len(delta) - 1) * noise / ((delta - delta.mean()) ** 2).sum())
        delta = delta.mean() + kept * (delta - delta.mean())
        w = np.linalg.solve(mixed, delta)
        score = (w / np.sqrt(w @ delta) / spread) @ values[:, tried]
        sides = {side: score[members[tried] == side] for side in (True, False)}
        n = {side: len(own) for side, own in sides.items()}
        weights.append(n[True] * n[False] / (n[True] + n[False]))
        gaps.append(sides[True].mean() - sides[False].mean())
        for side, own in sides.items():
            squares[side] += ((own - own.mean()) ** 2).sum()
    spent = folds.max() + 1
    variance = squares[True] / (members.sum() - spent) + squares[False] / ((~members).sum() - spent)
    return np.average(gaps, weights=weights) / np.sqrt(variance)


def test_the_joint_attack_is_the_one_written_out():
    values, members, who = drawn(25, 48, shift=0.7, seed=16)
    starts, folds = starts_of(who), folds_of(48, 3)
    nothing = Auc(np.zeros(len(starts)), np.ones(len(starts)))
    found = joint_auc(values.T, starts, members.T[starts], folds, nothing)
    for patient in range(25):
        rows = np.flatnonzero(who == patient)
        if len(rows) > 1:
            slow = slow_joint(values[:, rows].T, members[:, rows[0]], folds)
            assert found.distance[patient] == pytest.approx(slow, rel=1e-6)


def test_the_null_family_is_that_of_simulated_maxima():
    rng = np.random.default_rng(17)
    for count, alike in ((2, 0.0), (10, 0.6), (40, 0.9)):
        drawn_maxima = np.sqrt(alike) * rng.normal(size=20_000) + np.sqrt(1 - alike) * rng.normal(
            size=(count, 20_000)
        ).max(axis=0)
        for score in (1.0, 2.0):
            tail = np.exp(log_tail(np.array([score]), np.array([count]), np.array([alike])))[0]
            assert tail == pytest.approx((drawn_maxima > score).mean(), abs=0.012)
        independent = rng.normal(size=(count, 20_000)).max(axis=0)
        assert expected_maximum(np.array([count]))[0] == pytest.approx(independent.mean(), abs=0.02)


def test_far_out_calibration_takes_little_and_a_single_record_keeps_its_auc():
    statistic = np.array([0.5, 3.0, 12.0, 60.0, 200.0])
    one, p = calibrated(statistic, 98, np.ones(5, dtype=np.int64), np.zeros(5))
    np.testing.assert_array_equal(one, statistic)
    np.testing.assert_allclose(p[:2], stats.norm.sf(-stats.norm.ppf(stats.t.sf(statistic[:2], 98))), rtol=1e-9)
    many, _ = calibrated(statistic, 98, np.full(5, 50), np.zeros(5))
    assert (many <= statistic).all()
    assert (np.diff(many) > 0).all()
    assert (many[2:] / statistic[2:] > 0.9).all()
    assert many[0] < -1


def labelled(patients, models, shift, *, labels=6, unknown=0.2, seed=20):
    """Logits of several labels, some unknown; members are surer of the first label alone, by ``shift``."""
    rng = np.random.default_rng(seed)
    _, members, who = drawn(patients, models, images=2, seed=seed)
    truth = rng.integers(0, 2, (len(who), labels)).astype(float)
    sign = 2 * truth - 1
    signal = rng.normal(size=(models, len(who), labels)) * np.array([1.0, *[5.0] * (labels - 1)])
    signal[:, :, 0] += shift * members
    truth[:, 1:][rng.random((len(who), labels - 1)) < unknown] = np.nan
    columns = {f"label_{at}": truth[:, at] for at in range(labels)}
    return signals_of(signal * sign, members, who, logits=True, **columns)


def test_what_one_label_gives_away_does_not_drown_in_the_others():
    signals = labelled(300, 100, shift=2.0)
    records = record_risks(signals)
    found = patient_risks(signals, records, 0)
    best = ndtr(2.0 * np.sqrt(found.records) / np.sqrt(2))
    assert records.gaussian.value.mean() < 0.62, "added up, it is lost"
    assert found.joint.value.mean() > best.mean() - 0.06
    assert found.joint.value.mean() <= best.mean() + 0.005


def test_several_labels_without_a_leak_stay_at_chance():
    signals = labelled(1000, 100, shift=0.0)
    found = patient_risks(signals, record_risks(signals), 0)
    assert found.joint.value.mean() == pytest.approx(0.5, abs=0.008)
    covered = (found.joint.low <= 0.5) & (found.joint.high >= 0.5)
    assert 0.93 <= covered.mean() <= 0.995


def test_signals_apart_are_those_of_the_known_labels():
    signals = labelled(20, 10, shift=0.0)
    rows = signals.order[:15]
    apart, whose = signals.apart(rows)
    expected = [
        (place, signals.by_label(np.array([row]))[0, :, label])
        for place, row in enumerate(rows)
        for label in range(6)
        if signals.labels[row, label] != 0
    ]
    assert whose.tolist() == [place for place, _ in expected]
    assert np.array_equal(apart, np.stack([values for _, values in expected]))


def test_a_patient_with_very_many_records_is_measured_like_others():
    """So many signals are more than fit into a part of the work, and of so many labels more than are taken apart."""
    rng = np.random.default_rng(21)
    who = np.repeat(np.arange(6), [400, 60, 2, 2, 1, 1])
    into = alternating(20, 6)[:, who]
    values = rng.normal(size=(20, len(who))) + 3.0 * into
    assert (risks(values, into, who).joint.value[:4] > 0.95).all()
    logits, truth = np.repeat(values[:, :, None], 12, axis=2), {f"label_{at}": np.ones(len(who)) for at in range(12)}
    signals = signals_of(logits, into, who, logits=True, **truth)
    assert (patient_risks(signals, record_risks(signals), 0).joint.value[:4] > 0.95).all()
    apart, whose = signals.apart(np.flatnonzero(who == 0))
    assert whose.tolist() == list(range(400)), "added up, a signal a record"
    assert np.allclose(apart, 12 * values[:, :400].T)
