"""LiRA: is the answer likelier under models that were trained on the record, or under models that were not?

Carlini and others (2022). Online the attacker has reference models of both kinds; offline only such as were not
trained on the record, and asks how far above theirs the answer is. That question has one side: an answer far below is
no sign of a member.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.membership.references import Gathered
from leadapron.attacks.membership.shifts import shrunk_means
from leadapron.attacks.membership.signal_moments import Moments
from leadapron.attacks.membership.variances import shrunk_variances

Doubles = NDArray[np.float64]


def online(gathered: Gathered) -> Doubles:
    """Records by targets: the log-likelihood ratio."""
    return log_ratio(gathered.answers, gathered.moments)


def offline(gathered: Gathered) -> Doubles:
    """How many standard deviations above the models without the record. Not its tail probability: that saturates."""
    return standing(gathered.answers, gathered.moments)


def online_per_label(gathered: Gathered) -> Doubles:
    """The ratios of all labels added up, as if they were independent."""
    assert gathered.label_moments is not None
    total: Doubles = _by_label(gathered, log_ratio(_flat(gathered), gathered.label_moments)).sum(axis=2)
    return total


def offline_per_label(gathered: Gathered) -> Doubles:
    assert gathered.label_moments is not None
    total: Doubles = _by_label(gathered, standing(_flat(gathered), gathered.label_moments)).sum(axis=2)
    return total


def online_joint(gathered: Gathered) -> Doubles:
    """The labels as one Gaussian: each record's correlations, shrunk towards those of all records."""
    moments, crossed, answers = gathered.label_moments, gathered.crossed, gathered.label_answers
    assert moments is not None
    assert crossed is not None
    assert answers is not None
    records, labels = crossed.shape[:2]
    variance = shrunk_variances(moments)
    deviation = np.sqrt(variance).reshape(records, labels, 2)
    means = shrunk_means(moments, variance).reshape(records, labels, 2)
    count = gathered.moments.count.sum(axis=1)
    correlation = _shrunk_correlation(crossed, count)
    told = crossed[:, range(labels), range(labels)] > 0  # a label that is unknown never varies
    off = [(answers - means[:, None, :, side]) / deviation[:, None, :, side] * told[:, None] for side in (0, 1)]
    solved = [np.linalg.solve(correlation, part.transpose(0, 2, 1)).transpose(0, 2, 1) for part in off]
    out, into = ((part * inverse).sum(axis=2) for part, inverse in zip(off, solved, strict=True))
    scales = (np.log(deviation[:, :, 0] / deviation[:, :, 1]) * told).sum(axis=1)
    ratio: Doubles = (out - into) / 2 + scales[:, None]
    return ratio


def log_ratio(answers: Doubles, moments: Moments) -> Doubles:
    variance = shrunk_variances(moments)
    mean = shrunk_means(moments, variance)
    out, into = ((answers - mean[:, side, None]) ** 2 / variance[:, side, None] for side in (0, 1))
    ratio: Doubles = (out - into + np.log(variance[:, 0] / variance[:, 1])[:, None]) / 2
    return ratio


def standing(answers: Doubles, moments: Moments) -> Doubles:
    """Of a record that every reference has, nothing is known offline."""
    score = (answers - moments.mean[:, :1]) / np.sqrt(shrunk_variances(moments)[:, :1])
    return np.where(np.isnan(score), 0.0, score)


def _flat(gathered: Gathered) -> Doubles:
    """Labels of a record one after the other, as in their moments."""
    assert gathered.label_answers is not None
    return gathered.label_answers.transpose(0, 2, 1).reshape(-1, gathered.label_answers.shape[1])


def _by_label(gathered: Gathered, scores: Doubles) -> Doubles:
    """Back to records by targets by labels; an unknown label says nothing."""
    assert gathered.label_moments is not None
    records, targets = gathered.answers.shape
    told = (gathered.label_moments.variance > 0).any(axis=1).reshape(records, 1, -1)
    return scores.reshape(records, -1, targets).transpose(0, 2, 1) * told


def _shrunk_correlation(crossed: Doubles, count: Doubles) -> Doubles:
    labels = crossed.shape[1]
    own = crossed / count[:, None, None]
    common = own.mean(axis=0)
    scale = np.sqrt(np.maximum(np.diagonal(common), 1e-12))
    common = common / scale[:, None] / scale
    apart = ~np.eye(labels, dtype=bool)
    noise = ((1 - own**2) ** 2)[:, apart].sum(axis=1) / np.maximum(count - 1, 1)
    strayed = ((own - common) ** 2)[:, apart].sum(axis=1)
    weight = np.clip(noise / np.maximum(strayed, 1e-12), 0.05, 1.0)[:, None, None]
    mixed: Doubles = weight * common + (1 - weight) * own
    mixed[:, range(labels), range(labels)] = 1.0 + 1e-6
    return mixed
