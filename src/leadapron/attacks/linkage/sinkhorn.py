"""Sinkhorn's matching: a report belongs to one study, so one that many are near to has to be shared among them.

Entropic transport weighs rows and columns in turn until every study gives away as much as any other, and every report
is given as much. What this leaves in the order of one query's candidates is a number a candidate, so the matching goes
into the same exact ranking as every other attacker, as one more column. It is soft, and so it has ranks, in every pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.linkage.linkage_task import Floats, Task

Doubles = NDArray[np.float64]

SOFTNESS = 0.25
"""The temperature, in standard deviations of the scores."""
ROUNDS = 10
ROWS_AT_ONCE = 1024
PAIRS_KEPT = 200_000_000
"""Of more, scores are computed again in every round."""


def balanced(task: Task) -> Task:
    """Candidates weighed so that each is given to as many studies as any other; a study's queries share its weight."""
    texts = np.asarray(task.database.texts)
    _, study, sizes = np.unique(task.truth, return_inverse=True, return_counts=True)
    added = worth(task.queries, 1 / sizes[study], texts, task.database.copies.astype(np.float64))
    ones = np.ones((len(task.queries), 1), dtype=np.float32)
    return replace(
        task,
        queries=np.hstack([task.queries, ones]),
        database=replace(task.database, texts=np.hstack([texts, added.astype(np.float32)[:, None]])),
    )


def worth(queries: Floats, rows: Doubles, texts: Floats, copies: Doubles) -> Doubles:
    """What is added to every text's score; ``rows`` are the weights of queries, and each copy of a text weighs one."""
    with threadpool_limits(1, user_api="blas"):
        warmth = SOFTNESS * _spread(queries, texts)
        if warmth == 0:
            return np.zeros(len(texts))
        given = rows / rows.sum()
        log_worth = np.zeros(len(texts))
        kept: list[Floats] | None = [] if len(queries) * len(texts) <= PAIRS_KEPT else None
        for _ in range(ROUNDS):
            taken, weights = np.zeros(len(texts)), copies * np.exp(log_worth - log_worth.max())
            for start, block in _blocks(queries, texts, warmth, kept):
                share = given[start : start + len(block)] / np.maximum(block @ weights.astype(np.float32), 1e-30)
                taken += share.astype(np.float32) @ block
            log_worth = -np.log(np.maximum(taken, 1e-30))
        added: Doubles = warmth * (log_worth - log_worth.mean())
        return added


def _spread(queries: Floats, texts: Floats) -> float:
    """The standard deviation of all scores, from the second moments of both sides."""
    mean = float(queries.mean(axis=0, dtype=np.float64) @ texts.mean(axis=0, dtype=np.float64))
    ours, theirs = (rows.T @ rows / np.float32(len(rows)) for rows in (queries, texts))
    square = float((ours.astype(np.float64) * theirs).sum())
    return float(np.sqrt(max(square - mean**2, 0.0))) if square - mean**2 > 1e-9 * max(square, 1e-30) else 0.0


def _blocks(queries: Floats, texts: Floats, warmth: float, kept: list[Floats] | None) -> Iterator[tuple[int, Floats]]:
    """The scores' exponentials, some rows at a time, each row's largest at one."""
    for number, start in enumerate(range(0, len(queries), ROWS_AT_ONCE)):
        if kept is not None and number < len(kept):
            yield start, kept[number]
            continue
        block = queries[start : start + ROWS_AT_ONCE] @ texts.T
        block -= block.max(axis=1, keepdims=True)
        block /= np.float32(warmth)
        np.exp(block, out=block)
        if kept is not None:
            kept.append(block)
        yield start, block
