"""Ladders: coarser and coarser forms of a column, from as it is to gone.

A form keeps the kind of the values, so that whoever reads the column later still can: a date becomes the first day of
its year, an age the lower end of its band, a rare category ``other``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

OLDEST = 90
"""Ages from here on are one band: very old patients are few, and known by their age alone."""
AGE_BANDS = (5, 10, 20)
MANY = 20
"""A column of numbers with more distinct values than this is cut into bands; others are categories."""
PARTS = {10: "tenths", 4: "quarters"}
OTHER = "other"
ISO = "%Y-%m-%d"
GONE, AS_IT_IS = "left out", "as it is"


@dataclass(frozen=True)
class Rung:
    """A form of a column, what it is called, and how it is made."""

    name: str
    of: Callable[[pl.Series], pl.Series]


def ladder_of(column: pl.Series, patient: pl.Series, k: int) -> tuple[Rung, ...]:
    """The forms of a column, the finest first; ``patient`` says whose each row is, and ``k`` what is rare.

    A form that changes nothing in this table is none.
    """
    ladder, last = [Rung(AS_IT_IS, lambda same: same)], column
    for rung in (*_between(column, patient, k), Rung(GONE, _gone)):
        form = rung.of(column)
        if not form.equals(last, null_equal=True):
            ladder.append(rung)
            last = form
    return tuple(ladder)


def _between(column: pl.Series, patient: pl.Series, k: int) -> list[Rung]:
    if is_date(column):
        return [Rung(date_form(name), _truncated(every)) for name, every in DATES.items()]
    if is_age(column):
        return [Rung(age_form(width), age_bands(width)) for width in AGE_BANDS]
    if column.dtype.is_numeric() and column.n_unique() > MANY:
        return [Rung(f"in {name}", _quantile_bands(parts)) for parts, name in PARTS.items()]
    return [Rung(f"with values of fewer than {k} patients merged", _merged(patient, k))]


DATES = {"month": "1mo", "year": "1y", "five-years": "5y"}


def date_form(name: str) -> str:
    return "to five years" if name == "five-years" else f"to the {name}"


def age_form(width: int) -> str:
    return f"in bands of {width} years, {OLDEST} and above together"


def is_date(column: pl.Series) -> bool:
    """A date, or a text in which every value is one, as a CSV file has it."""
    if column.dtype.is_temporal():
        return column.dtype in (pl.Date, pl.Datetime)
    if column.dtype != pl.String or not column.drop_nulls().len():
        return False
    return column.str.to_date(ISO, strict=False).null_count() == column.null_count()


def is_age(column: pl.Series) -> bool:
    return column.dtype.is_numeric() and "age" in column.name.lower().split("_")


def _truncated(every: str) -> Callable[[pl.Series], pl.Series]:
    def truncated(column: pl.Series) -> pl.Series:
        if column.dtype != pl.String:
            return column.dt.truncate(every)
        return column.str.to_date(ISO).dt.truncate(every).dt.strftime(ISO)

    return truncated


def age_bands(width: int) -> Callable[[pl.Series], pl.Series]:
    def banded(column: pl.Series) -> pl.Series:
        low = column.cast(pl.Float64) // width * width
        return low.clip(upper_bound=OLDEST).cast(column.dtype).alias(column.name)

    return banded


def _quantile_bands(parts: int) -> Callable[[pl.Series], pl.Series]:
    """The lower end of its band, of bands that hold about as many rows each."""

    def banded(column: pl.Series) -> pl.Series:
        quantiles = (column.quantile(part / parts, "lower") for part in range(parts))
        edges = sorted({edge for edge in quantiles if edge is not None})
        numbers = column.cast(pl.Float64)
        low = pl.Series(column.name, [None] * len(column), dtype=pl.Float64)
        for edge in edges:
            low = pl.select(pl.when(numbers >= edge).then(pl.lit(edge, pl.Float64)).otherwise(low)).to_series()
        return low.cast(column.dtype).alias(column.name)

    return banded


def _merged(patient: pl.Series, k: int) -> Callable[[pl.Series], pl.Series]:
    """Rare values of a text are called other; of another kind they are left empty."""

    def merged(column: pl.Series) -> pl.Series:
        rows = pl.DataFrame({"value": column, "patient": patient})
        rare = pl.col("patient").n_unique().over("value") < k
        instead = pl.lit(OTHER if column.dtype == pl.String else None, column.dtype)
        value = pl.when(rare & pl.col("value").is_not_null()).then(instead).otherwise("value")
        return rows.select(value.alias(column.name)).to_series()

    return merged


def _gone(column: pl.Series) -> pl.Series:
    return pl.Series(column.name, [None] * len(column), dtype=column.dtype)
