"""Attributes that change within patients are tested within them: the level holds, and what is there is found."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from leadapron.audits.groups import BETWEEN, WITHIN, group_tests, permutation_tests
from leadapron.audits.within_patients import varies_within, within_tests


def studies(rng, patients=150):
    """Patients with two to six studies of one or two images; a patient's risks are alike, a study's more so."""
    study_patient = np.repeat(np.arange(patients), rng.integers(2, 7, patients))
    study = np.repeat(np.arange(len(study_patient)), rng.integers(1, 3, len(study_patient)))
    patient = study_patient[study]
    own = rng.normal(size=patients)[patient] + 0.7 * rng.normal(size=len(study_patient))[study]
    return patient, study, own + 0.3 * rng.normal(size=len(study))


def hits(level, effect=0.0):
    """Whether each image is found, which happens to one in five; ``effect`` is in standard deviations."""
    return (level + effect > 1.1).astype(float)


def slow(risk, group, patient):
    """The statistic from the words of it, with a sign for each patient."""

    def spread(sign):
        total = {}
        for one in np.unique(patient):
            mine = (patient == one) & (group >= 0)
            if len(np.unique(group[mine])) < 2:
                continue
            for row in np.flatnonzero(mine):
                sums, count = total.get(group[row], (0.0, 0))
                total[group[row]] = sums + sign[one] * (risk[row] - risk[mine].mean()), count + 1
        return sum(sums**2 / count for sums, count in total.values()) / sum(count for _, count in total.values())

    return spread


def test_the_p_value_is_the_share_of_all_signs():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(9), 4)
    risk = rng.random(36)
    group = np.where(rng.random(36) < 0.15, -1, rng.integers(0, 3, 36))
    group[:4] = 1  # a patient with one group alone tells nothing
    risk[group == 2] += 0.25
    spread = slow(risk, group, patient)
    (test,) = within_tests(risk, [group], patient, seed=0)
    observed = spread(np.ones(9))
    assert test.statistic == pytest.approx(observed)
    assert test.patients == sum(len(np.unique(group[(patient == one) & (group >= 0)])) > 1 for one in range(9)) < 9
    exact = np.mean([spread(np.array(signs)) >= observed - 1e-12 for signs in product([1, -1], repeat=9)])
    assert 0.01 < exact < 0.9
    assert test.p == pytest.approx(exact, abs=4 * (exact * (1 - exact) / 2000) ** 0.5)


def test_the_data_say_which_test_it_is():
    rng = np.random.default_rng(1)
    patient = np.repeat(np.arange(200), 4)
    sex = rng.integers(0, 2, 200)[patient]
    mistyped = sex.copy()
    mistyped[:48:4] ^= 1  # one row of each of twelve patients
    view, rare = rng.integers(0, 3, 800), (rng.random(800) < 0.03).astype(np.int64)
    seldom = np.where(np.arange(800) < 8, view, 0)  # two patients alone
    assert [varies_within(group, patient) for group in (sex, mistyped, view, rare, seldom)] == [
        False, False, True, True, False,
    ]  # fmt: skip
    tests = group_tests(rng.random(800), {"sex": sex, "view": view}, patient, seed=0)
    assert [(test.attribute, test.method, test.groups) for test in tests] == [("sex", BETWEEN, 2), ("view", WITHIN, 3)]
    assert tests[0].patients == 200
    assert tests[1].patients == sum(len(np.unique(view[patient == one])) > 1 for one in range(200))


def test_what_differs_between_patients_alone_is_no_difference_within_them():
    rng = np.random.default_rng(2)
    patient = np.repeat(np.arange(300), 4)
    ill = rng.random(300) < 0.5
    group = (rng.random(1200) < np.where(ill, 0.8, 0.2)[patient]).astype(np.int64)
    risk = 0.6 * ill[patient] + 0.1 * rng.random(1200)
    assert within_tests(risk, [group], patient, seed=0)[0].p > 0.01
    assert permutation_tests(risk, [group], patient, seed=0)[0][1] < 0.01


@pytest.mark.study
@pytest.mark.parametrize("shared", ["image", "study"])
def test_both_tests_keep_their_level_and_the_one_within_patients_finds_what_the_other_does_not(shared):
    """At 5 %, in 300 audits of 150 patients each; the attribute is of an image or, as a finding, of a whole study."""
    rng, trials = np.random.default_rng(3), 300
    found = np.zeros(5)
    for trial in range(trials):
        patient, study, level = studies(rng)
        drawn = rng.random(len(level)) < 0.4
        group = (drawn if shared == "image" else drawn[np.unique(study, return_index=True)[1]][study]).astype(np.int64)
        sex = rng.integers(0, 2, 150)[patient]
        nothing, something = hits(level), hits(level, np.where(group == 1, 0.7, 0.0))
        found += np.array(
            [
                within_tests(nothing, [group], patient, trial)[0].p < 0.05,
                permutation_tests(nothing, [sex], patient, trial)[0][1] < 0.05,
                within_tests(something, [group], patient, trial)[0].p < 0.05,
                permutation_tests(something, [group], patient, trial)[0][1] < 0.05,
                varies_within(group, patient) and not varies_within(sex, patient),
            ]
        )
    within, between, power, before, chosen = found / trials
    assert 0.02 <= within <= 0.085
    assert 0.02 <= between <= 0.085
    assert power >= 0.95
    assert before <= 0.3
    assert chosen == 1
