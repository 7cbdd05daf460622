"""Which of an audit's numbers a report shows."""

from __future__ import annotations

import re
from dataclasses import dataclass

from leadapron.results.audit_results import Findings
from leadapron.results.measured import Measured
from leadapron.results.withheld import FEWEST_PATIENTS, told

SMALLEST_CELL = FEWEST_PATIENTS
"""Fewer than this many records or patients are never shown by themselves."""
NOT_ATTACKERS = frozenset({"reference-alone", "rmia-matched", "rmia-placebo"})
"""Rows that tell how members differ from others without any attack: they are checks themselves."""


@dataclass(frozen=True)
class Group:
    """A subgroup that may be shown."""

    attribute: str
    level: str
    estimate: Measured


def select(found: Findings, *, group: str | None = None, **wanted: object) -> list[Measured]:
    """The estimates that have these values; those of everybody unless a group is named."""
    return [row for row in found.estimates if row.has(group=group, **wanted)]


def first(found: Findings, *, group: str | None = None, **wanted: object) -> Measured | None:
    """The first of them; None where it was not measured."""
    return next(iter(select(found, group=group, **wanted)), None)


def only(found: Findings, *, group: str | None = None, **wanted: object) -> Measured:
    """The same where the audit is known to have it."""
    row = first(found, group=group, **wanted)
    assert row is not None, wanted
    return row


def headline(found: Findings) -> Measured:
    """The estimate of which the verdict speaks."""
    return found.headline


def attackers(found: Findings) -> list[str]:
    """Every attacker once, that of the headline first: the order of the line styles."""
    return list(dict.fromkeys([found.spot.attacker, *(row.attacker for row in found.estimates)]))


def covered(found: Findings) -> frozenset[str]:
    """The attackers that every control of the audit vouches for; none, where no control was run."""
    controls = [outcome.attackers for outcome in found.outcomes if outcome.attackers is not None]
    return frozenset.intersection(*map(frozenset, controls)) if controls else frozenset()


def uncovered(found: Findings) -> list[str]:
    """The attackers that stand in the results although no control, or not every one, vouches for them."""
    return [name for name in attackers(found) if name not in covered(found) | NOT_ATTACKERS]


def at_largest_pool(rows: list[Measured]) -> list[Measured]:
    largest = max((row.pool for row in rows), default=0)
    return [row for row in rows if row.pool == largest]


def groups(found: Findings) -> list[Group]:
    """The subgroups at the headline, by attribute."""
    spot = found.spot.keys
    members = [row for row in found.estimates if row.group and row.has(**spot)]
    return by_attribute(members, headline(found).n) if members else []


def by_attribute(members: list[Measured], everybody: int) -> list[Group]:
    """Estimates of groups, attribute by attribute, those that may be shown.

    An audit leaves out small groups itself, and others that would give them away. A guard against one that did not:
    what lies outside the groups of an attribute must be nothing, or as much as the smallest cell, or the smallest of
    them is left out here.
    """
    by_name: dict[str, list[tuple[str, Measured]]] = {}
    for row in members:
        attribute, _, level = (row.group or "").partition("=")
        if row.n >= SMALLEST_CELL:
            by_name.setdefault(attribute, []).append((level, row))
    for rows in by_name.values():
        if 0 < everybody - sum(row.n for _, row in rows) < SMALLEST_CELL:
            rows.remove(min(rows, key=lambda entry: entry[1].n))
    return [
        Group(attribute, level, row)
        for attribute, rows in by_name.items()
        for level, row in sorted(rows, key=lambda entry: _in_order(entry[0]))
    ]


def few(count: int | None, none: str = "none") -> str:
    """A count in words, ``none`` where there are none."""
    shown = told(count)
    return f"fewer than {SMALLEST_CELL}" if shown is None else f"{shown:,}" if shown else none


def counted_as(found: Findings) -> str:
    """What a number of patients is a number of."""
    return "patients" if found.patients_named else "radiographs"


def _in_order(name: str) -> list[tuple[int, str]]:
    """A key that puts 20-29 before 100-109."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"([0-9]+)", name)]


def attribute_name(attribute: str) -> str:
    words = attribute.removeprefix("label_").replace("_", " ")
    return words[:1].upper() + words[1:]


def level_name(attribute: str, level: str) -> str:
    return {"1": "present", "0": "absent"}.get(level, level) if attribute.startswith("label_") else level
