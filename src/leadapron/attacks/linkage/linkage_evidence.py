"""What is kept of each record, and what can be had from it again: every measure in every pool, exactly.

How many candidates stand above the true one and level with it tells all of random pools (see ``pools``). Of matched
pools it does not, so their measures are kept themselves.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.linkage.linkage_gathering import METRICS, metric_of
from leadapron.attacks.linkage.linkage_task import Task
from leadapron.attacks.linkage.random_pools import RandomPools
from leadapron.attacks.linkage.ranks import Ranks

Floats = NDArray[np.float64]

RANKS = ("above", "ties", "candidates")
MATCHED = tuple(f"hard_{metric}" for metric in METRICS)


def by_record(
    records: pl.DataFrame, name: str, task: Task, chances: RandomPools, pool: int, matched: Floats | None
) -> pl.DataFrame:
    """One attacker's row for each query; ``recall`` is recall@1 in the headline's ``pool``.

    ``records`` is the release's table, ``matched`` the measures in matched pools. Of these four bytes a number are
    kept: the columns are many, and what is lost is far below what a choice of patients changes.
    """
    ranks = chances.ranks
    columns = [] if matched is None else zip(MATCHED, matched.T.astype(np.float32), strict=True)
    return _named(records, name, task).with_columns(
        above=pl.Series(ranks.above, dtype=pl.UInt32),
        ties=pl.Series(ranks.ties, dtype=pl.UInt32),
        candidates=pl.lit(ranks.database, pl.UInt32),
        recall=pl.Series(chances.recall(pool)),
        **{column: pl.Series(values) for column, values in columns},
    )


def by_assigned_record(records: pl.DataFrame, task: Task, hits: Floats) -> pl.DataFrame:
    """A row for each query of the one-to-one matching, which has no ranks: recall@1 in the whole database."""
    named = _named(records, "assignment", task)
    return named.with_columns(candidates=pl.lit(task.database.size, pl.UInt32), recall=pl.Series(hits))


def metric_in_pool(rows: pl.DataFrame, protocol: str, pool: int, metric: str) -> Floats | None:
    """What each of one attacker's rows got by a measure in a pool; None where they do not tell."""
    if metric not in METRICS:
        return None
    if protocol == "hard":
        column = f"hard_{metric}"
        return rows[column].to_numpy().astype(np.float64) if column in rows.columns else None
    if set(RANKS) <= set(rows.columns):
        above, ties = (rows[column].to_numpy().astype(np.int64)[:, None] for column in RANKS[:2])
        return metric_of(RandomPools(Ranks(above, ties, np.empty(0), rows["candidates"][0])), pool, metric)
    if metric == "recall@1" and "candidates" in rows.columns and rows["candidates"][0] == pool:
        return rows["recall"].to_numpy()
    return None


def patient_names(records: pl.DataFrame) -> pl.Series:
    """Whose a record is; its own where the release names no patients."""
    return records["patient_id" if "patient_id" in records.columns else "record_id"].cast(pl.String).alias("patient_id")


def _named(records: pl.DataFrame, name: str, task: Task) -> pl.DataFrame:
    rows = records[task.query_row.tolist()]
    return pl.DataFrame([rows["record_id"].cast(pl.String), patient_names(rows)]).with_columns(
        direction=pl.lit(task.direction), attacker=pl.lit(name)
    )
