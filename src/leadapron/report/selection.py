"""Which of an audit's numbers a report shows, and which it must withhold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from leadapron.errors import DataError
from leadapron.report.results import Results

Estimate = dict[str, Any]

SMALLEST_CELL = 10
"""Fewer than this many records or patients are never shown by themselves."""


@dataclass(frozen=True)
class Group:
    """A subgroup; without an estimate where it is withheld."""

    attribute: str
    level: str
    estimate: Estimate | None


def select(results: Results, *, group: str | None = None, **wanted: object) -> list[Estimate]:
    """The estimates that have these values; those of everybody unless a group is named."""
    keys = {"group": group, **wanted}
    return [row for row in results.estimates if all(row[key] == value for key, value in keys.items())]


def headline(results: Results) -> Estimate:
    """The estimate of which the verdict speaks."""
    found = select(results, **results.content["headline"])
    if not found:
        raise DataError("the headline is not among the estimates", where=results.folder)
    return found[0]


def attackers(results: Results) -> list[str]:
    """Every attacker once, that of the headline first: the order of the line styles."""
    first = results.content["headline"]["attacker"]
    return list(dict.fromkeys([first, *(row["attacker"] for row in results.estimates)]))


def at_largest_pool(rows: list[Estimate]) -> list[Estimate]:
    largest = max((row["pool"] for row in rows), default=0)
    return [row for row in rows if row["pool"] == largest]


def groups(results: Results) -> list[Group]:
    """The subgroups at the headline, by attribute; those that must not be shown are withheld."""
    everybody = headline(results)
    where = {key: everybody[key] for key in ("direction", "attacker", "protocol", "pool", "metric")}
    members = [row for row in results.estimates if row["group"] and all(row[key] == where[key] for key in where)]
    return withhold(members, everybody["n"])


def withhold(members: list[Estimate], everybody: int) -> list[Group]:
    """Estimates of groups by attribute. Small ones are withheld, and others that would give them away.

    What lies outside the groups that an attribute shows must be nothing, or as much as the smallest cell: otherwise
    it could be had by subtracting what is shown from the whole.
    """
    by_attribute: dict[str, list[Estimate]] = {}
    for row in members:
        by_attribute.setdefault(row["group"].partition("=")[0], []).append(row)
    return [
        Group(attribute, row["group"].partition("=")[2], row if row in shown else None)
        for attribute, rows in by_attribute.items()
        for shown in [_shown(rows, everybody)]
        for row in sorted(rows, key=lambda row: _in_order(row["group"]))
    ]


def _shown(rows: list[Estimate], everybody: int) -> list[Estimate]:
    shown = sorted((row for row in rows if row["n"] >= SMALLEST_CELL), key=lambda row: -row["n"])
    while shown and 0 < everybody - sum(row["n"] for row in shown) < SMALLEST_CELL:
        shown.pop()
    return shown


def _in_order(name: str) -> list[tuple[int, str]]:
    """A key that puts 20-29 before 100-109."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"([0-9]+)", name)]


def attribute_name(attribute: str) -> str:
    words = attribute.removeprefix("label_").replace("_", " ")
    return words[:1].upper() + words[1:]


def level_name(attribute: str, level: str) -> str:
    return {"1": "present", "0": "absent"}.get(level, level) if attribute.startswith("label_") else level
