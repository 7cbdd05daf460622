"""One-to-one assignment over the whole release: a report that is surely somebody else's is nobody's second best.

Every study has one report and every report one study, so the attacker looks for the matching with the largest total
similarity. Only each query's nearest candidates are kept; on that graph the matching is exact.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching

from leadapron.attacks.linkage.linkage_task import Task
from leadapron.attacks.linkage.nearest import nearest
from leadapron.release.rows import unit

KEPT = 20
ALONE = -1.0
"""The worth of staying without a partner: less than that of any similarity, so it is the last resort."""


def assign(task: Task) -> NDArray[np.float64]:
    """For each query whether the matching pairs it with its true candidate; equal texts share the credit."""
    studies, study = np.unique(task.truth, return_inverse=True)
    sums = np.zeros((len(studies), task.queries.shape[1]), dtype=np.float32)
    np.add.at(sums, study, task.queries)
    means = unit(sums)

    texts, text_of = np.asarray(task.database.texts), task.database.text_of
    kept = min(KEPT, len(text_of))
    places, similarity = nearest(means, texts[text_of], kept)
    rows = np.repeat(np.arange(len(studies)), kept)
    # A column of its own for each study lets it stay alone: then a full matching always exists.
    weights = np.concatenate([similarity.ravel() + 2.0, np.full(len(studies), ALONE + 2.0)])
    columns = np.concatenate([places.ravel(), len(text_of) + np.arange(len(studies))])
    graph = csr_array(
        (weights.astype(np.float64), (np.concatenate([rows, np.arange(len(studies))]), columns)),
        shape=(len(studies), len(text_of) + len(studies)),
    )
    matched_rows, matched = min_weight_full_bipartite_matching(graph, maximize=True)
    partner = np.full(len(studies), -1)
    partner[matched_rows] = matched
    paired = partner < len(text_of)
    own = text_of[studies]
    same = np.zeros(len(studies), dtype=bool)
    same[paired] = text_of[partner[paired]] == own[paired]
    # among candidates that are equal, word for word, the matching has hit the true one by chance
    return np.where(same, 1 / task.database.copies[own], 0.0)[study]
