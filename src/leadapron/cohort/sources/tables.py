"""Reading other people's tables: every column named, every surprise an error that says where."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from leadapron.engine.twins import rows_of_twins
from leadapron.errors import DataError


def find_file(folder: Path, patterns: Sequence[str], *, layout: str) -> Path:
    """The file that one of the patterns names (the last by name where several do: the newest version)."""
    if not folder.is_dir():
        raise DataError("the folder does not exist", where=folder, fix=f"Expected: {layout}.")
    for pattern in patterns:
        if found := sorted(folder.glob(pattern)):
            return found[-1]
    raise DataError(f"no file {' or '.join(patterns)}", where=folder, fix=f"Expected: {layout}.")


def read_csv(file: Path, columns: Sequence[str], *, filled: Sequence[str] = ()) -> pl.DataFrame:
    """These columns of a CSV file (plain or gzip), as text: an id such as 007 must not become the number 7.

    The ``filled`` ones must hold a value in every row.
    """
    try:
        scan = pl.scan_csv(file, infer_schema=False)
        require_columns(file, scan.collect_schema().names(), columns)
        table = scan.select(columns).collect()
    except pl.exceptions.PolarsError as error:
        raise DataError(f"the file cannot be read as CSV ({first_line(error)})", where=file) from error
    for column in filled:
        empty = table[column].is_null()
        if empty.any():
            raise DataError(f"column {column!r} is empty in row {empty.arg_true()[0] + 1}", where=file)
    return table


def first_line(error: Exception) -> str:
    """What a library has to say, without the advice to programmers that follows."""
    return str(error).partition("\n")[0]


def require_columns(file: Path, present: Sequence[str], needed: Iterable[str]) -> None:
    for column in needed:
        if column not in present:
            raise DataError(f"column {column!r} is missing", where=file, got=", ".join(present))


def to_numbers(table: pl.DataFrame, columns: Iterable[str], *, where: Path) -> pl.DataFrame:
    """Columns of text or numbers as numbers, empty and NaN as null; any other value is an error that names the row."""
    for column in columns:
        numbers = table[column].cast(pl.Float64, strict=False)
        wrong = (numbers.is_null() & table[column].is_not_null()).arg_true()
        if len(wrong):
            raise DataError(
                f"column {column!r} holds a value that is no number in row {wrong[0] + 1} ({len(wrong)} rows do)",
                where=where,
                got=table[column][wrong[0]],
                allowed="numbers, or nothing",
            )
        table = table.with_columns(numbers.fill_nan(None))
    return table


def join_one(table: pl.DataFrame, other: pl.DataFrame, on: str, *, where: Path) -> pl.DataFrame:
    """A left join that cannot multiply rows: each key stands in ``other`` at most once."""
    twice = other[on].filter(other[on].is_duplicated())
    if len(twice):
        raise DataError(
            f"column {on!r} holds the same id more than once ({len(twice)} rows)",
            where=where,
            got=rows_of_twins(other[on], counted_from=1),
            allowed="unique ids",
        )
    return table.join(other, on=on, how="left", maintain_order="left")


def mentions(items: pl.Expr, terms: Sequence[str]) -> pl.Expr:
    """1 where a "|"-joined list names one of the terms, alone or with qualifiers after a "/", else 0."""
    names = "|".join(terms)  # the terms hold no character that means something in a pattern
    return items.str.contains(rf"(?i)(?:^|\|)\s*(?:{names})\s*(?:/[^|]*)?(?:\||$)").cast(pl.Int8)


def years(age: pl.Expr) -> pl.Expr:
    """An age as a number of years: ``61``, ``61.0``, ``061Y``, ``018M``; null where it is none of these."""
    number = age.str.extract(r"^\s*(\d+(?:\.\d+)?)\s*[YMWD]?\s*$").cast(pl.Float64)
    unit = age.str.extract(r"([YMWD])\s*$").replace_strict({"M": 12.0, "W": 52.18, "D": 365.25}, default=1.0)
    return number / unit


def sex(value: pl.Expr) -> pl.Expr:
    """``F``, ``M`` or null, from the several ways to write it."""
    initial = value.str.strip_chars().str.head(1).str.to_uppercase()
    return pl.when(initial.is_in(["F", "M"])).then(initial)
