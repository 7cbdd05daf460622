"""Attackers: each turns a task into one whose inner products it believes in, and says which queries it is judged on.

All but ``assignment`` (see its file) rank candidates one query at a time, so one exact pass serves them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.linkage.task import Floats, Task
from leadapron.engine import parallel_map

NEIGHBOURS = 10
QUERIES_AT_ONCE = 512
FEWEST_PAIRS = 8
RIDGES = (1000.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3, 0.1)
"""From "change hardly anything" down: where two do equally well, the more cautious one is taken."""


@dataclass(frozen=True)
class Knowledge:
    """What an attacker may know beside the release: a share of true pairs, by patient, and a seed to choose them."""

    known_pairs: float = 0.01
    seed: int = 0


Attacker = Callable[[Task, Knowledge], Task]


def cosine(task: Task, _knowledge: Knowledge) -> Task:
    """The published attacker: candidates by cosine similarity."""
    return task


def csls(task: Task, _knowledge: Knowledge) -> Task:
    """Cosine with hubs held down: a candidate that is near to everybody says little about anybody.

    Cross-domain similarity local scaling takes from each candidate half its mean similarity to its nearest queries.
    """
    hub = _mean_of_nearest(task.database.texts, task.queries)
    ones = np.ones((len(task.queries), 1), dtype=np.float32)
    return replace(
        task,
        queries=np.hstack([task.queries, ones]),
        database=replace(task.database, texts=np.hstack([task.database.texts, -0.5 * hub[:, None]])),
    )


def pooled(task: Task, _knowledge: Knowledge) -> Task:
    """All queries of a patient together: what persists adds up, what is noise does not."""
    sums = np.zeros((int(task.query_patient.max()) + 1, task.queries.shape[1]), dtype=np.float32)
    np.add.at(sums, task.query_patient, task.queries)
    counts = np.bincount(task.query_patient).astype(np.float32)
    means = sums / np.maximum(counts, 1)[:, None]
    return replace(task, queries=_unit(task.queries + means[task.query_patient]))


def realigned(task: Task, knowledge: Knowledge) -> Task:
    """A linear map fitted on a few known pairs, drawn towards "no change", and judged on everybody else.

    It undoes a defence that merely rotates or shifts the space. The ridge is chosen on the known pairs themselves, each
    half of the known patients judging the other.
    """
    rng = np.random.default_rng(knowledge.seed)
    patients = rng.permutation(np.unique(task.query_patient))
    reached = np.cumsum([np.count_nonzero(task.query_patient == who) for who in patients[: len(patients) // 2]])
    wanted = max(FEWEST_PAIRS, round(knowledge.known_pairs * len(task.queries)))
    known = patients[: 1 + int(np.searchsorted(reached, wanted))]
    fitted = np.isin(task.query_patient, known)
    texts = task.database.texts
    x, y = task.queries[fitted], texts[task.database.text_of[task.truth[fitted]]]
    x_mean, y_mean = task.queries.mean(axis=0), texts.mean(axis=0)
    halves = np.isin(task.query_patient[fitted], known[::2])
    x, y = x - x_mean, y - y_mean
    ridge = max(RIDGES, key=lambda ridge: _agreement(x, y, halves, ridge))
    mapped = (task.queries[~fitted] - x_mean) @ _fit(x, y, ridge)
    return replace(
        task,
        queries=_unit(mapped.astype(np.float32)),
        database=replace(task.database, texts=_unit(texts - y_mean)),
        truth=task.truth[~fitted],
        query_patient=task.query_patient[~fitted],
        query_codes=None if task.query_codes is None else task.query_codes[~fitted],
        query_row=task.query_row[~fitted],
    )


ATTACKERS: dict[str, Attacker] = {"cosine": cosine, "csls": csls, "pooled": pooled, "realigned": realigned}


def _fit(x: Floats, y: Floats, ridge: float) -> Floats:
    """The map W that minimises |xW − y|² + ridge·|W − I|²: with little to go by it stays the identity."""
    eye = ridge * np.eye(x.shape[1])
    solved: Floats = np.linalg.solve(x.T @ x + eye, x.T @ y + eye)
    return solved


def _agreement(x: Floats, y: Floats, half: NDArray[np.bool_], ridge: float) -> float:
    """The mean reciprocal rank within the known pairs, each half mapped by what the other half taught."""
    if half.all() or not half.any():  # a single patient cannot be judged by others
        return ridge
    total = 0.0
    for side in (half, ~half):
        scores = _unit(x[side] @ _fit(x[~side], y[~side], ridge)) @ _unit(y).T
        true = scores[np.arange(len(scores)), np.flatnonzero(side)]
        total += float((1 / (scores >= true[:, None]).sum(axis=1)).sum())
    return total


def _mean_of_nearest(rows: Floats, others: Floats) -> Floats:
    """For each row the mean similarity to its nearest others."""
    kept = min(NEIGHBOURS, len(others))

    def block(start: int) -> Floats:
        scores = rows[start : start + QUERIES_AT_ONCE] @ others.T
        nearest: Floats = np.partition(scores, -kept, axis=1)[:, -kept:].mean(axis=1)
        return nearest

    with threadpool_limits(1, user_api="blas"):
        return np.concatenate(parallel_map(block, range(0, len(rows), QUERIES_AT_ONCE)))


def _unit(rows: NDArray[np.floating[Any]]) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
