"""Which of an audit's numbers a report shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from leadapron.attacks.withheld import FEWEST_PATIENTS, told
from leadapron.errors import DataError
from leadapron.report.results import Results

Estimate = dict[str, Any]

SMALLEST_CELL = FEWEST_PATIENTS
"""Fewer than this many records or patients are never shown by themselves."""


@dataclass(frozen=True)
class Group:
    """A subgroup that may be shown."""

    attribute: str
    level: str
    estimate: Estimate


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


NOT_ATTACKERS = frozenset({"reference-alone", "rmia-matched", "rmia-placebo"})
"""Rows that tell how members differ from others without any attack: they are checks themselves."""


def covered(results: Results) -> frozenset[str]:
    """The attackers that every control of the audit vouches for; nobody, where no control was run."""
    controls = [row["attackers"] for row in results.content["outcomes"] if row.get("attackers") is not None]
    return frozenset.intersection(*map(frozenset, controls)) if controls else frozenset()


def uncovered(results: Results) -> list[str]:
    """The attackers that stand in the results although no control, or not every one, vouches for them."""
    return [name for name in attackers(results) if name not in covered(results) | NOT_ATTACKERS]


def at_largest_pool(rows: list[Estimate]) -> list[Estimate]:
    largest = max((row["pool"] for row in rows), default=0)
    return [row for row in rows if row["pool"] == largest]


def groups(results: Results) -> list[Group]:
    """The subgroups at the headline, by attribute."""
    everybody = headline(results)
    where = {key: everybody[key] for key in ("direction", "attacker", "protocol", "pool", "metric")}
    members = [row for row in results.estimates if row["group"] and all(row[key] == where[key] for key in where)]
    return by_attribute(members, everybody["n"])


def by_attribute(members: list[Estimate], everybody: int) -> list[Group]:
    """Estimates of groups, attribute by attribute, those that may be shown.

    An audit leaves out small groups itself, and others that would give them away. Results of versions that did not are
    still read, and have counts of records alone: what lies outside the groups of an attribute must be nothing, or as
    much as the smallest cell, or the smallest of them is left out here.
    """
    by_name: dict[str, list[Estimate]] = {}
    for row in members:
        if row["n"] >= SMALLEST_CELL:
            by_name.setdefault(row["group"].partition("=")[0], []).append(row)
    for rows in by_name.values():
        if 0 < everybody - sum(row["n"] for row in rows) < SMALLEST_CELL:
            rows.remove(min(rows, key=lambda row: int(row["n"])))
    return [
        Group(attribute, row["group"].partition("=")[2], row)
        for attribute, rows in by_name.items()
        for row in sorted(rows, key=lambda row: _in_order(row["group"]))
    ]


def few(count: int | None, none: str = "none") -> str:
    """A count in words, ``none`` where there are none; results of older versions hold what is withheld today."""
    shown = told(count)
    return f"fewer than {SMALLEST_CELL}" if shown is None else f"{shown:,}" if shown else none


def counted_as(results: Results) -> str:
    """What a number of patients is a number of."""
    return "patients" if results.patients_named else "radiographs"


def _in_order(name: str) -> list[tuple[int, str]]:
    """A key that puts 20-29 before 100-109."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"([0-9]+)", name)]


def attribute_name(attribute: str) -> str:
    words = attribute.removeprefix("label_").replace("_", " ")
    return words[:1].upper() + words[1:]


def level_name(attribute: str, level: str) -> str:
    return {"1": "present", "0": "absent"}.get(level, level) if attribute.startswith("label_") else level
