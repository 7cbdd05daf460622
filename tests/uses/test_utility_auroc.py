"""The redrawn metrics against counting every pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.cohort.truth import Labels
from leadapron.uses.auroc import Redraws, auroc, count_redraws, draw, spread


def every_pair(scores, truth, weight):
    """The weighted area, the obvious way; NaN without a pair."""
    won, pairs = 0.0, 0.0
    for up in np.flatnonzero(truth == 1):
        for down in np.flatnonzero(truth == 0):
            pairs += float(weight[up]) * float(weight[down])
            beats = 1.0 if scores[up] > scores[down] else 0.5 if scores[up] == scores[down] else 0.0
            won += float(weight[up]) * float(weight[down]) * beats
    return won / pairs if pairs else np.nan


def share(weight, right, among):
    total = weight[among].sum()
    return weight[among & right].sum() / total if total else np.nan


@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 9), st.integers(1, 4))
@settings(deadline=None, max_examples=60)
def test_every_redraw_is_what_counting_its_pairs_gives(seed, records, values, patients):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-values, values, (records, 2)) / 2.0  # few values: many ties, some on the threshold
    labels = Labels(("a", "b"), rng.integers(-1, 2, (records, 2)).astype(np.int8))
    redraws = draw(rng.integers(0, patients, records), 4, seed)
    counts = count_redraws(scores, labels, redraws)
    for row, weights in enumerate(redraws.weights):
        weight = weights[redraws.cluster]
        for label in range(2):
            truth, says = labels.truth[:, label], scores[:, label] >= 0
            expected = {
                "auroc": every_pair(scores[:, label], truth, weight),
                "accuracy": share(weight, says == (truth == 1), truth >= 0),
                "sensitivity": share(weight, says, truth == 1),
                "specificity": share(weight, ~says, truth == 0),
            }
            found = {name: getattr(counts, name)()[row, label] for name in expected}
            assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert auroc(scores, labels) == pytest.approx(counts.auroc()[0], nan_ok=True)


def test_the_area_survives_numbers_of_records_whose_pairs_overflow_32_bits():
    truth = np.tile([0, 1], 60_000).astype(np.int8)[:, None]
    scores = np.arange(120_000, dtype=np.float64)[:, None]
    expected = (60_000 + 1) / (2 * 60_000)  # the k-th positive is above k of 60,000 negatives
    assert auroc(scores, Labels(("a",), truth))[0] == pytest.approx(expected, abs=1e-14)


def test_a_redraw_takes_whole_patients_and_as_many_as_there_are():
    patients = np.array(["b", "a", "b", "c", "a", "d"])
    redraws = draw(patients, 200, 3)
    assert (redraws.weights[0] == 1).all()
    assert (redraws.weights.sum(axis=1) == 4).all()
    assert redraws.cluster.tolist() == [1, 0, 1, 2, 0, 3]
    assert np.abs(redraws.weights[1:].mean(axis=0) - 1).max() < 0.25
    assert len(np.unique(redraws.weights, axis=0)) > 30


def test_redraws_do_not_depend_on_the_order_of_the_records():
    patients = np.array(["b", "a", "b", "c", "a", "d"])
    shuffled = np.random.default_rng(0).permutation(6)
    one, other = draw(patients, 20, 3), draw(patients[shuffled], 20, 3)
    np.testing.assert_array_equal(one.weights[:, one.cluster][:, shuffled], other.weights[:, other.cluster])
    assert not np.array_equal(one.weights, draw(patients, 20, 4).weights)


def test_means_leave_out_what_is_not_there():
    rng = np.random.default_rng(5)
    values = rng.random(300)
    values[rng.random(300) < 0.3] = np.nan
    redraws = draw(rng.integers(0, 40, 300), 120, 0)
    found = redraws.means(values)
    for row, weights in enumerate(redraws.weights):
        repeated = np.repeat(values, weights[redraws.cluster])
        assert found[row] == pytest.approx(np.nanmean(repeated))


def test_a_mean_without_any_record_is_not_a_number():
    redraws = Redraws(np.array([[1, 1], [0, 2]], dtype=np.uint16), np.array([0, 1]))
    assert np.isnan(redraws.means(np.array([0.5, np.nan]))).tolist() == [False, True]


def test_the_spread_is_over_the_redraws_that_have_a_value():
    values = np.append(np.arange(101) / 100, np.nan)
    low, high, sd = spread(values)
    assert (low, high) == pytest.approx((0.025, 0.975))
    assert sd == pytest.approx(np.arange(101).std(ddof=1) / 100)
