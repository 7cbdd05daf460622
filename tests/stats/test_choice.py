"""The best of several rivals: what it must be where the answer is known, and how often its interval holds."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.stats import best_of, shares
from leadapron.stats.shares import share_limits


def drawn(rng, true, patients=150, images=3, kept=0.5):
    """Hits of rivals with these true shares; a patient's rows are often copies, and rivals hit alike."""
    patient = np.repeat(np.arange(patients), images)
    row, whole = rng.random(len(patient)), rng.random(patients)[patient]
    luck = np.where(rng.random(len(patient)) < kept, whole, row)
    mine = np.where(rng.random((len(patient), len(true))) < 0.5, luck[:, None], rng.random((len(patient), len(true))))
    return (mine < np.asarray(true)).astype(float), patient


def test_one_rival_alone_is_the_best_with_its_own_interval():
    values, patient = drawn(np.random.default_rng(0), [0.2])
    assert best_of(values, patient).estimate == shares(values, patient)[0]


def test_who_is_far_ahead_keeps_the_own_value_and_pays_in_the_lower_limit_alone():
    values, patient = drawn(np.random.default_rng(1), [0.05, 0.4, 0.1])
    best, own = best_of(values, patient), shares(values, patient)[1]
    assert best.rival == 1
    assert best.values == pytest.approx(values[:, 1])
    assert best.estimate.value == pytest.approx(own.value)
    assert best.estimate.low < own.low
    assert best.estimate.high == own.high


def test_by_hand_every_half_is_measured_by_who_did_best_on_the_other():
    """Two patients: each is measured by who did best on the other one, whichever way they are halved."""
    values = np.array([[1.0, 0.0], [1.0, 0.2], [0.3, 0.6], [0.1, 0.6]])
    best = best_of(values, np.array([7, 7, 9, 9]))
    assert best.values.tolist() == pytest.approx([0.0, 0.2, 0.3, 0.1])
    assert best.estimate.low <= best.estimate.value == pytest.approx(0.15)
    assert best.estimate.high == max(one.high for one in shares(values, np.array([7, 7, 9, 9])))


def test_rows_on_which_a_rival_was_not_measured_are_left_to_the_others():
    values, patient = drawn(np.random.default_rng(2), [0.5, 0.1])
    values[:30, 0] = np.nan
    best = best_of(values, patient)
    assert best.rival == 0
    assert len(best.values) == len(values) - 30
    assert best.estimate.n == len(values) - 30


def test_the_lower_limit_of_several_is_that_of_a_rarer_tail():
    values, patient = drawn(np.random.default_rng(3), [0.3, 0.3])
    sums, sizes = np.bincount(patient, weights=values[:, 0]), np.bincount(patient).astype(float)
    low = best_of(np.stack([values[:, 0]] * 2, axis=1), patient).estimate.low
    assert low < share_limits(sums, sizes)[0]
    assert best_of(np.stack([values[:, 0]] * 6, axis=1), patient).estimate.low < low


@pytest.mark.study
def test_of_eight_who_are_alike_the_naive_figure_is_too_high_and_the_crossed_one_is_not():
    rng, runs, true = np.random.default_rng(4), 300, 0.05
    found, naive, above, below = [], [], 0, 0
    for _ in range(runs):
        values, patient = drawn(rng, [true] * 8)
        best = best_of(values, patient).estimate
        assert best.low <= best.value <= best.high
        found.append(best.value)
        naive.append(values.mean(axis=0).max())
        above += best.low > true
        below += best.high < true
    assert np.mean(naive) > true + 0.005
    assert np.mean(found) == pytest.approx(true, abs=0.003)
    assert above / runs <= 0.025
    assert below / runs <= 0.025
