"""Any report of the right patient: the closed form against every pool there is, ties and repeated words included."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.linkage import rank_truth
from leadapron.attacks.linkage.any_report import any_report_in_pools
from leadapron.attacks.linkage.linkage_task import build_task
from leadapron.attacks.linkage.random_pools import RandomPools
from leadapron.release import Release


def release(image, text, patients):
    count = len(image)
    records = pl.DataFrame(
        {
            "record_id": [f"r{row}" for row in range(count)],
            "patient_id": [f"p{who}" for who in patients],
            "report_id": [f"t{row}" for row in range(count)],
        }
    )
    return Release(records, {"image": image.astype(np.float32), "text": text.astype(np.float32)})


def by_every_pool(task, pool):
    """Every pool that holds the true one; the winners at the top share the win."""
    texts = np.asarray(task.database.texts)[task.database.text_of]
    scores = np.round(task.queries @ texts.T, 5)
    chances = []
    for query, truth in enumerate(task.truth):
        others = [candidate for candidate in range(len(texts)) if candidate != truth]
        wins = []
        for drawn in combinations(others, pool - 1):
            members = np.array([truth, *drawn])
            top = members[scores[query, members] == scores[query, members].max()]
            wins.append((task.candidate_patient[top] == task.query_patient[query]).mean())
        chances.append(np.mean(wins))
    return np.array(chances)


@pytest.mark.parametrize("pool", [2, 3, 5, 8])
@pytest.mark.parametrize("repeated", [False, True])
def test_agrees_with_every_pool(pool, repeated):
    rng = np.random.default_rng(pool)
    patients = [0, 0, 0, 1, 1, 2, 3, 3]
    text = rng.integers(-2, 3, (8, 3)) + np.array([0, 0, 0.5])
    if repeated:  # a patient's own reports, two of them alike, and strangers with the same words
        text[1] = text[0]
        text[[4, 5]] = text[0]
        text[7] = text[6]
    task = build_task(release(rng.standard_normal((8, 3)), text, patients), "image-to-report")
    chances = RandomPools(rank_truth(task.queries, task.database, task.truth))
    np.testing.assert_allclose(any_report_in_pools(task, chances, [2, pool])[1], by_every_pool(task, pool), atol=1e-9)


def test_a_patient_alone_is_everything():
    rng = np.random.default_rng(0)
    task = build_task(release(rng.standard_normal((6, 4)), rng.standard_normal((6, 4)), [0] * 6), "image-to-report")
    chances = RandomPools(rank_truth(task.queries, task.database, task.truth))
    np.testing.assert_allclose(any_report_in_pools(task, chances, [4])[0], 1.0, atol=1e-9)
