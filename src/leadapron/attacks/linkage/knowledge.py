"""What an attacker knows beside the release, and tasks of some of the patients."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.database import build_database
from leadapron.attacks.linkage.linkage_task import Ints, Task
from leadapron.attacks.linkage.realignment import FEWEST_PAIRS


@dataclass(frozen=True)
class Knowledge:
    """What an attacker may know beside the release.

    True pairs of other patients (``pairs``, a task of their own), or else a share of the pairs under attack, chosen by
    patient, on which the attacker is then not judged. What took long to learn from ``pairs`` is ``kept`` for the other
    direction.
    """

    known_pairs: float = 0.01
    seed: int = 0
    pairs: Task | None = None
    kept: dict[str, Any] = field(default_factory=dict, compare=False)


def apart(task: Task, knowledge: Knowledge) -> tuple[Task, Task]:
    """The pairs that are known, and the task of those under attack."""
    return (knowledge.pairs, task) if knowledge.pairs else _hold_out(task, knowledge)


def _hold_out(task: Task, knowledge: Knowledge) -> tuple[Task, Task]:
    """The pairs of a few patients, of half of them at most, whom the attacker knows, and those of all others."""
    rng = np.random.default_rng(knowledge.seed)
    patients = rng.permutation(np.unique(task.query_patient))
    patients = patients[: len(patients) // 2]
    reached = np.cumsum(np.bincount(task.query_patient)[patients])
    wanted = max(FEWEST_PAIRS, round(knowledge.known_pairs * len(task.queries)))
    known = np.isin(task.query_patient, patients[: 1 + int(np.searchsorted(reached, wanted))])
    return _only(task, known), _only(task, ~known)


def of_patients(task: Task, patients: Ints) -> Task:
    """The same for these patients alone: their queries among their own candidates."""
    some = _only(task, np.isin(task.query_patient, patients))
    held = np.flatnonzero(np.isin(task.candidate_patient, patients))
    place = np.full(task.database.size, -1)
    place[held] = np.arange(len(held))
    texts = np.asarray(task.database.texts)[task.database.text_of[held]]
    return replace(
        some,
        database=build_database(texts),
        truth=place[some.truth],
        candidate_patient=task.candidate_patient[held],
        query_codes=None,
        candidate_codes=None,
    )


def _only(task: Task, rows: NDArray[np.bool_]) -> Task:
    return replace(
        task,
        queries=task.queries[rows],
        truth=task.truth[rows],
        query_patient=task.query_patient[rows],
        query_codes=None if task.query_codes is None else task.query_codes[rows],
        query_row=task.query_row[rows],
    )
