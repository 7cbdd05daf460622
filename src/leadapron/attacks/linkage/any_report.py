"""Any report of the right patient will do: the chance that one of them comes first in a random pool.

Only one report is first, so the chances of the patient's reports to be it add up. The true report is always in the
pool. Another report i of the patient is first if it is drawn, and nothing that stands above it is: with G above it and
N − 1 drawn from the other M − 1, that is C(M − 2 − G, N − 2) / C(M − 1, N − 1). Only those count that the true one does
not stand above. Ties are broken at random: of T level with i, each number 0 … T above it is as likely; where the true
one is level with i, it must come behind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.linkage_task import Ints, Task
from leadapron.attacks.linkage.random_pools import RandomPools, log_choose
from leadapron.attacks.linkage.ranks import Ranks, rank_truth, scores_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Rivals:
    """The patient's other reports that the true one does not stand above: of which query, and where they rank."""

    query: Ints
    level_with_true: NDArray[np.bool_]
    ranks: Ranks


def any_report_in_pools(task: Task, chances: RandomPools, pools: Sequence[int]) -> list[Floats]:
    """For each query the chance that the first of a random pool is a report of its patient; one array a pool size."""
    rivals = _rivals(task)
    return [_in_pool(rivals, chances, pool) for pool in pools]


def _rivals(task: Task) -> _Rivals:
    query, other = _patients_other_reports(task)
    texts, text_of = task.database.texts, task.database.text_of
    score = scores_of(task.queries[query], texts, text_of[other])
    true_score = scores_of(task.queries, texts, text_of[task.truth])[query]
    same_text = text_of[other] == text_of[task.truth[query]]
    rivals = (score >= true_score) | same_text
    query, other = query[rivals], other[rivals]
    level_with_true = ((score == true_score) | same_text)[rivals]
    return _Rivals(query, level_with_true, rank_truth(task.queries[query], task.database, other))


def _in_pool(rivals: _Rivals, chances: RandomPools, pool: int) -> Floats:
    database = chances.ranks.database
    above = np.arange(database)
    left = np.maximum(database - 2 - above, 0)  # the last entry is never asked for: somebody is below the true one
    drawn_and_first = np.exp(log_choose(left, pool - 2) - log_choose(database - 1, pool - 1))
    g, t = rivals.ranks.above, rivals.ranks.ties
    sums = np.concatenate([[0.0], np.cumsum(drawn_and_first)])
    weighted = np.concatenate([[0.0], np.cumsum(above * drawn_and_first)])
    # behind w of the T level ones, w = 0 … T, each as likely
    free = (sums[g + t + 1] - sums[g]) / (t + 1)
    # the true one is among the T and comes behind: w = 0 … T − 1 with chance (T − w) / (T (T + 1))
    total, moment = sums[g + t] - sums[g], weighted[g + t] - weighted[g]
    behind = ((t + g) * total - moment) / np.maximum(t * (t + 1), 1)
    chance = chances.recall(pool).copy()
    np.add.at(chance, rivals.query, np.where(rivals.level_with_true, behind, free))
    return chance


def _patients_other_reports(task: Task) -> tuple[Ints, Ints]:
    """Every query with each candidate of its patient that is not its true one, as two columns."""
    order = np.argsort(task.candidate_patient, kind="stable")
    patients = int(max(task.candidate_patient.max(), task.query_patient.max())) + 1
    sizes = np.bincount(task.candidate_patient, minlength=patients)
    first = np.cumsum(sizes) - sizes
    counts = sizes[task.query_patient]
    query = np.repeat(np.arange(len(task.truth)), counts)
    within = np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)
    other = order[first[task.query_patient[query]] + within]
    kept = other != task.truth[query]
    return query[kept], other[kept]
