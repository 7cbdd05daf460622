"""Who bears the risk: subgroups, with a test that takes patients for the units and corrects for the number of tests.

An attribute of patients, such as sex, is tested between them; one of images, such as the view, within them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.audits.gathering import Gathering
from leadapron.audits.within_patients import varies_within, within_tests
from leadapron.engine import kernel
from leadapron.results import GroupTest
from leadapron.results.withheld import FEWEST_PATIENTS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
PERMUTATIONS, AT_ONCE = 2000, 50
ROUNDING = 1e-12
ATTRIBUTES = ("sex", "view", "race", "age")
OLDEST = 90  # very old patients are few, and known by their age alone
BETWEEN = "between patients: permutation of patients, Holm-adjusted"
WITHIN = "within patients: signs of their differences turned, Holm-adjusted"


@dataclass(frozen=True)
class Risks:
    """What is to be compared between groups: a number a row, whose it is, and where it was measured."""

    metric: str
    attacker: str
    at: dict[str, Any]
    risk: Floats
    chance: Floats
    patient: Ints


def add_groups(found: Gathering, records: pl.DataFrame, measured: Risks) -> tuple[GroupTest, ...]:
    """An estimate a group that may be told of, and a test an attribute between them; ``records`` are the measured rows.

    Withheld rows stay out of the tests, too: a statistic with all its digits would tell what a small group holds.
    """
    compared: dict[str, Ints] = {}
    for attribute, every in groupings(records).items():
        kinds, group = coded(tellable(every, measured.patient))
        for place, kind in enumerate(kinds):
            rows = np.flatnonzero(group == place)
            estimate = found.means(measured.risk[rows][:, None], measured.patient[rows])[0]
            guess = float(measured.chance[rows].mean())
            who, name = measured.attacker, f"{attribute}={kind}"
            found.add(measured.metric, estimate, attacker=who, chance=guess, group=name, **measured.at)
        if len(kinds) > 1:
            compared[attribute] = group
    return group_tests(measured.risk, compared, measured.patient, found.seed)


def group_tests(risk: Floats, compared: dict[str, Ints], patient: Ints, seed: int) -> tuple[GroupTest, ...]:
    """A test an attribute, within patients where it varies within them; ``compared`` are places, −1 for unknown."""
    within = {name: group for name, group in compared.items() if varies_within(group, patient)}
    between = {name: group for name, group in compared.items() if name not in within}
    told: dict[str, dict[str, Any]] = {}
    tests = permutation_tests(risk, list(between.values()), patient, seed)
    for (name, group), (statistic, p) in zip(between.items(), tests, strict=True):
        told[name] = {
            "statistic": statistic,
            "p": p,
            "method": BETWEEN,
            "patients": len(np.unique(patient[group >= 0])),
        }
    for name, test in zip(within, within_tests(risk, list(within.values()), patient, seed), strict=True):
        told[name] = {"statistic": test.statistic, "p": test.p, "method": WITHIN, "patients": test.patients}
    adjusted = holm([told[name]["p"] for name in compared])
    return tuple(
        GroupTest(attribute=name, groups=int(group.max()) + 1, p_adjusted=p, **told[name])
        for (name, group), p in zip(compared.items(), adjusted, strict=True)
    )


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


def coded(column: pl.Series) -> tuple[list[str], Ints]:
    """The groups' names, and every record's place among them, −1 where it is unknown."""
    kinds = sorted(column.drop_nulls().unique())
    places = {kind: place for place, kind in enumerate(kinds)}
    return kinds, np.array([places.get(kind, -1) for kind in column], dtype=np.int64)


def permutation_tests(risk: Floats, groups: list[Ints], patient: Ints, seed: int) -> list[tuple[float, float]]:
    """Of each grouping the spread of the groups' mean risks, and how often chance gives as much.

    A patient counts once, with the mean risk and the first known group (−1 is unknown). Patients are shuffled once for
    all groupings: an order of everybody puts those whom a grouping knows into an order that is as random.
    """
    if not groups:
        return []
    who, number = np.unique(patient, return_inverse=True)
    tested = [_grouping(risk, group, number, len(who)) for group in groups]
    rng, as_much = np.random.default_rng(seed), np.zeros(len(groups), dtype=np.int64)
    for _ in range(0, PERMUTATIONS, AT_ONCE):
        orders = np.stack([rng.permutation(len(who)) for _ in range(AT_ONCE)])
        as_much += [int((_spreads(orders, grouping) >= grouping.least).sum()) for grouping in tested]
    p_values = (1 + as_much) / (1 + PERMUTATIONS)
    return [(grouping.spread, p) for grouping, p in zip(tested, p_values.tolist(), strict=True)]


@dataclass(frozen=True)
class _Grouping:
    """``centred`` are the patients' risks less their mean, NaN where the group is unknown; the largest group is last.

    ``spread`` is between the groups as they are; a shuffle counts from ``least`` on, which allows for rounding.
    """

    centred: Floats
    sizes: Ints
    spread: float
    least: float


def _grouping(risk: Floats, group: Ints, number: Ints, patients: int) -> _Grouping:
    rows = np.flatnonzero(group >= 0)
    known, first, compact = np.unique(number[rows], return_index=True, return_inverse=True)
    mean = np.bincount(compact, weights=risk[rows]) / np.bincount(compact)
    _, kind = np.unique(group[rows[first]], return_inverse=True)
    centred = np.full(patients, np.nan)
    centred[known] = mean - mean.mean()
    sums, sizes = np.bincount(kind, weights=centred[known]), np.bincount(kind)
    observed = float((sums**2 / sizes).sum())
    least = observed - ROUNDING * float(centred[known] @ centred[known])
    return _Grouping(centred, np.sort(sizes), observed / len(known), least)


def _spreads(orders: Ints, grouping: _Grouping) -> Floats:
    """For each order of the patients the spread, times their number, if they are dealt to the groups in that order."""
    sums = np.empty((len(orders), len(grouping.sizes)))
    _deal(orders, grouping.centred, grouping.sizes, sums)
    spreads: Floats = (sums**2 / grouping.sizes).sum(axis=1)
    return spreads


@kernel
def _deal(orders: Ints, centred: Floats, sizes: Ints, sums: Floats) -> None:
    """All risks add up to zero, so the last and largest group, which gets the rest, need not be added up."""
    for row in range(len(orders)):
        place, rest = 0, 0.0
        for group in range(len(sizes) - 1):
            total, left = 0.0, sizes[group]
            while left > 0:
                risk = centred[orders[row, place]]
                place += 1
                if not math.isnan(risk):
                    total += risk
                    left -= 1
            sums[row, group] = total
            rest -= total
        sums[row, -1] = rest


def holm(p_values: list[float]) -> list[float]:
    """Holm's adjustment: holds the chance of any false alarm at its level."""
    order = np.argsort(p_values)
    adjusted, running = np.empty(len(p_values)), 0.0
    for place, index in enumerate(order):
        running = max(running, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = running
    return adjusted.tolist()
