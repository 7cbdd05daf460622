"""What an attacker takes together who sees which images are of one study, or of one patient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from leadapron.attacks.linkage.linkage_task import Floats, Ints, Task
from leadapron.release.rows import unit


def alone(task: Task) -> Task:
    """Every query by itself."""
    return task


def by_study(task: Task) -> Task:
    """The queries of a study are one, their mean: one report is of all of them."""
    _, study = np.unique(task.truth, return_inverse=True)
    return replace(task, queries=unit(_means(task.queries, study))[study])


def by_patient(task: Task) -> Task:
    """All queries of a patient together: what persists adds up, what is noise does not."""
    return replace(task, queries=unit(task.queries + _means(task.queries, task.query_patient)[task.query_patient]))


def _means(rows: Floats, group: Ints) -> Floats:
    sums = np.zeros((int(group.max()) + 1, rows.shape[1]), dtype=np.float32)
    np.add.at(sums, group, rows)
    means: Floats = sums / np.maximum(np.bincount(group), 1).astype(np.float32)[:, None]
    return means


POOLINGS: dict[str, Callable[[Task], Task]] = {"none": alone, "study": by_study, "patient": by_patient}
