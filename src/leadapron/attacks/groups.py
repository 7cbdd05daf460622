"""Who bears the risk: subgroups, with a test that takes patients for the units and corrects for the number of tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.measurements import Measurements

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PERMUTATIONS = 2000
ATTRIBUTES = ("sex", "view", "race", "age")
OLDEST = 90  # very old patients are few, and known by their age alone
FEWEST_PATIENTS = 10  # a smaller group would speak of people, not of a group
METHOD = "permutation of patients, Holm-adjusted"


@dataclass(frozen=True)
class Risks:
    """What is to be compared between groups: a number a row, whose it is, and where it was measured."""

    direction: str
    attacker: str
    pool: int
    metric: str
    risk: Floats
    chance: Floats
    patient: Ints


def add_groups(found: Measurements, records: pl.DataFrame, measured: Risks) -> list[dict[str, object]]:
    """An estimate a group of ten patients or more, and a test an attribute; ``records`` are the measured rows."""
    tests: list[dict[str, object]] = []
    p_values: list[float] = []
    for attribute, column in groupings(records).items():
        known = np.flatnonzero(column.is_not_null().to_numpy())
        values = column.drop_nulls().to_numpy()
        kinds = sorted(set(values))
        for kind in kinds:
            rows = known[values == kind]
            if len(np.unique(measured.patient[rows])) < FEWEST_PATIENTS:
                continue
            estimate = found.means(measured.risk[rows][:, None], measured.patient[rows])[0]
            guess = float(measured.chance[rows].mean())
            where = measured.direction, measured.attacker, measured.pool, measured.metric
            found.add(*where, guess, estimate, group=f"{attribute}={kind}")
        statistic, p = permutation_p(measured.risk[known], values, measured.patient[known], found.seed)
        p_values.append(p)
        tests.append({"attribute": attribute, "groups": len(kinds), "statistic": statistic, "p": p, "method": METHOD})
    return [{**test, "p_adjusted": p} for test, p in zip(tests, holm(p_values), strict=True)]


def groupings(records: pl.DataFrame, attributes: Sequence[str] = ATTRIBUTES) -> dict[str, pl.Series]:
    """The attributes by which people are told apart, and all findings, each as text with null for unknown."""
    plain = (name for name in attributes if name != "age" and name in records.columns)
    found = {name: records[name].cast(pl.String) for name in plain}
    if "age" in attributes and "age" in records.columns:
        decade = (records["age"].cast(pl.Float64, strict=False) // 10 * 10).cast(pl.Int32)
        bands = pl.when(decade >= OLDEST).then(pl.lit(f"{OLDEST}+")).otherwise(pl.format("{}-{}", decade, decade + 9))
        found["age"] = records.select(bands.alias("age"))["age"]
    for name in records.columns:
        if name.startswith("label_"):
            found[name] = records[name].cast(pl.Int8, strict=False).cast(pl.String)
    return {name: column for name, column in found.items() if column.drop_nulls().n_unique() > 1}


def permutation_p(risk: Floats, group: NDArray[np.generic], patient: Ints, seed: int) -> tuple[float, float]:
    """The spread of the groups' mean risks and how often chance gives as much.

    A patient counts once, with the mean risk and the first known group; groups are shuffled over patients.
    """
    who, first = np.unique(patient, return_index=True)
    _, compact = np.unique(patient, return_inverse=True)
    mean = np.bincount(compact, weights=risk) / np.bincount(compact)
    _, kind = np.unique(group[first], return_inverse=True)
    size = np.bincount(kind)
    centred = mean - mean.mean()

    def spread(labels: Ints) -> float:
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
