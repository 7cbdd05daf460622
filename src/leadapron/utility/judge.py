"""From scores to metrics: every number in the sample and in all redraws, which are the same for every number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort.truth import Labels
from leadapron.utility.auroc import count_redraws
from leadapron.utility.redraws import Redraws, draw
from leadapron.utility.scores import Scores
from leadapron.utility.utility import UtilityConfig

Floats = NDArray[np.float64]

PROBE_METRICS = ("auroc", "accuracy", "sensitivity", "specificity")
ZERO_SHOT = "zero-shot auroc"
RETRIEVED = "label-retrieval"


@dataclass(frozen=True)
class Measured:
    """A number: ``value`` in the sample, ``replicates`` in the redraws, NaN in those without one of the classes."""

    metric: str
    label: str | None
    value: float
    replicates: Floats
    n: int
    patients: int
    positives: int | None = None
    smallest_class: int | None = None


def judge(scores: Scores, config: UtilityConfig) -> list[Measured]:
    """All metrics of all scores that are there. The mean over labels comes before its labels."""
    redraws = draw_for(scores, config)
    found = []
    if scores.probe:
        labels, logits = _chosen(scores.labels, scores.probe)
        counts = count_redraws(logits, labels, redraws)
        for metric in PROBE_METRICS:
            found += _by_label(metric, getattr(counts, metric)(), labels, scores.patient_id)
    if scores.zero_shot:
        labels, values = _chosen(scores.labels, scores.zero_shot)
        found += _by_label(ZERO_SHOT, count_redraws(values, labels, redraws).auroc(), labels, scores.patient_id)
    for name, column in scores.retrieval.items():
        asked, means = ~np.isnan(column), redraws.means(column)
        found.append(_measured(f"{RETRIEVED} {name}", means, asked, scores.patient_id))
    return found


def draw_for(scores: Scores, config: UtilityConfig) -> Redraws:
    unit = scores.patient_id if config.resample == "patient" else scores.record_id
    return draw(unit, config.redraws, config.seed)


def _chosen(labels: Labels, held: Mapping[str, Floats]) -> tuple[Labels, Floats]:
    """The labels for which there are scores, and these as columns."""
    columns = [labels.names.index(name) for name in held]
    return labels.columns(columns), np.stack(list(held.values()), axis=1)


def _by_label(metric: str, values: Floats, labels: Labels, patient_id: NDArray[np.str_]) -> list[Measured]:
    """The mean over labels, in a redraw over those that have both classes there, and each label by itself."""
    there = ~np.isnan(values)
    macro = np.where(there, values, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    macro[~there.any(axis=1)] = np.nan
    known, positive = labels.known, labels.positive
    found = [_measured(metric, macro, np.asarray(known.any(axis=1)), patient_id)]
    for at, name in enumerate(labels.names):
        with_it, without = positive[:, at], known[:, at] & ~positive[:, at]
        one = _measured(metric, values[:, at], known[:, at], patient_id)
        fewest = min(len(np.unique(patient_id[with_it])), len(np.unique(patient_id[without])))
        found.append(replace(one, label=name, positives=int(with_it.sum()), smallest_class=fewest))
    return found


def _measured(metric: str, values: Floats, judged: NDArray[np.bool_], patient_id: NDArray[np.str_]) -> Measured:
    patients = len(np.unique(patient_id[judged]))
    return Measured(metric, None, float(values[0]), values[1:], int(judged.sum()), patients)
