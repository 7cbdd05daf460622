"""Rows in error messages: they say where to look, and not who it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl


def rows_of_twins(ids: pl.Series, *, counted_from: int = 0) -> str:
    """Where the first id that comes more than once stands; there must be one."""
    again = ids.filter(ids.is_duplicated())[0]
    first, second = (ids.eq_missing(again).arg_true() + counted_from).to_list()[:2]
    return f"rows {first} and {second}"
