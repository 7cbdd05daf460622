"""Selective attack and subgroup test: against slow oracles, in noise, and with something to find."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.linkage import rank_truth, recall_in_pool
from leadapron.attacks.linkage.database import build_database
from leadapron.attacks.linkage.selective import hits, patients_linked, precision_coverage
from leadapron.audits.groups import PERMUTATIONS, groupings, holm, permutation_tests


def test_precision_at_every_coverage():
    hit, margin = np.array([1.0, 0.0, 1.0, 1.0]), np.array([0.9, 0.1, 0.8, 0.5], dtype=np.float32)
    found = precision_coverage(hit, margin)
    assert found["coverage"].tolist() == [0.25, 0.5, 0.75, 1.0]
    assert found["precision"] == pytest.approx([1, 1, 1, 0.75])


def test_patients_linked_at_ninety_percent():
    """Forty sure and right answers for ten patients, then guesses: the slow way is to try every threshold."""
    rng = np.random.default_rng(0)
    patient = np.concatenate([np.repeat(np.arange(10), 4), np.arange(10, 210)])
    hit = np.concatenate([np.ones(40), (rng.random(200) < 0.05).astype(float)])
    margin = np.concatenate([1 + rng.random(40), rng.random(200)]).astype(np.float32)
    best = 0
    for threshold in margin:
        given = margin >= threshold
        if hit[given].mean() >= 0.9:
            best = max(best, len(set(patient[given & (hit == 1)])))
    found = patients_linked(hit, margin, patient)
    assert found.patients == best >= 10
    assert found.low <= found.share <= found.high
    assert found.share == pytest.approx(best / 210)


def test_nobody_is_linked_where_no_answer_is_good_enough():
    found = patients_linked(np.zeros(50), np.arange(50, dtype=np.float32), np.arange(50))
    assert (found.patients, found.share, found.low) == (0, 0.0, 0.0)
    assert found.high == pytest.approx(0.071, abs=1e-3), "of fifty who were not linked"


def sure_and_right(margin):
    """How often an answer is right that is so sure: nine of ten of those above two and a half are."""
    return 1 / (1 + np.exp(5 - 2.2 * margin))


def answered(rng, patients):
    patient = np.repeat(np.arange(patients), rng.integers(1, 5, patients))
    margin = 0.6 * rng.exponential(size=patients)[patient] + 0.6 * rng.exponential(size=len(patient))
    return (rng.random(len(patient)) < sure_and_right(margin)).astype(float), margin, patient


def test_the_interval_covers_although_the_threshold_is_set_on_the_same_answers():
    """That of the patients linked at the threshold as it stands covered in about 75 of 100 audits."""
    rng, runs, covered = np.random.default_rng(5), 100, 0
    truth = patients_linked(*answered(rng, 100_000)).share
    for _ in range(runs):
        found = patients_linked(*answered(rng, 150))
        covered += found.low <= truth <= found.high
        assert found.low <= found.share <= found.high
    assert covered / runs >= 0.93


def test_the_subgroup_test_keeps_its_level_although_images_of_a_patient_are_alike():
    rng, alarms, trials = np.random.default_rng(1), 0, 200
    for trial in range(trials):
        patient = np.repeat(np.arange(60), 5)
        risk = rng.random(60)[patient] + 0.01 * rng.random(300)
        group = rng.integers(0, 3, 60)[patient]
        alarms += permutation_tests(risk, [group], patient, trial)[0][1] < 0.05
    assert alarms / trials == pytest.approx(0.05, abs=0.045)


def patients_of(risk, group, patient):
    """The slow way: each patient's mean risk over the rows that are known, and the first known group."""
    known = group >= 0
    who = np.unique(patient[known])
    mean = np.array([risk[known & (patient == one)].mean() for one in who])
    return mean, np.array([group[known & (patient == one)][0] for one in who])


def spread(mean, kind):
    parts = [mean[kind == one] for one in np.unique(kind)]
    return sum(len(part) * (part.mean() - mean.mean()) ** 2 for part in parts) / len(mean)


def test_shuffles_are_shared_by_the_tests_and_each_has_its_own_statistic():
    rng = np.random.default_rng(2)
    patient = np.repeat(np.arange(40), 2)
    risk = rng.random(40)[patient] + 0.1 * rng.random(80)
    groups = [rng.integers(0, 3, 40)[patient], rng.integers(0, 2, 40)[patient], (risk > 0.6).astype(np.int64)]
    groups.append(np.where(rng.random(80) < 0.3, -1, groups[1]))  # some rows are unknown
    for group, (statistic, p) in zip(groups, permutation_tests(risk, groups, patient, seed=0), strict=True):
        mean, kind = patients_of(risk, group, patient)
        assert statistic == pytest.approx(spread(mean, kind))
        chance = [spread(rng.permutation(mean), kind) >= spread(mean, kind) for _ in range(2000)]
        assert p == pytest.approx(np.mean(chance), abs=0.05)
    assert permutation_tests(np.full(80, 0.3), groups[:1], patient, seed=0)[0][1] == 1


def test_a_p_value_is_the_share_of_all_orders_of_the_patients_whom_the_grouping_knows():
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(7), 2)
    risk = rng.random(7)[patient] + 0.2 * rng.random(14)
    first = np.array([0, 1, 0, 1, 2, 2, 0])[patient]
    some = np.where(patient == 3, -1, first)  # a patient of whom nothing is known
    parts = np.where(np.arange(14) % 4 == 2, -1, (first > 0).astype(np.int64))  # others by one row alone
    for group, (_, p) in zip(
        [first, some, parts], permutation_tests(risk, [first, some, parts], patient, 0), strict=True
    ):
        mean, kind = patients_of(risk, group, patient)
        observed = spread(mean, kind)
        exact = np.mean([spread(np.array(order), kind) >= observed - 1e-12 for order in permutations(mean)])
        assert 0.02 < exact < 0.98
        assert p == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 2000) ** 0.5)


def test_patients_are_shuffled_once_for_all_attributes_whatever_rows_these_know(monkeypatch):
    drawn = []

    class Shuffles:
        def permutation(self, count):
            drawn.append(count)
            return np.arange(count)

    monkeypatch.setattr(np.random, "default_rng", lambda _seed: Shuffles())
    patient = np.repeat(np.arange(20), 2)
    groups = [np.where(np.arange(40) % rest == 0, -1, patient % 2) for rest in (3, 5, 7)]
    permutation_tests(np.linspace(0, 1, 40), groups, patient, seed=0)
    assert drawn == [20] * PERMUTATIONS
    assert permutation_tests(np.linspace(0, 1, 40), [], patient, seed=0) == []
    assert len(drawn) == PERMUTATIONS


def test_what_other_attributes_are_tested_does_not_change_a_p_value():
    rng = np.random.default_rng(4)
    patient, risk = np.repeat(np.arange(30), 2), rng.random(60)
    groups = [rng.integers(-1, 3, 60) for _ in range(3)]
    together = permutation_tests(risk, groups, patient, seed=1)
    assert together == [permutation_tests(risk, [group], patient, seed=1)[0] for group in groups]


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_groupings_leave_out_what_does_not_vary():
    records = pl.DataFrame(
        {
            "sex": ["F", "M", None],
            "race": ["A", "A", None],
            "view": ["AP"] * 3,
            "age": [61.0, 69.5, 101.0],
            "label_edema": [1, 0, None],
        }
    )
    found = groupings(records)
    assert set(found) == {"sex", "age", "label_edema"}
    assert found["age"].to_list() == ["60-69", "60-69", "90+"]


def test_equally_sure_answers_are_given_together():
    """The order of the rows says nothing, so it must not matter."""
    rng = np.random.default_rng(3)
    margin, hit, patient = rng.integers(0, 5, 200).astype(float), rng.random(200) < 0.9, rng.integers(0, 80, 200)
    order = rng.permutation(200)
    plain, shuffled = (precision_coverage(hit[rows].astype(float), margin[rows]) for rows in (np.arange(200), order))
    assert all((plain[name] == shuffled[name]).all() for name in plain)
    assert len(plain["coverage"]) == 5
    assert plain["precision"][-1] == hit.mean()
    linked = [patients_linked(hit[rows].astype(float), margin[rows], patient[rows]) for rows in (slice(None), order)]
    assert linked[0].patients == linked[1].patients


def test_who_answers_always_is_right_as_often_as_the_right_one_comes_first():
    """With numbers of one bit many different texts tie at the top; they share the credit."""
    rng = np.random.default_rng(4)
    image, text = (rng.choice([-1.0, 1.0], (150, 6)).astype(np.float32) for _ in range(2))
    ranks = rank_truth(image, build_database(text), np.arange(150))
    hit = hits(ranks)
    assert ((ranks.above == 0) & (ranks.ties > 0)).any()
    assert hit.mean() == pytest.approx(recall_in_pool(ranks, 150, 1).mean())
    assert precision_coverage(hit, ranks.margin)["precision"][-1] == pytest.approx(hit.mean())
