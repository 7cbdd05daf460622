"""Which attackers are let loose, and which of them the headline is of, with what that choice costs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from leadapron.attacks.linkage.linkage_gathering import LinkageGathering, where
from leadapron.attacks.linkage.linkage_task import DIRECTIONS, Task
from leadapron.attacks.linkage.linkers import ALL_ATTACKERS, check_possible, impossible
from leadapron.attacks.linkage.random_pools import RandomPools
from leadapron.release import Release
from leadapron.stats import best_of

MOST_PAIRS = 1_000_000_000
"""Queries times candidates; an audit that was not asked for it does not go through more of them round by round."""


def who_attacks(
    asked: tuple[str, ...], release: Release, known: Release | None, known_pairs: float, task: Task
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The attackers, and sentences about those who are left out; whoever was asked for by name is not left out."""
    able, left_out = [], []
    everybody = asked == ALL_ATTACKERS
    if not everybody:
        check_possible(asked, release, known, known_pairs)
    for name in asked:
        why = impossible(name, release, known, known_pairs)
        if everybody and name == "sinkhorn" and (pairs := len(task.queries) * task.database.size) > MOST_PAIRS:
            why = f"it weighs {pairs:,} pairs again and again (ask for it by --attacker {name})"
        if why:
            left_out.append(f"The attacker {name} was not run: {why}.")
        else:
            able.append(name)
    return tuple(able), tuple(left_out)


def strongest(found: LinkageGathering, pool: int) -> str | None:
    """The attacker who does best where the headline is read off."""
    at = {"direction": DIRECTIONS[0], "protocol": "random", "pool": pool}
    rivals = [row for row in found.estimates if row.has(metric="recall@1", **at)]
    rivals = [rival for rival in rivals if rival.attacker not in found.audit.never_headline]
    return max(rivals, key=lambda rival: rival.value).attacker if rivals else None


def allow_for_choice(found: LinkageGathering, judged: Mapping[str, tuple[Task, RandomPools]], pool: int) -> str:
    """The strongest attacker; what it got where the headline is read off makes room for the best of all rivals.

    So it does in the evidence: there each record has what it got by whom the other patients chose.
    """
    if len(judged) == 1:
        return next(iter(judged))
    with found.stage("choice of the attacker"):
        rows = 1 + max(int(task.query_row.max()) for task, _ in judged.values())
        values, patient = np.full((rows, len(judged)), np.nan), np.zeros(rows, dtype=np.int64)
        for column, (task, chances) in enumerate(judged.values()):
            values[task.query_row, column] = chances.recall(pool)
            patient[task.query_row] = task.query_patient
        asked = ~np.isnan(values).all(axis=1)
        chosen = best_of(values[asked], patient[asked])
    best = list(judged)[chosen.rival]
    task = judged[best][0]
    at = where(task, pool)
    naive = next(row for row in found.estimates if row.has(metric="recall@1", attacker=best, group=None, **at))
    allowed = found.add("recall@1", chosen.estimate, attacker=best, chance=1 / pool, **at)
    found.estimates[found.estimates.index(naive)] = allowed
    found.estimates.pop()
    place = next(i for i, rows in enumerate(found.records) if rows["attacker"][0] == best)
    in_order = np.empty(len(task.query_row))
    in_order[np.argsort(task.query_row)] = chosen.values
    found.records[place] = found.records[place].with_columns(recall=pl.Series(in_order))
    return best
