"""Intervals of shares: exact where that is known, weights drawn where not, and coverage where hits are rare."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import binom, norm

from leadapron.attacks.linkage import LinkageConfig
from leadapron.attacks.linkage.linkage_audit import run_attacks
from leadapron.stats import (
    at_false_rate,
    bootstrap_means,
    exact_limits,
    mean_difference,
    ratio_limits,
    share_differences,
    shares,
    smallest_seen,
    smallest_seen_by_error,
    usual,
)
from leadapron.stats.estimate import Estimate
from leadapron.stats.shares import LEVEL, POWER
from leadapron.trials.excess_cut import excess_cut
from linkage_data import planted


@pytest.mark.parametrize("patients", [2, 5, 40, 150, 3000])
def test_with_one_row_for_each_patient_it_is_clopper_and_pearsons(patients):
    for hits in sorted({0, 1, min(2, patients), patients // 2, patients - 1, patients}):
        found = shares((np.arange(patients) < hits)[:, None].astype(float), np.arange(patients))[0]
        low = betaincinv(hits, patients - hits + 1, 0.025) if hits else 0.0
        high = betaincinv(hits + 1, patients - hits, 0.975) if hits < patients else 1.0
        assert found.low == pytest.approx(low, rel=0.05, abs=1e-9)
        assert 1 - found.low == pytest.approx(1 - low, rel=0.006)
        assert found.high == pytest.approx(high, rel=0.006)
        assert (found.value, found.n, found.patients, found.tries) == (hits / patients, patients, patients, patients)
        assert exact_limits(hits, patients) == pytest.approx((low, high))


@pytest.mark.parametrize("seed", range(6))
def test_limits_are_those_of_patients_weighted_at_random(seed):
    """The oracle draws the weights: patients and the imagined one, each with an exponential weight."""
    rng = np.random.default_rng(seed)
    patients = int(rng.integers(15, 80))
    sizes = rng.integers(1, 9, patients)
    who = np.repeat(np.arange(patients), sizes)
    values = rng.beta(0.2, 2.0, len(who)) if seed % 2 else (rng.random(len(who)) < 0.15).astype(float)
    found = shares(values[:, None], who)[0]
    imagined = (sizes @ sizes) / sizes.sum()
    sums = np.bincount(who, weights=values)
    weights = rng.exponential(size=(200_000, patients + 1))
    for hits, share, end in ((0.0, 0.025, found.low), (imagined, 0.975, found.high)):
        drawn = (weights @ np.append(sums, hits)) / (weights @ np.append(sizes, imagined))
        assert np.mean(drawn <= end) == pytest.approx(share, abs=0.0025)


def test_the_smallest_and_the_strangest():
    one = shares(np.zeros((3, 1)), np.zeros(3))[0]
    assert (one.value, one.low, one.patients) == (0.0, 0.0, 1)
    assert one.high == pytest.approx(0.975, abs=0.002)
    tiny = shares(np.full((400, 1), 1e-12), np.arange(400))[0]
    assert 0 <= tiny.low <= tiny.value <= tiny.high < 0.012
    several = shares(np.stack([np.zeros(90), np.ones(90), np.arange(90) % 2.0], axis=1), np.arange(90) // 3)
    assert [row.value for row in several] == [0, 1, 0.5]
    assert several[0].high > 0.05
    assert several[1].low < 0.95
    assert all(row.low <= row.value <= row.high for row in several)
    whom, order = np.arange(90) // 3, np.random.default_rng(0).permutation(90)
    assert shares(np.eye(90)[:, :4], whom) == shares(np.eye(90)[order, :4], whom[order])


def test_rare_hits_are_covered_where_the_percentile_bootstrap_is_not():
    """150 patients, one in a hundred of whom is hit: 300 audits, the bootstrap beside it as the control."""
    rng, runs = np.random.default_rng(1), 300
    hit = (rng.random((150, runs)) < 0.01).astype(float)
    exact, redrawn = (
        method(hit, np.arange(150))
        for method in (shares, lambda values, who: bootstrap_means(values, who, redraws=200))
    )
    covers = [np.mean([row.low <= 0.01 <= row.high for row in rows]) for rows in (exact, redrawn)]
    assert covers[0] >= 0.95
    assert covers[1] < 0.85
    assert all(row.high > 0 for row in exact)
    assert any(row.high == 0 for row in redrawn)


@pytest.mark.study
def test_null_audits_lie_above_chance_no_more_often_than_one_in_forty():
    above, below, audits = 0, 0, 80
    for seed in range(audits):
        release = planted(0, patients=40, images=3, width=12, seed=seed)
        risk = run_attacks(release, LinkageConfig(pools=(100,), attackers=("cosine",)))
        row = next(
            row for row in risk.estimates if (row.metric, row.pool, row.direction[:5]) == ("recall@1", 100, "image")
        )
        above += row.low > row.chance
        below += row.high < row.chance
    assert above <= binom.isf(0.001, audits, 0.025)
    assert below == 0


def test_the_smallest_leak_is_seen_in_eight_audits_of_ten():
    for chance, tries in ((0.001, 1000), (0.01, 400), (0.1, 50)):
        seen = smallest_seen(chance, tries)
        counts = np.arange(tries + 1)
        found = exact_limits(counts.astype(float), tries)[0] > chance
        assert binom.pmf(counts, tries, seen)[found].sum() >= 0.8 - 1e-9
        assert binom.pmf(counts, tries, 0.8 * seen)[found].sum() < 0.8
    assert smallest_seen(0.5, 1) == 1.0
    assert smallest_seen_by_error(0.5, 0.01) == pytest.approx(0.528, abs=1e-3)
    assert smallest_seen_by_error(0.5, 0.01, below=True) == pytest.approx(0.472, abs=1e-3)
    assert smallest_seen_by_error(0.5, 1.0) == 1.0


def test_the_smallest_leak_starts_from_the_count_that_chance_reaches_in_one_audit_of_forty():
    for chance in (0.0, 1e-4, 0.01, 1 / 3, 0.5, 0.975, 1.0):
        for tries in (*range(1, 12), 100, 12_487):
            count = binom.isf((1 - LEVEL) / 2, tries, chance) + 1
            expected = betaincinv(count, tries - count + 1, POWER) if count <= tries else 1.0
            assert smallest_seen(chance, tries) == expected


def test_how_many_rows_patients_have_is_worked_out_once_for_all_columns(monkeypatch):
    calls = []
    module = sys.modules[shares.__module__]  # its name is that of the function in it
    monkeypatch.setattr(module, "usual", lambda sizes: calls.append(sizes) or usual(sizes))
    rng = np.random.default_rng(0)
    values, patient = rng.random((60, 5)), rng.integers(0, 20, 60)
    together = shares(values, patient)
    assert len(calls) == 1
    assert together == [shares(column[:, None], patient)[0] for column in values.T]


def test_where_the_false_positive_rate_is_not_known_nothing_would_have_been_seen():
    """Of 200 others two alarms are expected: the lower end is zero, whatever is recognised."""
    fixed = shares(np.ones((300, 1)), np.arange(300))[0]
    seen = []
    for others in (200, 2000, 10**7):
        rate = at_false_rate(fixed, 0.01, others, 1.0, lambda _: 1.0)
        seen.append(smallest_seen(0.01, rate.tries, rate.slack))
    assert seen[0] == 1
    assert seen[0] > seen[1] >= seen[2] == smallest_seen(0.01, 300)


def test_a_difference_of_shares_leaves_doubt_where_nothing_was_found():
    nothing = np.zeros((60, 1))
    found = share_differences(nothing, nothing, np.arange(60))[0]
    assert found.low < 0 < found.high
    assert found.p == 1.0
    few = (np.arange(60) < 12)[:, None].astype(float)
    found = share_differences(few, nothing, np.arange(60))[0]
    assert found.difference == pytest.approx(-0.2)
    assert found.high < 0
    assert found.p < 0.01
    assert (found.n, found.clusters) == (60, 60)


def kept_in_part(rng, who):
    """Patients keep part of what they were hit by."""
    own = rng.random(who[-1] + 1) < 0.3
    before = np.where(own[who], 0.8, 0.05) > rng.random(len(who))
    return before, before & (rng.random(len(who)) < 0.4), 0.3 * 0.8 + 0.7 * 0.05, 0.4


def lost_by_few(rng, who):
    """Half of the records are hits, and one patient in a hundred loses all of them: limits by MOVER covered 68 %."""
    before = rng.random(len(who)) < 0.5
    return before, before & ~(rng.random(who[-1] + 1) < 0.01)[who], 0.5, 0.99


@pytest.mark.parametrize("change", [kept_in_part, lost_by_few])
def test_differences_and_cuts_cover(change):
    rng, runs, covered = np.random.default_rng(2), 200, np.zeros(2)
    who = np.repeat(np.arange(120), 3)
    for _ in range(runs):
        before, after, truth, kept = change(rng, who)
        before, after = before.astype(float), after.astype(float)
        found = share_differences(before[:, None], after[:, None], who)[0]
        covered[0] += found.low <= (kept - 1) * truth <= found.high
        cut = excess_cut(before, after, who, 0.01)
        covered[1] += cut.low <= 1 - (kept * truth - 0.01) / (truth - 0.01) <= cut.high
    assert covered.min() / runs >= 0.95


def test_where_no_patient_changed_others_may():
    rows, who = np.random.default_rng(3).random(90), np.arange(90) // 3
    found = share_differences(rows[:, None], rows[:, None], who)[0]
    assert (found.difference, found.p) == (pytest.approx(0, abs=1e-12), 1)
    assert -found.low == pytest.approx(found.high, abs=1e-6)
    assert found.high == pytest.approx(3.7 / 30, rel=0.06)
    alone = excess_cut(rows, rows, who, 0.01)
    assert alone.low < 0 < alone.high


def test_a_cut_of_what_is_hardly_told_from_guessing_has_limits_that_can_be_written():
    """By MOVER they were infinite, which no results file can hold."""
    hits = (np.arange(150) < 6).astype(float)
    found = excess_cut(hits, hits * 0, np.arange(150), 0.01)
    assert found is not None
    assert np.isfinite([found.low, found.high]).all()
    assert found.low < 1 < found.value < found.high


def test_ratio_limits_are_those_of_patients_weighted_at_random():
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 6, 60).astype(float)
    before, after = sizes * (rng.random(60) < 0.5), sizes * (rng.random(60) < 0.2)
    most, least = (3.0, 0.0), (0.0, 3.0)
    weights = rng.exponential(size=(200_000, 61))
    ends = ratio_limits(after, before, most, least)
    for (above, below), share, end in ((least, 0.025, ends[0]), (most, 0.975, ends[1])):
        drawn = (weights @ np.append(after, above)) / (weights @ np.append(before, below))
        assert np.mean(drawn <= end) == pytest.approx(share, abs=0.003)


def test_means_that_are_no_shares_are_redrawn():
    rng = np.random.default_rng(4)
    before = rng.normal(0.6, 0.1, 200)
    found = mean_difference(before, before - 0.05, np.arange(200))
    assert found.difference == pytest.approx(-0.05)
    assert found.low == pytest.approx(-0.05)
    with pytest.raises(ValueError, match="one entry a row"):
        mean_difference(before, before[:10], np.arange(200))
    with pytest.raises(ValueError, match="at least two"):
        share_differences(before[:, None], before[:, None], np.zeros(200))


@pytest.mark.parametrize("others", [200, 2000])
def test_a_rate_at_a_false_positive_rate_covers_although_few_alarms_set_the_threshold(others):
    rng, runs, wanted, members = np.random.default_rng(5), 400, 0.01, 300
    truth = norm.sf(norm.isf(wanted) - 1)  # others are standard normal, members one above
    covered, unresolved = 0, 0
    for _ in range(runs):
        out, into = np.sort(rng.normal(size=others)), rng.normal(1, 1, members)

        def rate_at(fpr, out=out, into=into):
            allowed = int(fpr * len(out) + 1e-9)
            return float((into > (out[-1 - allowed] if allowed < len(out) else -np.inf)).mean())

        value = rate_at(wanted)
        low, high = map(float, exact_limits(value * members, members))
        fixed = Estimate(value, low, high, 0.0, members, members, members)
        found = at_false_rate(fixed, wanted, others, 1.0, rate_at)
        covered += found.low <= truth <= found.high
        unresolved += found.low == 0
        assert found.low <= low
        assert found.high >= high - 1e-12
    assert covered / runs >= 0.93
    assert (unresolved == runs) == (others == 200), "two alarms are expected of 200, and none would be no surprise"
