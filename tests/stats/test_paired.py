"""The paired bootstrap: against drawing by hand, calibrated where nothing changed, awake where something did."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.stats import mean_difference


def measured_twice(rng, patients=80, change=0.0):
    """Rows of a patient are alike, and so are a row's two measurements."""
    clusters = np.repeat(np.arange(patients), rng.integers(1, 6, patients))
    row = rng.random(len(clusters))
    before = row + rng.normal(0, 0.2, patients)[clusters]
    after = row + rng.normal(change, 0.2, patients)[clusters]
    return before, after, clusters


def test_it_is_the_bootstrap_of_whole_clusters():
    """The slow way: draw patients with replacement, put their pairs of rows together, take the mean difference."""
    rng = np.random.default_rng(0)
    before, after, clusters = measured_twice(rng, patients=30, change=0.07)
    slow = []
    for _ in range(4000):
        rows = np.concatenate([np.flatnonzero(clusters == who) for who in rng.integers(0, 30, 30)])
        slow.append(after[rows].mean() - before[rows].mean())
    observed = after.mean() - before.mean()
    fast = mean_difference(before, after, clusters, redraws=4000)
    assert (fast.before, fast.after) == (pytest.approx(before.mean()), pytest.approx(after.mean()))
    assert fast.difference == pytest.approx(observed)
    assert fast.sd == pytest.approx(np.std(slow), rel=0.06)
    assert fast.low == pytest.approx(np.percentile(slow, 2.5), abs=0.01)
    assert fast.high == pytest.approx(np.percentile(slow, 97.5), abs=0.01)
    assert fast.p == pytest.approx(np.mean(np.abs(np.array(slow) - observed) >= abs(observed)), abs=0.03)
    assert (fast.n, fast.clusters) == (len(before), 30)


def test_where_nothing_changed_the_p_value_is_uniform():
    rng = np.random.default_rng(1)
    p = np.array([mean_difference(*measured_twice(rng), redraws=400, seed=trial).p for trial in range(500)])
    for level in (0.05, 0.25, 0.5, 0.75):
        assert (p <= level).mean() == pytest.approx(level, abs=0.07 if level > 0.1 else 0.03)


def test_rows_drawn_as_if_they_were_patients_raise_false_alarms():
    rng, alarms, trials = np.random.default_rng(2), 0, 300
    for trial in range(trials):
        before, after, clusters = measured_twice(rng)
        alarms += mean_difference(before, after, np.arange(len(clusters)), redraws=200, seed=trial).p <= 0.05
    assert alarms / trials > 0.15  # which is why patients are drawn


def test_a_planted_difference_is_found_and_the_sign_tells_its_direction():
    rng = np.random.default_rng(3)
    found = [mean_difference(*measured_twice(rng, change=-0.2), redraws=200, seed=trial) for trial in range(40)]
    assert np.mean([one.p <= 0.05 for one in found]) > 0.9
    assert all(one.difference < 0 for one in found)


def test_the_p_value_is_never_zero_and_is_one_where_the_rows_are_equal():
    rows, clusters = np.random.default_rng(4).random(60), np.arange(60) // 2
    assert mean_difference(rows, rows, clusters).p == 1
    assert mean_difference(rows, rows + 5, clusters).p == 1 / 1001


def test_before_and_after_swapped_is_the_same_with_the_other_sign():
    before, after, clusters = measured_twice(np.random.default_rng(5), change=0.05)
    forth, back = (mean_difference(*pair, clusters, seed=7) for pair in ((before, after), (after, before)))
    assert back.difference == pytest.approx(-forth.difference)
    assert (back.low, back.high) == (pytest.approx(-forth.high), pytest.approx(-forth.low))
    assert back.p == forth.p


def test_text_ids_and_a_seed():
    before, after, clusters = measured_twice(np.random.default_rng(6))
    ids = np.array([f"patient {number}" for number in clusters])
    assert mean_difference(before, after, ids, seed=3) == mean_difference(before, after, ids, seed=3)
    assert mean_difference(before, after, ids, seed=3) != mean_difference(before, after, ids, seed=4)


@pytest.mark.parametrize(("rows", "clusters"), [(3, [1, 1, 1]), (3, [1, 2])])
def test_one_patient_or_columns_of_different_length_are_refused(rows, clusters):
    with pytest.raises(ValueError, match="cluster"):
        mean_difference(np.zeros(rows), np.ones(rows), np.array(clusters))
