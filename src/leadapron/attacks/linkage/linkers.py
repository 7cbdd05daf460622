"""Attackers: each turns a task into one whose inner products it believes in, and says which queries it is judged on.

All but ``assignment`` (see its file) rank candidates one query at a time, so one exact pass serves them all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.linkage.linkage_task import Task
from leadapron.attacks.linkage.nearest import nearest
from leadapron.attacks.linkage.realignment import FEWEST_PAIRS, fit_maps
from leadapron.release.rows import unit

NEIGHBOURS = 10


@dataclass(frozen=True)
class Knowledge:
    """What an attacker may know beside the release.

    True pairs of other patients (``pairs``, a task of their own), or else a share of the pairs under attack, chosen by
    patient, on which the attacker is then not judged.
    """

    known_pairs: float = 0.01
    seed: int = 0
    pairs: Task | None = None


Attacker = Callable[[Task, Knowledge], Task]


def cosine(task: Task, _knowledge: Knowledge) -> Task:
    """The published attacker: candidates by cosine similarity."""
    return task


def csls(task: Task, _knowledge: Knowledge) -> Task:
    """Cosine with hubs held down: a candidate that is near to everybody says little about anybody.

    Cross-domain similarity local scaling takes from each candidate half its mean similarity to its nearest queries.
    """
    texts = np.asarray(task.database.texts)
    _, similarity = nearest(texts, task.queries, min(NEIGHBOURS, len(task.queries)))
    hub = similarity.mean(axis=1, keepdims=True).astype(np.float32)
    ones = np.ones((len(task.queries), 1), dtype=np.float32)
    return replace(
        task,
        queries=np.hstack([task.queries, ones]),
        database=replace(task.database, texts=np.hstack([texts, -0.5 * hub])),
    )


def pooled(task: Task, _knowledge: Knowledge) -> Task:
    """All queries of a patient together: what persists adds up, what is noise does not."""
    sums = np.zeros((int(task.query_patient.max()) + 1, task.queries.shape[1]), dtype=np.float32)
    np.add.at(sums, task.query_patient, task.queries)
    counts = np.bincount(task.query_patient).astype(np.float32)
    means = sums / np.maximum(counts, 1)[:, None]
    return replace(task, queries=unit(task.queries + means[task.query_patient]))


def realigned(task: Task, knowledge: Knowledge) -> Task:
    """Linear maps fitted on known pairs, and judged on everybody else: see ``realignment``.

    It undoes a defence that merely rotates, shifts or rescales the space.
    """
    known, attacked = (knowledge.pairs, task) if knowledge.pairs else _hold_out(task, knowledge)
    texts = np.asarray(task.database.texts)
    x_mean, y_mean = attacked.queries.mean(axis=0), texts.mean(axis=0)
    x = known.queries - x_mean
    y = known.database.texts[known.database.text_of[known.truth]] - y_mean
    with threadpool_limits(1, user_api="blas"):  # small products: threads that wait for each other cost more
        image_map, text_map = fit_maps(x, y, known.query_patient, knowledge.seed)
    return replace(
        attacked,
        queries=unit((attacked.queries - x_mean) @ image_map),
        database=replace(attacked.database, texts=unit((texts - y_mean) @ text_map)),
    )


def _hold_out(task: Task, knowledge: Knowledge) -> tuple[Task, Task]:
    """The pairs of a few patients, of half of them at most, whom the attacker knows, and those of all others."""
    rng = np.random.default_rng(knowledge.seed)
    patients = rng.permutation(np.unique(task.query_patient))
    patients = patients[: len(patients) // 2]
    reached = np.cumsum(np.bincount(task.query_patient)[patients])
    wanted = max(FEWEST_PAIRS, round(knowledge.known_pairs * len(task.queries)))
    known = np.isin(task.query_patient, patients[: 1 + int(np.searchsorted(reached, wanted))])
    return _only(task, known), _only(task, ~known)


def _only(task: Task, rows: NDArray[np.bool_]) -> Task:
    return replace(
        task,
        queries=task.queries[rows],
        truth=task.truth[rows],
        query_patient=task.query_patient[rows],
        query_codes=None if task.query_codes is None else task.query_codes[rows],
        query_row=task.query_row[rows],
    )


ATTACKERS: dict[str, Attacker] = {"cosine": cosine, "csls": csls, "pooled": pooled, "realigned": realigned}
ALL_ATTACKERS = (*ATTACKERS, "assignment")
