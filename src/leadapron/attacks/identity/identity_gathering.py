"""What is found of one attacker: its figures with their intervals, and the tables that figures are drawn from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.identity.identity_task import Task
from leadapron.attacks.identity.intervals import Reading, read_off
from leadapron.attacks.identity.pair_sweeps import Swept
from leadapron.attacks.identity.retrieval import (
    Best,
    average_precision,
    best_of,
    chance_at_r,
    chance_first,
    first_in_gallery,
    found_within,
)
from leadapron.attacks.identity.roc import cell_of_equal_error, curve
from leadapron.attacks.identity.scores import Scores
from leadapron.attacks.identity.threshold import at_threshold
from leadapron.audits.gathering import Gathering, spread

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

DIRECTION = "image-to-image"
BAND_POINTS = 25
RANKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)


@dataclass
class IdentityGathering(Gathering):
    """Beside the estimates, what figures are drawn from."""

    rocs: list[pl.DataFrame] = field(default_factory=list)
    galleries: list[pl.DataFrame] = field(default_factory=list)
    cmcs: list[pl.DataFrame] = field(default_factory=list)

    def tables(self) -> dict[str, pl.DataFrame]:
        parts = {"roc": self.rocs, "gallery": self.galleries, "cmc": self.cmcs}
        return {name: pl.concat(tables) for name, tables in parts.items() if tables}


@dataclass(frozen=True)
class Judged:
    """An attacker and how it did: ``risk`` is each query's chance to be recognised at the headline's gallery."""

    name: str
    scores: Scores
    swept: Swept
    threshold: float | None
    best: Best
    risk: Doubles

    def recognised(self) -> tuple[Flags, float]:
        """Which same-patient pairs reach the threshold, and the share of strangers' pairs that do."""
        roc, grid = self.swept.rocs[0], self.swept.grid
        cell = cell_of_equal_error(roc)
        if self.threshold is not None:
            cell = int(grid.cells(np.array([self.threshold]))[0])
        return self.swept.sets[0].cells >= cell, float(max(roc.fpr[cell], 1 / roc.strangers))


def where(protocol: str, pool: int) -> dict[str, Any]:
    return {"direction": DIRECTION, "protocol": protocol, "pool": pool}


def add_verification(found: IdentityGathering, name: str, task: Task, swept: Swept, *, tuned: bool) -> None:
    """AUC and error rates over all pairs, and without repeats where there are any."""
    for part, protocol in enumerate(("all-pairs", "apart")[: len(swept.sets)]):
        readings = read_off(swept, part)
        if tuned and part == 0:
            readings += at_threshold(swept)
        _add(found, name, task, readings, protocol)
    _add_roc(found, name, "all-pairs", swept)


def add_retrieval(
    found: IdentityGathering, name: str, task: Task, swept: Swept, pools: list[int], headline_pool: int
) -> tuple[Best, Doubles]:
    """Figures of the ranked lists, and each query's chance to be recognised at the headline's gallery."""
    best = best_of(swept.standings[0], swept.strangers)
    average, share = average_precision(swept.standings[0])
    sizes = np.unique(np.geomspace(2, len(task.gallery) - 1, BAND_POINTS).round().astype(int)).tolist()
    first = {pool: first_in_gallery(best, pool) for pool in sorted({*pools, *sizes})}
    ranks = [rank for rank in RANKS if rank <= len(task.gallery) - 1]
    columns = [*first.values(), average, share, *(found_within(best, rank) for rank in ranks)]
    means = found.means(np.stack(columns, axis=1), swept.patient[best.query])
    guess = {pool: float(chance_first(best, pool).mean()) for pool in first}
    by_pool = dict(zip(first, means, strict=False))
    for pool in pools:
        found.add("precision@1", by_pool[pool], attacker=name, chance=guess[pool], **where("random", pool))
    at_r = zip(("map@r", "r-precision"), chance_at_r(best), means[len(first) :], strict=False)
    for metric, chance, estimate in at_r:
        found.add(metric, estimate, attacker=name, chance=chance, **where("random", pools[-1]))
    banded = {**spread([by_pool[pool] for pool in sizes]), "chance": [guess[pool] for pool in sizes]}
    found.galleries.append(pl.DataFrame({"attacker": name, "pool": sizes, **banded}))
    found.cmcs.append(pl.DataFrame({"attacker": name, "rank": ranks, **spread(means[len(first) + 2 :])}))
    if len(swept.sets) > 1:
        _add_first(found, name, swept, best_of(swept.standings[1], swept.strangers), pools[-1], "apart")
    return best, first[headline_pool]


def add_matched(found: IdentityGathering, name: str, task: Task, swept: Swept, pools: tuple[int, ...]) -> None:
    """The same against strangers with the query's attributes, in the largest gallery that half the queries fill."""
    if swept.strangers.sum() == 0:
        return
    _add(found, name, task, read_off(swept, 0), "matched")
    _add_roc(found, name, "matched", swept)
    best = best_of(swept.standings[0], swept.strangers)
    fitting = [pool for pool in pools if 2 * (best.strangers >= pool - 1).sum() >= len(best.query)]
    if fitting:
        _add_first(found, name, swept, best.only(best.strangers >= fitting[-1] - 1), fitting[-1], "matched")


def _add_first(found: IdentityGathering, name: str, swept: Swept, best: Best, pool: int, protocol: str) -> None:
    estimate = found.means(first_in_gallery(best, pool)[:, None], swept.patient[best.query])[0]
    guess = float(chance_first(best, pool).mean())
    found.add_of_some("precision@1", estimate, attacker=name, chance=guess, **where(protocol, pool))


def _add(found: IdentityGathering, name: str, task: Task, readings: list[Reading], protocol: str) -> None:
    add = found.add if protocol == "all-pairs" else found.add_of_some
    for reading in readings:
        at = where(protocol, len(task.gallery))
        add(reading.metric, reading.estimate, attacker=name, chance=reading.chance, **at)


def _add_roc(found: IdentityGathering, name: str, protocol: str, swept: Swept) -> None:
    fpr, tpr = curve(swept.rocs[0])
    found.rocs.append(pl.DataFrame({"attacker": name, "protocol": protocol, "fpr": fpr, "tpr": tpr}))
