"""Chance: what each number is for somebody who does not look at the image."""

from __future__ import annotations

import numpy as np

from leadapron.cohort.truth import Labels
from leadapron.utility.judge import RETRIEVED, ZERO_SHOT, Measured
from leadapron.utility.scores import Scores


def blind_answers(train: Labels) -> dict[str, bool]:
    """The more frequent class of the training records."""
    counts = zip(train.names, train.positive.sum(axis=0), train.known.sum(axis=0), strict=True)
    return {name: bool(2 * positives >= known) for name, positives, known in counts}


def chance_of(one: Measured, blind: dict[str, bool], scores: Scores) -> float:
    """One half for an area; the blind answer's rate at a threshold; blindly drawn reports in retrieval."""
    if one.metric.startswith(RETRIEVED):
        return float(np.nanmean(scores.chance[one.metric.removeprefix(f"{RETRIEVED} ")]))
    if one.metric in ("auroc", ZERO_SHOT):
        return 0.5
    labels = [one.label] if one.label else list(scores.probe)
    return float(np.mean([_rate(one.metric, blind[label], label, scores.labels) for label in labels]))


def _rate(metric: str, answer: bool, label: str, labels: Labels) -> float:
    if metric != "accuracy":
        return float(answer == (metric == "sensitivity"))
    at = labels.names.index(label)
    share = float(labels.positive[:, at].sum() / labels.known[:, at].sum())
    return share if answer else 1.0 - share
