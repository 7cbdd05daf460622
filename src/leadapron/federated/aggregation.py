"""The mean of what stations learnt, part by part of the model, each station with its own weight in each part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leadapron.federated.federation_plan import Holds
from leadapron.federated.fusion_model import group_of
from leadapron.federated.station import Arrays


@dataclass(frozen=True)
class Share:
    """What decides on a station's weight: what it holds, and its records among all that take part."""

    holds: Holds
    records: int
    of_all: float


def weight_of(share: Share, group: str, normalise: str, alpha: float) -> float:
    """Before all are divided by their sum.

    An encoder that was trained on retrieved partners counts ``alpha`` times. The classifier is weighted by records
    alone, as published. ``softmax`` is the published way: the shares are about 0.1 each, so that their exponentials
    hardly differ, whatever alpha is.
    """
    if group == "classifier":
        return float(share.records)
    borrowed = (group == "text_encoder" and share.holds == "image") or (
        group == "image_encoder" and share.holds == "text"
    )
    factor = alpha if borrowed else 1.0
    return float(np.exp(factor * share.of_all)) if normalise == "softmax" else factor * share.records


def weighted_mean(updates: Sequence[Arrays], weights: Sequence[Mapping[str, float]], before: Arrays) -> Arrays:
    """The mean of each array over those who sent it, in double precision and in the order given.

    An array that nobody sent, or that nobody has a weight in, stays as it was ``before``.
    """
    mean: Arrays = {}
    for name, old in before.items():
        group = group_of(name)
        held = [(one[group], update[name]) for one, update in zip(weights, updates, strict=True) if name in update]
        total = sum(weight for weight, _ in held)
        if not total:
            mean[name] = old
        elif not np.issubdtype(old.dtype, np.floating):  # a counter of batches
            mean[name] = held[0][1]
        else:
            summed = sum(weight * array.astype(np.float64) for weight, array in held)
            mean[name] = np.asarray(summed / total, dtype=old.dtype)
    return mean
