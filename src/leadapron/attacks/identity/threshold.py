"""A threshold set on some patients and judged on others: accuracy, specificity, recall, precision and F1.

Pairs of strangers outnumber pairs of one patient by thousands to one. As in the study, the figures are of as many pairs
of either kind.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.intervals import Reading, by_patient, spread_of
from leadapron.attacks.identity.measure import Swept, sweep_all
from leadapron.attacks.identity.roc import cell_of_best
from leadapron.attacks.identity.scores import Scores
from leadapron.attacks.identity.task import Task
from leadapron.stats import redrawn_means

Doubles = NDArray[np.float64]


def tune(task: Task, scores: Scores) -> float:
    """The score that tells best between as many pairs of either kind."""
    swept = sweep_all(task, scores, (np.ones(len(task.first), dtype=bool),))
    return swept.grid.score(cell_of_best(swept.rocs[0]))


def at_threshold(swept: Swept, *, redraws: int, seed: int) -> list[Reading]:
    """The figures at the threshold that was watched last."""
    pairs, everybody = swept.sets[0], int(swept.patient.max()) + 1
    people = len(np.unique(pairs.patient))
    cell = int(swept.grid.cells(swept.passed.watched)[-1])
    columns = np.stack(
        [
            by_patient(np.ones(len(pairs.cells)), pairs.patient, everybody),
            by_patient(pairs.cells >= cell, pairs.patient, everybody),
            by_patient(swept.strangers, swept.patient, everybody),
            by_patient(swept.passed.over[:, -1], swept.patient, everybody),
        ],
        axis=1,
    )
    sums = columns.mean(axis=0)
    drawn = redrawn_means(columns, np.arange(everybody), redraws=redraws, seed=seed)
    drawn = drawn[(drawn[:, 0] > 0) & (drawn[:, 2] > 0)]
    recall, alarm = sums[1] / sums[0], sums[3] / sums[2]
    # a strangers' pair counts for two patients: see ``intervals``
    recalls, alarms = drawn[:, 1] / drawn[:, 0], np.clip(alarm + 2 * (drawn[:, 3] / drawn[:, 2] - alarm), 0, 1)
    values, redrawn = _figures(np.array([recall]), np.array([alarm])), _figures(recalls, alarms)
    return [
        Reading(name, 0.5, spread_of(float(values[name][0]), redrawn[name], len(pairs.cells), people))
        for name in values
    ]


def _figures(recall: Doubles, alarm: Doubles) -> dict[str, Doubles]:
    precision = np.where(recall + alarm > 0, recall / np.maximum(recall + alarm, 1e-300), 0.5)
    return {
        "accuracy": (recall + 1 - alarm) / 2,
        "specificity": 1 - alarm,
        "recall": recall,
        "precision": precision,
        "f1": 2 * precision * recall / np.maximum(precision + recall, 1e-300),
    }
