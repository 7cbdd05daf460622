"""Who bears the risk: subgroups, with a test that takes patients for the units and corrects for the number of tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.measurements import Measurements
from leadapron.attacks.withheld import FEWEST_PATIENTS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PERMUTATIONS = 2000
ATTRIBUTES = ("sex", "view", "race", "age")
OLDEST = 90  # very old patients are few, and known by their age alone
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
    """An estimate a group that may be told of, and a test an attribute between them; ``records`` are the measured rows.

    Withheld rows stay out of the tests, too: a statistic with all its digits would tell what a small group holds.
    """
    tests: list[dict[str, object]] = []
    p_values: list[float] = []
    for attribute, every in groupings(records).items():
        column = tellable(every, measured.patient)
        known = np.flatnonzero(column.is_not_null().to_numpy())
        values = column.drop_nulls().to_numpy()
        kinds = sorted(set(values))
        for kind in kinds:
            rows = known[values == kind]
            estimate = found.means(measured.risk[rows][:, None], measured.patient[rows])[0]
            guess = float(measured.chance[rows].mean())
            where = measured.direction, measured.attacker, measured.pool, measured.metric
            found.add(*where, guess, estimate, group=f"{attribute}={kind}")
        if len(kinds) < 2:
            continue
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


def tellable(column: pl.Series, patient: Ints) -> pl.Series:
    """An attribute with null in place of the kinds that must not be told of: small ones, and one that betrays them.

    Every row is of one kind at most, so whoever takes what is told of all kinds from what is told of everybody has the
    sums over the rows that are not told. These must belong to nobody or to ten patients; otherwise the smallest kind
    that is left goes, too, and being of ten patients itself it is enough. A patient with rows of several kinds counts
    wherever there is a row: rows can be subtracted even where their patient is told of by others. What the rule does
    not guard against is subtraction across attributes, where nearly the same rows make a kind of each.
    """
    rows = pl.DataFrame({"kind": column, "patient": patient})
    sizes = rows.drop_nulls().group_by("kind").agg(pl.col("patient").n_unique()).sort("patient", "kind")
    told = sizes.filter(pl.col("patient") >= FEWEST_PATIENTS)["kind"].to_list()
    rest = rows.filter(~pl.col("kind").is_in(told).fill_null(value=False))["patient"].n_unique()
    if 0 < rest < FEWEST_PATIENTS:
        told = told[1:]
    return rows.select(pl.when(pl.col("kind").is_in(told)).then("kind").alias(column.name))[column.name]


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
