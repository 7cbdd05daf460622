"""Partners from the public set for records whose other half is missing.

A record's nearest public records are found in its own modality, in the space of the global encoder; of those the one
whose findings fit best (Jaccard) lends its other half. Ties go to the nearest.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from leadapron.federated.federation_plan import Pairing

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Positive = NDArray[np.bool_]

ROWS_AT_ONCE = 1024


def jaccard(positive: Positive, others: Positive) -> NDArray[np.float64]:
    """How alike the findings of two sets of records are, pair by pair; two without any are alike."""
    one, two = positive.astype(np.float64), others.astype(np.float64)
    common = one @ two.T
    either = one.sum(axis=1)[:, None] + two.sum(axis=1) - common
    share: NDArray[np.float64] = np.divide(common, either, out=np.ones_like(common), where=either > 0)
    return share


def partners(
    own: Floats,
    public: Floats,
    positive: Positive,
    public_positive: Positive,
    *,
    pairing: Pairing,
    neighbours: int,
    rng: np.random.Generator,
) -> Ints:
    """For each record the row of the public set that lends it the missing half.

    ``own`` and ``public`` are embeddings of length one: of the modality that both hold, or, where the pairing is
    cross-modal, of the other one of the public set.
    """
    if pairing == "random":
        return rng.integers(0, len(public), len(own))
    chosen = np.empty(len(own), dtype=np.int64)
    for start in range(0, len(own), ROWS_AT_ONCE):
        block = slice(start, start + ROWS_AT_ONCE)
        nearness = own[block] @ public.T
        if pairing in ("nearest", "cross-modal"):
            chosen[block] = nearness.argmax(axis=1)
        elif pairing == "refined" and neighbours < len(public):
            chosen[block] = _refined(nearness, neighbours, positive[block], public_positive)
        else:
            alike = jaccard(positive[block], public_positive)
            best = alike == alike.max(axis=1, keepdims=True)
            chosen[block] = np.where(best, nearness, -np.inf).argmax(axis=1)
    return chosen


def _refined(nearness: Floats, neighbours: int, positive: Positive, public_positive: Positive) -> Ints:
    """Of the k nearest, and of those who are as near as the k-th, the one whose findings fit best."""
    last = torch.from_numpy(nearness).topk(neighbours, dim=1).values[:, -1:].numpy()
    rows, columns = np.nonzero(nearness >= last)
    common = (positive[rows] & public_positive[columns]).sum(axis=1)
    either = (positive[rows] | public_positive[columns]).sum(axis=1)
    alike = np.divide(common, either, out=np.ones(len(rows)), where=either > 0)
    order = np.lexsort((columns, -nearness[rows, columns], -alike, rows))
    _, first = np.unique(rows[order], return_index=True)
    found: Ints = columns[order][first]
    return found
