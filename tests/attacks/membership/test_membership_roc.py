"""Figures of an attack on several models: as counted by hand, with intervals over patients and models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from leadapron.attacks.membership.membership_roc import CURVE, curve_table, measure
from membership_data import masks, slow_auc


def attack(patients, targets, seed, *, shift=1.0, images=3, between=0.0):
    """Scores by which members stand out, in some models (``between``) more than in others."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(patients), images)
    truth = masks(10, patients, rng)[:targets].T[who]
    strength = shift + between * rng.normal(size=targets)
    noise = 0.7 * rng.normal(size=(patients, targets))[who] + 0.7 * rng.normal(size=(len(who), targets))
    return noise + truth * strength, truth, who


def test_figures_are_those_counted_by_hand():
    scores, truth, who = attack(60, 3, seed=0)
    figures, curves = measure(scores, truth, who)
    found = {figure.metric: figure.estimate for figure in figures}
    by_hand = [slow_auc(scores[truth[:, at], at], scores[~truth[:, at], at]) for at in range(3)]
    assert found["auc"].value == pytest.approx(np.mean(by_hand))
    rates = []
    for at in range(3):
        out = np.sort(scores[~truth[:, at], at])[::-1]
        allowed = int(0.1 * len(out) + 1e-9)  # so many false alarms, and the next would be one too many
        rates.append((scores[truth[:, at], at] > out[allowed]).mean())
    assert found["tpr@fpr=0.1"].value == pytest.approx(np.mean(rates))
    assert "tpr@fpr=0.001" not in found  # ninety others: there is no such rate
    table = curve_table("lira", curves)
    assert table["tpr"][-1] == 1
    assert table["tpr"].is_sorted()
    assert table.height == len(CURVE)


@pytest.mark.study
@pytest.mark.parametrize(("shift", "between"), [(0.0, 0.0), (1.0, 0.0), (1.0, 0.4)])
def test_intervals_cover_at_their_nominal_rate(shift, between):
    """Patients and models are drawn anew in every study, and the records of a patient go together."""
    spread = np.hypot(np.sqrt(2 * 0.98), between)
    truth = {"auc": ndtr(shift / spread)}
    many, members, who = attack(20_000, 10, seed=10**6, shift=shift, images=1)
    if between == 0:
        truth["tpr@fpr=0.1"] = measure(many, members, who)[0][1].estimate.value
    covered = dict.fromkeys(truth, 0)
    for study in range(200):
        figures = measure(*attack(60, 8, study, shift=shift, between=between))[0]
        for figure in figures:
            if figure.metric in truth:
                covered[figure.metric] += figure.estimate.low <= truth[figure.metric] <= figure.estimate.high
    for metric, count in covered.items():
        assert 0.90 <= count / 200 <= 0.995, metric


def test_an_interval_that_took_records_for_units_would_be_too_short():
    scores, truth, who = attack(300, 1, seed=1, images=6)
    by_patient = measure(scores, truth, who)[0][0].estimate.sd
    by_record = measure(scores, truth, np.arange(len(who)))[0][0].estimate.sd
    assert by_patient > 1.3 * by_record


def test_of_one_model_and_few_patients_the_interval_of_a_high_auc_covers():
    """One of spread alone, on the probit scale, covered in 60 of 100 studies, and had no width in some."""
    truth, covered = ndtr(4 / np.sqrt(2 * 0.98)), 0
    for study in range(150):
        found = measure(*attack(40, 1, study, shift=4.0, images=2))[0][0].estimate
        covered += found.low <= truth <= found.high
        assert found.low < found.high
    assert covered / 150 >= 0.93
