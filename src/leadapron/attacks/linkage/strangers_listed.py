"""The candidates of strangers that each query scores highest: whom it would be taken for if it had no mate.

The lists are as long as false alarms ask for: the nearest of each query that ranking has kept, and all above the
threshold for those few whose list ends above it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.linkage.linkage_task import Task
from leadapron.attacks.linkage.ranks import CANDIDATES_IN_MEMORY, Ranks, scores_of
from leadapron.attacks.open_world import FPIR, Strangers

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

QUERIES_AT_ONCE = 256
ROUNDING = 1e-5
"""More than a product in single precision is off by; the scores that count are summed in double precision."""


def list_strangers(task: Task, ranks: Ranks) -> Strangers:
    """Of each query the nearest that ranking has kept, without those that are its patient's, and its own."""
    place, score = ranks.nearest, ranks.nearest_score
    queries, kept = place.shape
    complete = kept == len(task.database.texts)
    probe = np.repeat(np.arange(queries), kept)
    count, whose = _counted(task, probe, place.ravel())
    return Strangers(
        probe,
        score.ravel(),
        count,
        whose,
        floor=np.full(queries, -np.inf) if complete else score[:, -1],
        met=_met(task),
        patient=task.query_patient,
        patients=len(np.unique(task.candidate_patient)),
    ).entries(count > 0)


def long_for_both(task: Task, listed: Strangers, pool: int) -> Strangers:
    """Long enough by either score."""
    return long_enough(task, long_enough(task, listed, pool), pool, plain=True)


def long_enough(task: Task, listed: Strangers, pool: int, rate: float = FPIR, *, plain: bool = False) -> Strangers:
    """The same with lists that reach down to the threshold of a pool of this size, by the bare score if ``plain``."""
    alarms = listed.alarms(pool, plain=plain)
    rows = np.flatnonzero(alarms.open_lists(rate))
    if not len(rows):
        return listed
    least = alarms.threshold(rate) + alarms.level[rows]
    probe, place, score = _all_above(task, rows, least)
    count, whose = _counted(task, probe, place)
    kept = listed.entries(~np.isin(listed.probe, rows))
    floor = listed.floor.copy()
    floor[rows] = least
    there = count > 0
    more = replace(listed, probe=probe[there], score=score[there], count=count[there], whose=whose[there])
    return kept.joined(more, floor)


def _all_above(task: Task, rows: Ints, least: Doubles) -> tuple[Ints, Ints, Doubles]:
    """Every text that scores above ``least``, of some queries: query, text and score."""
    texts = task.database.texts
    found = []
    with threadpool_limits(1, user_api="blas"):
        for chunk in range(0, len(texts), CANDIDATES_IN_MEMORY):
            part = np.ascontiguousarray(texts[chunk : chunk + CANDIDATES_IN_MEMORY])
            for start in range(0, len(rows), QUERIES_AT_ONCE):
                some, bar = rows[start : start + QUERIES_AT_ONCE], least[start : start + QUERIES_AT_ONCE]
                which, place = np.nonzero(task.queries[some] @ part.T > bar[:, None] - ROUNDING)
                score = scores_of(task.queries[some[which]], part, place)
                above = score > bar[which]
                found.append((some[which[above]], chunk + place[above], score[above]))
    probe, place, score = (np.concatenate(column) for column in zip(*found, strict=True))
    return probe, place, score


def _counted(task: Task, probe: Ints, text: Ints) -> tuple[Ints, Ints]:
    """How many candidates of others have a text, for each query; and whose the first of all of them is."""
    database = task.database
    asked = np.zeros(_patients(task), dtype=bool)
    asked[task.query_patient] = True
    theirs = np.flatnonzero(asked[task.candidate_patient])
    keys, own = np.unique(_key(task, task.candidate_patient[theirs], database.text_of[theirs]), return_counts=True)
    wanted = _key(task, task.query_patient[probe], text)
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    count: Ints = database.copies[text]
    if len(keys):
        count -= np.where(keys[at] == wanted, own[at], 0)
    count -= _is_of_nobody(task)[probe] & (text == database.text_of[task.truth[probe]])
    repeated = len(database.texts) < database.size
    first = np.unique(database.text_of, return_index=True)[1][text] if repeated else text
    return count, task.candidate_patient[first]


def _is_of_nobody(task: Task) -> NDArray[np.bool_]:
    """Queries whose true candidate is not their patient's: where patients are not named, images may share a report."""
    of_nobody: NDArray[np.bool_] = task.candidate_patient[task.truth] != task.query_patient
    return of_nobody


def _key(task: Task, patient: Ints, text: Ints) -> Ints:
    key: Ints = patient * len(task.database.texts) + text
    return key


def _met(task: Task) -> Ints:
    """How many candidates of others each query meets."""
    own = np.bincount(task.candidate_patient, minlength=_patients(task))
    met: Ints = task.database.size - own[task.query_patient] - _is_of_nobody(task)
    return met


def _patients(task: Task) -> int:
    return int(max(task.candidate_patient.max(), task.query_patient.max())) + 1
