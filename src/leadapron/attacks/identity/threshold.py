"""A threshold set on some patients and judged on others: accuracy, specificity, recall, precision and F1.

Pairs of strangers outnumber pairs of one patient by thousands to one. As in the study, the figures are of as many pairs
of either kind.
"""

from __future__ import annotations

import numpy as np

from leadapron.attacks.identity.identity_task import Task
from leadapron.attacks.identity.intervals import Reading, Sums, alarm_limits, together
from leadapron.attacks.identity.pair_sweeps import Swept, sweep_all
from leadapron.attacks.identity.roc import cell_of_best
from leadapron.attacks.identity.scores import Scores
from leadapron.stats import FAR, Estimate, joined, share_limits


def tune(task: Task, scores: Scores) -> float:
    """The score that tells best between as many pairs of either kind."""
    swept = sweep_all(task, scores, (np.ones(len(task.first), dtype=bool),))
    return swept.grid.score(cell_of_best(swept.rocs[0]))


def at_threshold(swept: Swept) -> list[Reading]:
    """The figures at the threshold that was watched last.

    Each grows with what is recognised and falls with the alarms. The distances to where the limits of either lead are
    put together by their squares.
    """
    sums = Sums(swept, 0)
    there = sums.pairs > 0
    pairs, reached = sums.pairs[there], sums.reached(int(swept.grid.cells(swept.passed.watched)[-1]))[there]
    alarms = sums.alarms(-1)
    recall, alarm = float(reached.sum() / pairs.sum()), float(alarms.sum() / sums.strangers.sum())
    low_recall, high_recall = share_limits(reached, pairs)
    low_alarm, high_alarm = alarm_limits(alarm, sums.strangers, together(alarms, sums.strangers))
    worse = _figures(low_recall, alarm), _figures(recall, high_alarm)
    better = _figures(high_recall, alarm), _figures(recall, low_alarm)
    readings = []
    for name, value in _figures(recall, alarm).items():
        low = max(0.0, value - joined(*(value - figures[name] for figures in worse)))
        high = min(1.0, value + joined(*(figures[name] - value for figures in better)))
        estimate = Estimate(value, low, high, (high - low) / (2 * FAR), round(pairs.sum()), len(pairs))
        readings.append(Reading(name, 0.5, estimate))
    return readings


def _figures(recall: float, alarm: float) -> dict[str, float]:
    precision = recall / (recall + alarm) if recall + alarm > 0 else 0.5
    return {
        "accuracy": (recall + 1 - alarm) / 2,
        "specificity": 1 - alarm,
        "recall": recall,
        "precision": precision,
        "f1": 2 * precision * recall / max(precision + recall, 1e-300),
    }
