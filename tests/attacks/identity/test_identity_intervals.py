"""Intervals of the identity audit: they cover at their nominal rate, and fit what redrawing everything anew gives."""

from __future__ import annotations

import numpy as np
import pytest

from identity_data import cosine_table, drawn, release_of, slow_auc
from leadapron.attacks.identity import scores as scoring
from leadapron.attacks.identity.gallery import build_gallery
from leadapron.attacks.identity.identity_task import build_task
from leadapron.attacks.identity.intervals import read_off
from leadapron.attacks.identity.pair_sweeps import sweep_all
from leadapron.attacks.identity.threshold import at_threshold, tune

METRICS = ("auc", "eer", "tpr@fpr=0.01")
STUDIES, PATIENTS, NOISE = 150, 50, 1.2


def readings_of(image, who, tuned=None):
    task = build_task(build_gallery(release_of(image, who)))
    scores = scoring.cosines(task.gallery.image)
    swept = sweep_all(task, scores, (np.ones(len(task.first), dtype=bool),), tuned)
    readings = read_off(swept, 0)
    readings += at_threshold(swept) if tuned is not None else []
    return {reading.metric: reading.estimate for reading in readings}


@pytest.fixture(scope="module")
def studies():
    return [readings_of(*drawn(PATIENTS, NOISE, seed=seed), tuned=0.45) for seed in range(1, STUDIES + 1)]


@pytest.fixture(scope="module")
def truth():
    """As good as the whole population: forty times as many patients."""
    return readings_of(*drawn(40 * PATIENTS, NOISE, seed=0), tuned=0.45)


@pytest.mark.study
@pytest.mark.parametrize("metric", [*METRICS, "accuracy", "specificity", "recall", "f1"])
def test_intervals_cover_at_their_nominal_rate(metric, studies, truth):
    covered = np.mean([study[metric].low <= truth[metric].value <= study[metric].high for study in studies])
    assert covered >= 0.93 - 0.02  # of 150 studies the share itself errs by 0.018


@pytest.mark.study
@pytest.mark.parametrize("metric", METRICS)
def test_the_spread_is_that_between_studies_and_no_interval_twice_as_long(metric, studies):
    between = np.std([study[metric].value for study in studies])
    if metric == "auc":
        assert np.mean([study[metric].sd for study in studies]) == pytest.approx(between, rel=0.25)
    assert np.mean([study[metric].high - study[metric].low for study in studies]) < 2 * 3.92 * between


@pytest.mark.study
def test_where_nearly_all_are_recognised_intervals_still_cover():
    """Forty patients and an AUC of 0.99: percentile intervals covered it in 74 of 100 studies."""
    truth = readings_of(*drawn(1500, 0.45, seed=0))
    studies = [readings_of(*drawn(40, 0.45, seed=seed)) for seed in range(1, 41)]
    for metric in ("auc", "eer"):
        assert np.mean([study[metric].low <= truth[metric].value <= study[metric].high for study in studies]) >= 0.9


def test_where_all_are_recognised_there_is_an_interval():
    found = readings_of(*drawn(100, 1e-3, seed=4))
    assert (found["auc"].value, found["eer"].value, found["tpr@fpr=0.01"].value) == (1, 0, 1)
    assert 0.9 < found["auc"].low < 0.99
    assert 0.03 < found["eer"].high < 0.2
    assert 0.8 < found["tpr@fpr=0.01"].low < 0.97


def test_reweighting_is_what_comparing_everything_again_gives():
    """Whole patients drawn, and all pairs compared anew."""
    image, who = drawn(30, 1.2, seed=3)
    ours = readings_of(image, who)["auc"]
    table, rng = cosine_table(image), np.random.default_rng(0)
    rows_of = [np.flatnonzero(who == patient) for patient in range(30)]
    redrawn = []
    for _ in range(150):
        chosen = rng.integers(0, 30, 30)
        rows = np.concatenate([rows_of[patient] for patient in chosen])
        copy = np.repeat(np.arange(30), [len(rows_of[patient]) for patient in chosen])
        strangers = who[rows][:, None] != who[rows][None, :]  # two copies of one patient tell nothing of strangers
        redrawn.append(slow_auc(table[np.ix_(rows, rows)], copy, strangers))
    assert ours.sd == pytest.approx(np.std(redrawn), rel=0.25)


def test_a_threshold_is_tuned_where_pairs_are_told_apart_best():
    image, who = drawn(60, 0.8, seed=5)
    task = build_task(build_gallery(release_of(image, who)))
    threshold = tune(task, scoring.cosines(task.gallery.image))
    table, patient = cosine_table(task.gallery.image), task.gallery.patient
    upper = np.triu(np.ones_like(table, dtype=bool), 1)
    same = patient[:, None] == patient[None, :]

    def accuracy(at):
        return ((table[same & upper] >= at).mean() + (table[~same & upper] < at).mean()) / 2

    assert accuracy(threshold) >= max(accuracy(at) for at in np.linspace(-1, 1, 400)) - 1e-9


def test_figures_at_a_threshold_are_those_of_as_many_pairs_of_either_kind():
    image, who = drawn(60, 0.8, seed=6)
    found = readings_of(image, who, tuned=0.5)
    table = cosine_table(image)
    upper = np.triu(np.ones_like(table, dtype=bool), 1)
    same = who[:, None] == who[None, :]
    recall, alarm = (table[same & upper] >= 0.5).mean(), (table[~same & upper] >= 0.5).mean()
    assert found["recall"].value == pytest.approx(recall, abs=1e-9)
    assert found["specificity"].value == pytest.approx(1 - alarm, abs=1e-6)
    assert found["precision"].value == pytest.approx(recall / (recall + alarm), abs=1e-5)
    assert found["f1"].value == pytest.approx(2 * recall / (2 * recall + alarm + 1 - recall), abs=1e-5)
