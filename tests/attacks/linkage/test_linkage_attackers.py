"""Each attacker does what it is there for, on data made for it, and none finds anything in noise."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.linkage import rank_truth
from leadapron.attacks.linkage.assignment import assign
from leadapron.attacks.linkage.linkage_task import build_task
from leadapron.attacks.linkage.linkers import ATTACKERS, Knowledge
from leadapron.release import Release


def release(image, text, patient=None):
    count = len(image)
    patient = np.arange(count) if patient is None else patient
    records = pl.DataFrame(
        {"record_id": [str(row) for row in range(count)], "patient_id": [str(who) for who in patient]}
    )
    return Release(records, {"image": image.astype(np.float32), "text": text.astype(np.float32)})


def recall(name, data, direction="image-to-report", known=0.1):
    """The share of queries that come first in the whole database."""
    task = ATTACKERS[name](build_task(data, direction), Knowledge(known, seed=0))
    ranks = rank_truth(task.queries, task.database, task.truth)
    return float(((ranks.above == 0) / (ranks.ties + 1)).mean())


def noisy_pairs(noise, count=600, width=20, seed=0):
    rng = np.random.default_rng(seed)
    text = rng.standard_normal((count, width))
    return text + noise * rng.standard_normal((count, width)), text, rng


@pytest.mark.parametrize("name", list(ATTACKERS))
def test_in_noise_nothing_is_found(name):
    rng = np.random.default_rng(1)
    data = release(rng.standard_normal((900, 16)), rng.standard_normal((900, 16)), np.repeat(np.arange(300), 3))
    assert recall(name, data) < 5 / 900


def test_csls_sees_past_hubs():
    """A few reports that are near to everything: the mean of all reports, said with more certainty."""
    image, text, _ = noisy_pairs(1.0)
    image += 1  # a gap between the modalities, as real models have it
    text[:30] += 2.5
    assert recall("csls", release(image, text)) > 1.3 * recall("cosine", release(image, text))


def test_pooling_a_patients_images_averages_the_noise_away():
    rng = np.random.default_rng(2)
    patient = np.repeat(np.arange(150), 4)
    text = rng.standard_normal((150, 20))[patient] + 0.5 * rng.standard_normal((600, 20))
    image = text + 2.0 * rng.standard_normal((600, 20))
    assert recall("pooled", release(image, text, patient)) > 1.2 * recall("cosine", release(image, text, patient))


def test_realignment_undoes_a_rotation():
    image, text, rng = noisy_pairs(0.3)
    rotation, _ = np.linalg.qr(rng.standard_normal((20, 20)))
    turned = release(image @ rotation, text)
    assert recall("cosine", turned) < 0.05
    assert recall("realigned", turned, known=0.2) > 0.5


def test_realignment_with_hardly_any_pairs_does_no_harm():
    image, text, _ = noisy_pairs(0.8)
    plain = recall("cosine", release(image, text))
    assert recall("realigned", release(image, text), known=0.01) > 0.8 * plain


def test_realignment_is_judged_on_others_than_it_has_learned_from():
    image, text, _ = noisy_pairs(0.5)
    patient = np.repeat(np.arange(200), 3)
    task = build_task(release(image, text, patient), "image-to-report")
    judged = ATTACKERS["realigned"](task, Knowledge(0.2, seed=3))
    left_out = set(task.query_patient) - set(judged.query_patient)
    assert 30 <= len(left_out) <= 60
    assert len(judged.truth) == 600 - 3 * len(left_out)


def test_assignment_is_the_best_matching_there_is():
    """All permutations of six, on a graph that keeps every edge."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        image, text = (rng.standard_normal((6, 3)) for _ in range(2))
        task = build_task(release(image, text), "image-to-report")
        scores = task.queries @ np.asarray(task.database.texts).T
        best = max(permutations(range(6)), key=lambda order: sum(scores[row, order[row]] for row in range(6)))
        assert assign(task).tolist() == [float(best[row] == row) for row in range(6)]


def test_assignment_gains_where_one_to_one_is_true():
    image, text, _ = noisy_pairs(1.1, count=500)
    data = release(image, text)
    assert assign(build_task(data, "image-to-report")).mean() > 1.05 * recall("cosine", data)


def test_equal_reports_share_the_credit():
    rng = np.random.default_rng(6)
    text = np.repeat(rng.standard_normal((50, 12)), 4, axis=0)
    data = release(text + 0.01 * rng.standard_normal((200, 12)), text)
    assert assign(build_task(data, "image-to-report")) == pytest.approx(np.full(200, 0.25))
    for name in ("cosine", "csls"):
        assert recall(name, data) == pytest.approx(0.25)


def test_a_report_finds_the_mean_of_its_studys_images():
    rng = np.random.default_rng(7)
    text = rng.standard_normal((40, 10))
    study = np.repeat(np.arange(40), 3)
    image = text[study] + 0.5 * rng.standard_normal((120, 10))
    records = pl.DataFrame({"record_id": [str(row) for row in range(120)], "report_id": study.astype(str)})
    data = Release(records, {"image": image.astype(np.float32), "text": text[study].astype(np.float32)})
    task = build_task(data, "report-to-image")
    mean = np.array([image[study == number].mean(axis=0) for number in range(40)])
    np.testing.assert_allclose(task.database.texts, mean / np.linalg.norm(mean, axis=1, keepdims=True), atol=1e-5)
    assert len(task.queries) == 40
