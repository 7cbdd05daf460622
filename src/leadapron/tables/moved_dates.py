"""Dates that a defence moved by a secret number of days a patient: nobody knows the day, but distances remain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl


def moved_dates(card: Mapping[str, Any]) -> list[str]:
    """The columns that the cards of its defences say were moved."""
    found: list[str] = []
    defence = card.get("defence")
    while isinstance(defence, Mapping):
        facts = defence.get("facts")
        found += facts.get("moved", []) if isinstance(facts, Mapping) else []
        defence = defence.get("before")
    return found


def days_since_first(records: pl.DataFrame, columns: Sequence[str], patient: str | None) -> pl.DataFrame:
    """What is left of moved dates: how long after the patient's first one."""
    if patient is None:
        return records
    return records.with_columns((pl.col(name) - pl.col(name).min().over(patient)).alias(name) for name in columns)
