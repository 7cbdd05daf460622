"""Who bears the risk: subgroups, with a test that takes patients for the units and corrects for the number of tests."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.linkage.measure import Measurements, add_estimate
from leadapron.attacks.linkage.pools import recall_in_pool
from leadapron.attacks.linkage.ranks import Ranks
from leadapron.attacks.linkage.task import Task

Floats = NDArray[np.float64]
PERMUTATIONS = 2000
ATTRIBUTES = ("sex", "view", "race")
OLDEST = 90  # very old patients are few, and known by their age alone
FEWEST_PATIENTS = 10  # a smaller group would speak of people, not of a group
METHOD = "permutation of patients, Holm-adjusted"


def add_groups(
    found: Measurements, records: pl.DataFrame, name: str, task: Task, ranks: Ranks, pool: int
) -> list[dict[str, object]]:
    """An estimate a group of ten patients or more, and a test an attribute, on the queries' rows of the release."""
    recall = recall_in_pool(ranks, pool, 1)
    tests: list[dict[str, object]] = []
    p_values: list[float] = []
    for attribute, column in groupings(records).items():
        known = np.flatnonzero(column.is_not_null().to_numpy())
        values = column.drop_nulls().to_numpy()
        kinds = sorted(set(values))
        for kind in kinds:
            rows = known[values == kind]
            if len(np.unique(task.query_patient[rows])) < FEWEST_PATIENTS:
                continue
            estimate = found.means(recall[rows][:, None], task.query_patient[rows])[0]
            group = f"{attribute}={kind}"
            add_estimate(found, task.direction, name, pool, "recall@1", 1 / pool, estimate, group=group)
        statistic, p = permutation_p(recall[known], values, task.query_patient[known], found.seed)
        p_values.append(p)
        tests.append({"attribute": attribute, "groups": len(kinds), "statistic": statistic, "p": p, "method": METHOD})
    return [{**test, "p_adjusted": p} for test, p in zip(tests, holm(p_values), strict=True)]


def groupings(records: pl.DataFrame) -> dict[str, pl.Series]:
    """The attributes by which people are told apart, each as text with null for unknown."""
    found = {name: records[name].cast(pl.String) for name in ATTRIBUTES if name in records.columns}
    if "age" in records.columns:
        decade = (records["age"].cast(pl.Float64, strict=False) // 10 * 10).cast(pl.Int32)
        bands = pl.when(decade >= OLDEST).then(pl.lit(f"{OLDEST}+")).otherwise(pl.format("{}-{}", decade, decade + 9))
        found["age"] = records.select(bands.alias("age"))["age"]
    for name in records.columns:
        if name.startswith("label_"):
            found[name] = records[name].cast(pl.Int8).cast(pl.String)
    return {name: column for name, column in found.items() if column.drop_nulls().n_unique() > 1}


def permutation_p(
    risk: Floats, group: NDArray[np.generic], patient: NDArray[np.int64], seed: int
) -> tuple[float, float]:
    """The spread of the groups' mean risks and how often chance gives as much.

    A patient counts once, with the mean risk and the first known group; groups are shuffled over patients.
    """
    who, first = np.unique(patient, return_index=True)
    _, compact = np.unique(patient, return_inverse=True)
    mean = np.bincount(compact, weights=risk) / np.bincount(compact)
    _, kind = np.unique(group[first], return_inverse=True)
    size = np.bincount(kind)
    centred = mean - mean.mean()

    def spread(labels: NDArray[np.int64]) -> float:
        return float((np.bincount(labels, weights=centred, minlength=len(size)) ** 2 / size).sum())

    observed = spread(kind)
    rng = np.random.default_rng(seed)
    as_much = sum(spread(rng.permutation(kind)) >= observed - 1e-15 for _ in range(PERMUTATIONS))
    return observed / max(len(who), 1), (1 + as_much) / (1 + PERMUTATIONS)


def holm(p_values: list[float]) -> list[float]:
    """Holm's adjustment: holds the chance of any false alarm at its level."""
    order = np.argsort(p_values)
    adjusted, running = np.empty(len(p_values)), 0.0
    for place, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = running
    return adjusted.tolist()
