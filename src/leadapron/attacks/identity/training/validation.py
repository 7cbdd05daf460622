"""How well patients who were not trained on are recognised: the figures by which training is watched."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

Floats = NDArray[np.float32]
Scores = Callable[[Floats, Floats], Floats]
"""Embeddings of some images and of all, in; the score of each of the former with each of the latter, out."""


def cosine_scores(some: Floats, everyone: Floats) -> Floats:
    """For embeddings of length one."""
    return some @ everyone.T


def weighted_l1_scores(weights: Floats, bias: float) -> Scores:
    """A verification network's logits from its activations."""

    def scores(some: Floats, everyone: Floats) -> Floats:
        rows = [np.abs(everyone - row) @ weights + bias for row in some]
        return np.stack(rows).astype(np.float32)

    return scores


def recognition(
    embeddings: Floats, patients: NDArray[np.generic], scores: Scores, *, apart: NDArray[np.generic] | None = None
) -> dict[str, float]:
    """AUC over all pairs of images, and precision@1 over all images that have a mate.

    Images with the same value of ``apart`` (such as their study) are not compared with each other.
    """
    matrix = scores(embeddings, embeddings)
    ignored = np.eye(len(patients), dtype=bool) if apart is None else apart[:, None] == apart
    same = (patients[:, None] == patients) & ~ignored
    with_mate = same.any(axis=1)
    best = np.where(ignored, -np.inf, matrix).argmax(axis=1)
    hits = same[np.arange(len(best)), best][with_mate]
    upper = np.triu(~ignored)
    return {
        "auc": auc(matrix[upper], same[upper]),
        "precision_at_1": float(hits.mean()),
        "images": len(hits),
        "patients": len(np.unique(patients[with_mate])),
    }


def auc(scores: NDArray[np.floating], positive: NDArray[np.bool_]) -> float:
    """The chance that a positive pair scores above a negative one, ties counting half."""
    count = int(positive.sum())
    ranks = rankdata(scores)[positive]
    return float((ranks.sum() - count * (count + 1) / 2) / (count * (len(scores) - count)))
