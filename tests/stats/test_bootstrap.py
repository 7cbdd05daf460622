"""The clustered bootstrap: against drawing by hand, and its intervals cover as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.stats import bootstrap_means


def test_it_is_the_bootstrap_of_whole_clusters():
    """The slow way: draw patients with replacement, put their rows together, take the mean."""
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(30), rng.integers(1, 6, 30))
    values = rng.random((len(clusters), 2))
    means = []
    for _ in range(4000):
        drawn = rng.integers(0, 30, 30)
        means.append(np.concatenate([values[clusters == who] for who in drawn]).mean(axis=0))
    slow = np.array(means)
    for column, fast in enumerate(bootstrap_means(values, clusters, redraws=4000)):
        assert fast.value == pytest.approx(values[:, column].mean())
        assert fast.sd == pytest.approx(slow[:, column].std(), rel=0.06)
        assert fast.low == pytest.approx(np.percentile(slow[:, column], 2.5), abs=0.01)
        assert fast.high == pytest.approx(np.percentile(slow[:, column], 97.5), abs=0.01)
        assert fast.n == len(values)


def test_the_interval_covers_at_its_nominal_rate_where_rows_of_a_patient_are_alike():
    rng, covered, naive, trials = np.random.default_rng(1), 0, 0, 300
    for trial in range(trials):
        clusters = np.repeat(np.arange(80), 4)
        values = (rng.random(80)[clusters] * 0.8 + 0.1 * rng.random(320))[:, None]  # mean 0.45
        by_patient = bootstrap_means(values, clusters, redraws=400, seed=trial)[0]
        by_row = bootstrap_means(values, np.arange(320), redraws=400, seed=trial)[0]
        covered += by_patient.low <= 0.45 <= by_patient.high
        naive += by_row.low <= 0.45 <= by_row.high
    assert covered / trials == pytest.approx(0.95, abs=0.04)
    assert naive / trials < 0.8  # which is why patients are drawn


def test_text_ids_and_a_seed():
    values = np.arange(12.0)[:, None]
    ids = np.array(["a", "b", "c"] * 4)
    assert bootstrap_means(values, ids, seed=3) == bootstrap_means(values, ids, seed=3)
    assert bootstrap_means(values, ids, seed=3) != bootstrap_means(values, ids, seed=4)
