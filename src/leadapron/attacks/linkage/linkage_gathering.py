"""What every attacker is measured by."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.linkage.assignment import assign
from leadapron.attacks.linkage.linkage_task import DIRECTIONS, Task
from leadapron.attacks.linkage.matched_pools import hard_pool_metrics, tier_sizes
from leadapron.attacks.linkage.random_pools import RandomPools, chance, recall_at_1_curve, reciprocal_rank_in_pool
from leadapron.attacks.linkage.ranks import Ranks
from leadapron.attacks.linkage.selective import PRECISION, hits, patients_linked, precision_coverage
from leadapron.audits.gathering import Gathering, spread
from leadapron.results.withheld import told

Floats = NDArray[np.float64]

RECALLS = (1, 5, 10)
METRICS = (*(f"recall@{first}" for first in RECALLS), "mrr")
BAND_POINTS = 25


@dataclass
class LinkageGathering(Gathering):
    """Beside the estimates, what figures are drawn from, and the evidence of each record."""

    curves: list[pl.DataFrame] = field(default_factory=list)
    bands: list[pl.DataFrame] = field(default_factory=list)
    coverage: list[pl.DataFrame] = field(default_factory=list)
    records: list[pl.DataFrame] = field(default_factory=list)
    assigned: list[pl.DataFrame] = field(default_factory=list)
    selective: list[dict[str, object]] = field(default_factory=list)
    attackers: tuple[str, ...] = ()
    compositions: list[dict[str, str]] = field(default_factory=list)

    def note(self, name: str, task: Task) -> None:
        """Of what an attacker is composed who chose that on known patients."""
        if task.composition:
            self.compositions.append({"direction": task.direction, "attacker": name, "composition": task.composition})


def where(task: Task, pool: int, protocol: str = "random") -> dict[str, Any]:
    return {"direction": task.direction, "protocol": protocol, "pool": pool}


def add_random(found: LinkageGathering, name: str, task: Task, chances: RandomPools, pools: list[int]) -> None:
    """Random pools of the given sizes, the whole curve, and its band at some sizes."""
    with found.stage("random pools"):
        columns = {(pool, metric): metric_of(chances, pool, metric) for pool in pools for metric in METRICS}
        sizes = np.unique(np.geomspace(2, chances.ranks.database, BAND_POINTS).round().astype(int))
        columns |= {(size, "recall@1"): chances.recall(size) for size in sizes.tolist()}
        curve = recall_at_1_curve(chances.ranks)
    with found.stage("intervals"):
        means = found.means(np.stack(list(columns.values()), axis=1), task.query_patient)
    estimates = dict(zip(columns, means, strict=True))
    for pool in pools:
        for metric, guess in zip(METRICS, guesses(pool), strict=True):
            found.add(metric, estimates[pool, metric], attacker=name, chance=guess, **where(task, pool))
    who = {"direction": task.direction, "attacker": name}
    found.curves.append(_whole_curve(task.direction, name, curve, found.attackers))
    band = spread([estimates[size, "recall@1"] for size in sizes.tolist()])
    found.bands.append(pl.DataFrame({**who, "pool": sizes, **band, "chance": 1 / sizes}))


def metric_of(chances: RandomPools, pool: int, metric: str) -> Floats:
    """For each query one of the metrics in a random pool."""
    if metric == "mrr":
        return reciprocal_rank_in_pool(chances.ranks, pool)
    return chances.recall(pool, int(metric.removeprefix("recall@")))


def _whole_curve(direction: str, name: str, curve: NDArray[np.float64], names: tuple[str, ...]) -> pl.DataFrame:
    """A row for each pool from 2 on. There are as many as candidates, so names are kept as numbers."""
    return pl.DataFrame({"pool": np.arange(2, len(curve) + 2, dtype=np.uint32), "recall": curve}).select(
        pl.lit(direction, pl.Enum(DIRECTIONS)).alias("direction"),
        pl.lit(name, pl.Enum(names)).alias("attacker"),
        "pool",
        "recall",
    )


def add_hard(found: LinkageGathering, name: str, task: Task, ranks: Ranks, pool: int) -> Floats:
    """Pathology-matched pools of one size; returns each query's metrics."""
    assert task.query_codes is not None
    assert task.candidate_codes is not None
    with found.stage("matched pools"):
        columns = hard_pool_metrics(ranks, tier_sizes(task.query_codes, task.candidate_codes), pool, RECALLS)
    with found.stage("intervals"):
        means = found.means(columns, task.query_patient)
    for metric, guess, estimate in zip(METRICS, guesses(pool), means, strict=True):
        found.add(metric, estimate, attacker=name, chance=guess, **where(task, pool, "hard"))
    return columns


def add_selective(found: LinkageGathering, name: str, task: Task, ranks: Ranks) -> None:
    """What an attacker links who may stay silent."""
    with found.stage("selective attack"):
        hit = hits(ranks)
        who = {"direction": task.direction, "attacker": name}
        found.coverage.append(pl.DataFrame({**who, **precision_coverage(hit, ranks.margin)}))
        linked = patients_linked(hit, ranks.margin, task.query_patient)
        figures: dict[str, object] = asdict(linked)
        if told(linked.patients) is None:  # the share of them, or its interval, would tell how many they are
            figures = dict.fromkeys(figures)
        found.selective.append({**who, "precision": PRECISION, **figures})


def add_assignment(found: LinkageGathering, task: Task) -> Floats:
    """The one-to-one matching, which only makes sense over the whole release; returns each query's hit."""
    with found.stage("assignment"):
        hits = assign(task)
        estimate = found.means(hits[:, None], task.query_patient)[0]
        size = task.database.size
        found.add("recall@1", estimate, attacker="assignment", chance=1 / size, **where(task, size))
    return hits


def guesses(pool: int) -> list[float]:
    """What chance gives for each of the metrics."""
    return [*(chance(pool, first) for first in RECALLS), chance(pool)]
