"""One-to-one assignment over the whole release: a report that is surely somebody else's is nobody's second best.

Every study has one report and every report one study, so the attacker looks for the matching with the largest total
similarity. Only each query's nearest texts are kept; on that graph the matching is exact. A text is given to as many
studies as it has copies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.linkage_task import Task
from leadapron.attacks.linkage.nearest import nearest_kept
from leadapron.attacks.linkage.sparse_matching import match
from leadapron.release.rows import unit

KEPT = 20
ALONE = -1.0
"""The worth of staying without a partner: less than that of any similarity, so it is the last resort."""


def assign(task: Task) -> NDArray[np.float64]:
    """For each query whether the matching pairs it with its true candidate; equal texts share the credit."""
    studies, study = np.unique(task.truth, return_inverse=True)
    rows = task.queries
    if not np.array_equal(studies, task.truth):  # a study has several images, or they stand in another order
        sums = np.zeros((len(studies), rows.shape[1]), dtype=np.float32)
        np.add.at(sums, study, rows)
        rows = unit(sums)
    texts, copies = np.asarray(task.database.texts), task.database.copies
    places, similarity = nearest_kept(rows, texts, min(KEPT, len(texts)))
    chosen, _ = match(places, similarity, copies, ALONE)
    partner = np.where(chosen < 0, -1, places[np.arange(len(studies)), chosen])
    own = task.database.text_of[studies]
    # among candidates that are equal, word for word, the matching has hit the true one by chance
    return np.where(partner == own, 1 / copies[own], 0.0)[study]
