"""What every attacker is measured by."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.linkage.assignment import assign
from leadapron.attacks.linkage.attackers import ALL_ATTACKERS
from leadapron.attacks.linkage.hard import hard_pool_metrics, tier_sizes
from leadapron.attacks.linkage.pools import chance, recall_at_1_curve, recall_in_pool, reciprocal_rank_in_pool
from leadapron.attacks.linkage.ranks import Ranks
from leadapron.attacks.linkage.selective import PRECISION, hits, patients_linked, precision_coverage
from leadapron.attacks.linkage.task import DIRECTIONS, Task
from leadapron.attacks.measurements import Measurements, spread
from leadapron.attacks.withheld import told

Floats = NDArray[np.float64]

RECALLS = (1, 5, 10)
METRICS = (*(f"recall@{first}" for first in RECALLS), "mrr")
BAND_POINTS = 25


@dataclass
class LinkageMeasurements(Measurements):
    """Beside the estimates, what figures are drawn from, and the evidence of each record."""

    curves: list[pl.DataFrame] = field(default_factory=list)
    bands: list[pl.DataFrame] = field(default_factory=list)
    coverage: list[pl.DataFrame] = field(default_factory=list)
    records: list[pl.DataFrame] = field(default_factory=list)
    assigned: list[pl.DataFrame] = field(default_factory=list)
    selective: list[dict[str, object]] = field(default_factory=list)


def add_random(found: LinkageMeasurements, name: str, task: Task, ranks: Ranks, pools: list[int]) -> None:
    """Random pools of the given sizes, the whole curve, and its band at some sizes."""
    with found.stage("random pools"):
        columns = [column for pool in pools for column in random_pool_metrics(ranks, pool)]
        sizes = np.unique(np.geomspace(2, ranks.database, BAND_POINTS).round().astype(int))
        banded = [recall_in_pool(ranks, int(size), 1) for size in sizes]
        curve = recall_at_1_curve(ranks)
    with found.stage("intervals"):
        means = found.means(np.stack(columns + banded, axis=1), task.query_patient)
    names = [(pool, metric, guess) for pool in pools for metric, guess in zip(METRICS, guesses(pool), strict=True)]
    for (pool, metric, guess), estimate in zip(names, means, strict=False):
        found.add(task.direction, name, pool, metric, guess, estimate)
    who = {"direction": task.direction, "attacker": name}
    found.curves.append(_whole_curve(task.direction, name, curve))
    found.bands.append(pl.DataFrame({**who, "pool": sizes, **spread(means[len(names) :]), "chance": 1 / sizes}))


def random_pool_metrics(ranks: Ranks, pool: int) -> list[Floats]:
    """For each query each of the metrics in a random pool."""
    return [*(recall_in_pool(ranks, pool, first) for first in RECALLS), reciprocal_rank_in_pool(ranks, pool)]


def _whole_curve(direction: str, name: str, curve: NDArray[np.float64]) -> pl.DataFrame:
    """A row for each pool from 2 on. There are as many as candidates, so names are kept as numbers."""
    return pl.DataFrame({"pool": np.arange(2, len(curve) + 2, dtype=np.uint32), "recall": curve}).select(
        pl.lit(direction, pl.Enum(DIRECTIONS)).alias("direction"),
        pl.lit(name, pl.Enum(ALL_ATTACKERS)).alias("attacker"),
        "pool",
        "recall",
    )


def add_hard(found: LinkageMeasurements, name: str, task: Task, ranks: Ranks, pool: int) -> Floats:
    """Pathology-matched pools of one size; returns each query's metrics."""
    assert task.query_codes is not None
    assert task.candidate_codes is not None
    with found.stage("matched pools"):
        columns = hard_pool_metrics(ranks, tier_sizes(task.query_codes, task.candidate_codes), pool, RECALLS)
    with found.stage("intervals"):
        means = found.means(columns, task.query_patient)
    for metric, guess, estimate in zip(METRICS, guesses(pool), means, strict=True):
        found.add(task.direction, name, pool, metric, guess, estimate, protocol="hard")
    return columns


def add_selective(found: LinkageMeasurements, name: str, task: Task, ranks: Ranks) -> None:
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


def add_assignment(found: LinkageMeasurements, task: Task) -> Floats:
    """The one-to-one matching, which only makes sense over the whole release; returns each query's hit."""
    with found.stage("assignment"):
        hits = assign(task)
        estimate = found.means(hits[:, None], task.query_patient)[0]
        size = task.database.size
        found.add(task.direction, "assignment", size, "recall@1", 1 / size, estimate)
    return hits


def guesses(pool: int) -> list[float]:
    """What chance gives for each of the metrics."""
    return [*(chance(pool, first) for first in RECALLS), chance(pool)]
