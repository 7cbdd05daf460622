"""The probe against a general-purpose minimiser, and against what a probe must not do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from leadapron.cohort.truth import Labels
from leadapron.uses.linear_probe import find_axes, fit_probes


def data(seed=0, records=150, width=6, labels=3, unknown=0.2):
    rng = np.random.default_rng(seed)
    rows = (rng.standard_normal((records, 3)) @ rng.standard_normal((3, width))).astype(np.float32)
    rows += rng.standard_normal((records, width)).astype(np.float32) * 0.2 + 5
    logits = (rows - 5) @ rng.standard_normal((width, labels)) - np.arange(labels)
    truth = (rng.random((records, labels)) < expit(logits)).astype(np.int8)
    truth[rng.random((records, labels)) < unknown] = -1
    return rows, Labels(tuple("abcdefgh"[:labels]), truth)


def minimised(rows, truth, strength):
    """One label, by a minimiser that knows nothing of axes, labels side by side, or masks."""
    inputs = (rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)) / rows.std(axis=0, dtype=np.float64)
    known, positive = inputs[truth >= 0], truth[truth >= 0] == 1

    def loss(weights):
        logits = known @ weights[:-1] + weights[-1]
        value = np.logaddexp(0, -np.where(positive, 1, -1) * logits).mean() + strength / 2 * (weights[:-1] ** 2).sum()
        error = (expit(logits) - positive) / len(known)
        return value, np.append(known.T @ error + strength * weights[:-1], error.sum())

    found = minimize(loss, np.zeros(inputs.shape[1] + 1), jac=True, options={"gtol": 1e-9})
    return inputs @ found.x[:-1] + found.x[-1]


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_fit_is_the_minimum(seed):
    rows, labels = data(seed)
    for probe in fit_probes(rows, labels, (10.0, 0.1, 1e-3)):
        assert probe.converged
        logits = probe.logits(rows)
        for at in range(len(labels.names)):
            np.testing.assert_allclose(logits[:, at], minimised(rows, labels.truth[:, at], probe.strength), atol=2e-3)


def test_a_label_is_fitted_as_if_it_were_alone():
    rows, labels = data(4, labels=8)
    together = fit_probes(rows, labels, (0.01,))[0].logits(rows)
    for at in range(8):
        alone = fit_probes(rows, Labels((labels.names[at],), labels.truth[:, [at]]), (0.01,))[0].logits(rows)
        np.testing.assert_allclose(together[:, at], alone[:, 0], atol=1e-3)


def test_it_answers_by_rank_on_data_that_it_can_separate():
    rows, _ = data(5)
    perfect = Labels(("a",), (rows[:, [0]] > np.median(rows[:, 0])).astype(np.int8))
    probe = fit_probes(rows, perfect, (1e-5,))[0]
    assert probe.converged
    assert ((probe.logits(rows)[:, 0] >= 0) == (perfect.truth[:, 0] == 1)).all()


@pytest.mark.parametrize("kind", ["constant", "huge constant", "copied"])
def test_features_that_add_nothing_change_nothing(kind):
    rows, labels = data(6)
    extra = {"constant": np.zeros(len(rows)), "huge constant": np.full(len(rows), 1e6), "copied": rows[:, 0]}[kind]
    wider = np.column_stack([rows, extra.astype(np.float32)])
    plain, with_it = (fit_probes(each, labels, (1e-5,))[0] for each in (rows, wider))
    assert with_it.converged
    tolerance = 0.05 if kind == "copied" else 1e-6  # the penalty is a little weaker on a feature that is there twice
    np.testing.assert_allclose(plain.logits(rows), with_it.logits(wider), atol=tolerance)


def test_the_scale_of_a_feature_does_not_matter():
    rows, labels = data(7)
    scaled = (rows * np.float32(1024.0)).astype(np.float32)
    plain, other = (fit_probes(each, labels, (0.1,))[0].logits(each) for each in (rows, scaled))
    np.testing.assert_allclose(plain, other, atol=1e-6)


def test_axes_keep_lengths_of_standardised_rows():
    rows, _ = data(8)
    axes = find_axes(rows)
    standardised = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    turned = axes(rows)
    np.testing.assert_allclose(np.linalg.norm(turned[:, :-1], axis=1), np.linalg.norm(standardised, axis=1), rtol=1e-4)
    np.testing.assert_allclose((turned**2).mean(axis=0), axes.spread, rtol=1e-9, atol=1e-9)
    assert (turned[:, -1] == 1).all()


def test_strengths_come_from_strong_to_weak_and_shrink_less_and_less():
    rows, labels = data(9)
    probes = fit_probes(rows, labels, (0.01, 10.0, 0.01, 1.0))
    assert [probe.strength for probe in probes] == [10.0, 1.0, 0.01]
    sizes = [np.linalg.norm(probe.weights[:-1]) for probe in probes]
    assert sizes == sorted(sizes)


def test_records_with_equal_embeddings_tie_to_the_last_bit():
    """As they do in a release in which patients were made alike."""
    rows, labels = data(11, records=203, width=33)
    probe = fit_probes(rows, labels, (0.01,))[0]
    alike = np.tile(rows[:3], (67, 1))
    logits = probe.logits(np.concatenate([rows[:1], alike]))
    assert len(np.unique(logits, axis=0)) == 3
    np.testing.assert_allclose(logits[1:4], probe.logits(rows)[:3], rtol=1e-9)


def test_the_same_data_give_the_same_bytes():
    rows, labels = data(10)
    one, other = (fit_probes(rows, labels, (0.1, 0.001)) for _ in range(2))
    assert all(a.weights.tobytes() == b.weights.tobytes() for a, b in zip(one, other, strict=True))
