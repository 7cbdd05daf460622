"""Attributes: columns of the table with a few kinds of patients or pictures, each of enough patients to be told of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.audits.groups import tellable
from leadapron.cohort.labels import label_names
from leadapron.errors import ConfigError, did_you_mean
from leadapron.release.described import described_by
from leadapron.results.withheld import FEWEST_PATIENTS

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

PERSON, PICTURE = "person", "picture"
OF_THE_PICTURE = frozenset({"view", "site", "scanner", "manufacturer", "source"})
AGE = "age"
MOST_KINDS = 12
NEARLY_ALL = 0.9
"""Of the patients; a column with so many values names people."""


@dataclass(frozen=True)
class Attribute:
    """``kind`` is every record's place among the kinds; −1 where it is unknown, or its kind is too small."""

    name: str
    kinds: tuple[str, ...]
    kind: Ints
    ordered: bool = False
    """Whether the kinds stand in an order, as ages do."""
    all_kinds: bool = True
    """False where some are left out that too few patients are of; a rare one is not even named."""

    @property
    def concerns(self) -> str:
        return PICTURE if self.name in OF_THE_PICTURE else PERSON

    @property
    def place(self) -> dict[str, Any]:
        """Where its numbers are measured, as the results say it."""
        return {"attribute": self.name, "concerns": self.concerns}


def find_attributes(
    records: pl.DataFrame, patient: Ints, attacked: Bools, asked: Sequence[str], bands: Sequence[int], where: str
) -> tuple[list[Attribute], dict[str, str]]:
    """What can be measured, and why the others cannot. Without any ``asked`` for, all columns are tried."""
    for name in asked:
        _check_asked(records, name, where)
    found, lacking = [], {}
    for name in asked or described_by(records):
        one = _attribute(records[name], patient, attacked, bands)
        if isinstance(one, str):
            lacking[name] = one
        else:
            found.append(one)
    return found, lacking


def _check_asked(records: pl.DataFrame, name: str, where: str) -> None:
    allowed = did_you_mean(name, described_by(records)) or "none: the table says nothing of patients but findings"
    if name in label_names(records):
        fix = "How well findings are read off vectors is their use: `leadapron utility release` measures it."
        raise ConfigError("a finding is no attribute here", where=where, got=name, allowed=allowed, fix=fix)
    if name not in described_by(records):
        what = "this column tells records apart" if name in records.columns else "there is no such column"
        raise ConfigError(f"{what}, and no attribute is measured by it", where=where, got=name, allowed=allowed)


def _attribute(column: pl.Series, patient: Ints, attacked: Bools, bands: Sequence[int]) -> Attribute | str:
    """The attribute, or in words why there is none. Too small kinds have no part in it, on either side."""
    name = column.name
    ordered = name == AGE and column.cast(pl.Float64, strict=False).is_not_null().any()  # else bands that others made
    kinds = age_bands(column, bands) if ordered else column.cast(pl.String)
    many, people = kinds.drop_nulls().n_unique(), len(np.unique(patient))
    if not many:
        return "it is known of nobody"
    if many == 1:
        return "all have the same value"
    if many > MOST_KINDS:
        if many >= NEARLY_ALL * people:
            return "it has a value of its own for nearly every patient: an id, and no attribute"
        return f"it has {many:,} different values, and {MOST_KINDS} are the most: put them into groups"
    told = tellable(kinds.filter(pl.Series(attacked)), patient[attacked]).drop_nulls().unique()
    rest = pl.DataFrame({"kind": kinds, "patient": patient}).filter(~pl.Series(attacked))
    sizes = rest.drop_nulls().group_by("kind").agg(pl.col("patient").n_unique())
    learnable = sizes.filter(pl.col("patient") >= FEWEST_PATIENTS)["kind"]
    order = band_names(bands) if ordered else sorted(kinds.drop_nulls().unique())
    kept = [kind for kind in order if kind in set(told) & set(learnable)]
    if len(kept) < 2:
        return f"fewer than two of its groups have {FEWEST_PATIENTS} patients under attack and as many others"
    place = {kind: number for number, kind in enumerate(kept)}
    kind = np.array([place.get(word, -1) for word in kinds])
    return Attribute(name, tuple(kept), kind, ordered, all_kinds=len(kept) == many)


def age_bands(column: pl.Series, bands: Sequence[int]) -> pl.Series:
    """Ages as words; what is no number is unknown."""
    ages = column.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    names, places = band_names(bands), np.searchsorted(bands, ages, side="right")
    words = [None if np.isnan(age) else names[place] for age, place in zip(ages, places, strict=True)]
    return pl.Series(column.name, words, dtype=pl.String)


def band_names(bands: Sequence[int]) -> list[str]:
    """Under 40, 40–59, 60–79, 80 or over."""
    between = [f"{low}–{high - 1}" for low, high in pairwise(bands)]
    return [f"under {bands[0]}", *between, f"{bands[-1]} or over"]
