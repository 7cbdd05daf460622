"""Controls that run with every audit: shuffled pairs must sit at chance, and a planted leak must be found."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.pools import recall_in_pool, reciprocal_rank_in_pool
from leadapron.attacks.linkage.ranks import Ranks, rank_truth
from leadapron.attacks.linkage.task import Task
from leadapron.attacks.risk import Outcome
from leadapron.stats import bootstrap_means

QUERIES = 2000
PLANTED = 0.2
ERRORS_APART = 5.0
HALF = 0.5
FEWEST = 10
WELL_ABOVE = 3.0
"""Times guessing that a planted pair must be able to reach."""


def null_control(task: Task, pool: int, seed: int) -> Outcome:
    """Every query with somebody else's candidate for its true one: whatever is found then is the audit's own error."""
    rng = np.random.default_rng(seed)
    rows = _sample(task, rng)
    # pairs are shuffled over patients, so that no query keeps its own
    shifted = np.roll(rng.permutation(len(task.truth)), 1)
    truth = task.truth[shifted[rows]]
    strangers = task.query_patient[rows] != task.candidate_patient[truth]
    rows, truth = rows[strangers], truth[strangers]
    name = "null control (shuffled pairs)"
    if not len(rows):
        return Outcome(name, "not-run", "no shuffled pair is of two patients")
    found = recall_in_pool(rank_truth(task.queries[rows], task.database, truth), pool, 1)
    estimate = bootstrap_means(found[:, None], task.query_patient[rows], redraws=200, seed=seed)[0]
    chance = 1 / pool
    # the error at chance itself guards a small sample in which nothing happens to be found
    error = max(estimate.sd, (chance / len(rows)) ** 0.5)
    off = abs(estimate.value - chance) > ERRORS_APART * error
    reason = f"recall@1 among {pool:,} is {estimate.value:.4f} with {len(rows):,} shuffled pairs, chance {chance:.4f}"
    return Outcome(name, "error" if off else _unless_few(len(rows)), reason)


def planted_leak(task: Task, pool: int, seed: int) -> Outcome:
    """A fifth of the queries replaced by their true candidates: an audit that does not see this sees nothing."""
    rng = np.random.default_rng(seed)
    rows = _sample(task, rng)
    own = task.database.text_of[task.truth[rows]]
    leaked = rng.random(len(rows)) < PLANTED
    queries = np.where(leaked[:, None], task.database.texts[own], task.queries[rows])
    found = recall_in_pool(rank_truth(np.ascontiguousarray(queries), task.database, task.truth[rows]), pool, 1)
    caught = float(found[leaked].mean()) if leaked.any() else 0.0
    possible = _possible(task.database.copies[own[leaked]], task.database.size, pool) if leaked.any() else 0.0
    reason = f"of {int(leaked.sum()):,} planted pairs a share of {caught:.3f} is found among {pool:,}"
    if possible < HALF:
        reason += f"; reports that are word for word the same allow {possible:.3f}"
    if caught < possible - 1e-6 or possible == 0:
        return Outcome("planted leak", "error", reason)
    # where all reports are the same nothing could be found, and finding nothing shows nothing
    return Outcome("planted leak", _unless_few(int(leaked.sum())) if possible > WELL_ABOVE / pool else "warn", reason)


def _unless_few(pairs: int) -> str:
    """A control of a handful of pairs shows little, and says so."""
    return "pass" if pairs >= FEWEST else "warn"


def _possible(copies: NDArray[np.int64], database: int, pool: int) -> float:
    """What can be found of texts that occur so often: one of the equals that are in the pool, each as likely.

    That is the mean of one over their number, and so the reciprocal rank of somebody whom all equals stand above.
    """
    none = np.zeros(len(copies), dtype=np.int64)
    ranks = Ranks((copies - 1)[:, None], none[:, None], none.astype(np.float64), database)
    return float(reciprocal_rank_in_pool(ranks, pool).mean())


def _sample(task: Task, rng: np.random.Generator) -> NDArray[np.int64]:
    """Some of the queries: a control needs no more than a few thousand."""
    return rng.permutation(len(task.truth))[:QUERIES]
