"""The tables of a linkage audit."""

from __future__ import annotations

from leadapron.attacks.linkage.linkage_measures import COORDINATES, DIRECTIONS, METRICS
from leadapron.attacks.linkage.linkage_words import (
    UNNAMED,
    SelectiveRow,
    at_patient_level,
    selective_count,
    selective_rows,
)
from leadapron.attacks.open_world_words import open_world, released_before
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.standard_tables import (
    INTERVAL,
    NUMBER_COLUMNS,
    by_attacker,
    group_tests,
    numbers,
    subgroup_estimates,
)
from leadapron.audits.wording import title_of
from leadapron.pages.numerals import interval, round_percent
from leadapron.pages.page import Block, Table, Text, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import counted_as, select
from leadapron.results.withheld import told


def shown(results: Results) -> tuple[Block, ...]:
    first_ones = both_directions(results), open_world(results, "recall@1"), *before(results)
    return kept(*first_ones, patient_level(results), selective(results))


def folded(results: Results) -> dict[str, tuple[Block, ...]]:
    return {
        "Subgroups and tests": kept(subgroup_estimates(results), group_tests(results)),
        "All estimates": kept(*(all_estimates(results, direction) for direction in DIRECTIONS)),
    }


def arrow(direction: str) -> str:
    return str(COORDINATES["direction"].words_of(direction)["direction_name"])


def pools(protocol: str) -> str:
    return str(COORDINATES["protocol"].words_of(protocol)["pools"])


def both_directions(results: Results) -> Table:
    """The headline's attacker in both directions, metric by metric."""
    spot, audit = results.spot, find_audit("linkage")
    rows = [
        (arrow(direction), title_of(audit, row), *numbers(audit, row))
        for direction in DIRECTIONS
        for metric in METRICS
        for row in select(results, **{**spot.keys, "direction": direction, "metric": metric})
    ]
    caption = f"Both directions: {spot.attacker}, {pools(spot.protocol)} pools of {spot.pool:,}"
    return table(caption, ("Direction", "Measure", *NUMBER_COLUMNS), rows, numbers=5)


def before(results: Results) -> tuple[Block, ...]:
    found = released_before(results, "patient-report")
    return () if found is None else (found,)


def patient_level(results: Results) -> Block:
    """What was measured for whole patients, or that nothing was."""
    spot, audit = results.spot, find_audit("linkage")
    rows = [(title_of(audit, row), f"{row.pool:,}", *numbers(audit, row)) for row in at_patient_level(results)]
    caption = f"Patients: {spot.attacker}, {arrow(spot.direction)}"
    if not rows:
        return Text("Nothing was measured for whole patients." if results.patients_named else UNNAMED)
    return table(caption, ("Measure", "Pool", *NUMBER_COLUMNS), rows, numbers=6)


def selective(results: Results) -> Block:
    """Who is linked by an attacker who may stay silent."""
    rows = [
        (row.attacker, arrow(row.direction), round_percent(row.precision), selective_count(results, row),
         _share_interval(row))
        for row in selective_rows(results)
    ]  # fmt: skip
    columns = ("Attacker", "Direction", "Precision wanted", "Linked", f"{INTERVAL} of the share")
    caption = f"{counted_as(results).capitalize()} linked by an attacker who answers only when sure"
    return table(caption, columns, rows, numbers=3) if rows else Text("The selective attack was not run.")


def _share_interval(row: SelectiveRow) -> str:
    if told(row.patients) is None or row.low is None or row.high is None:
        return "withheld"
    return interval(row.low, row.high)


def all_estimates(results: Results, direction: str) -> Table:
    """Every estimate for everybody in one direction, pool by pool, random ones first."""
    found = [row for row in select(results, direction=direction) if row.metric in METRICS]
    found.sort(key=lambda row: (row.protocol != "random", row.pool, row.protocol))
    caption = f"All estimates, {arrow(direction)}: measured ({INTERVAL})"
    return by_attacker(find_audit("linkage"), caption, "Pool", found, _pool)


def _pool(row: Measured) -> str:
    return f"{row.pool:,} {pools(row.protocol)}"


def card(results: Results) -> Table:
    """The headline's attacker in every pool, random ones first, for a model card."""
    spot, audit = results.spot, find_audit("linkage")
    own = select(results, direction=spot.direction, attacker=spot.attacker)
    rows = sorted((row for row in own if row.metric in METRICS), key=lambda row: (row.protocol == "hard", row.pool))
    cells = [(pools(row.protocol), f"{row.pool:,}", row.metric, *numbers(audit, row)[:-1]) for row in rows]
    columns = ("Pools", "Pool", "Measure", *NUMBER_COLUMNS[:-1])
    return table(arrow(spot.direction).capitalize(), columns, cells, numbers=4)


def summary(results: Results) -> Table:
    """Every attacker in every pool, on the terminal."""
    audit = find_audit("linkage")
    rows = [
        (row.attacker, _pool(row), *numbers(audit, row)[:3])
        for row in select(results, metric="recall@1", direction=results.spot.direction)
    ]
    return table("", ("attacker", "pool", "right report first", "95 % interval", "guessing"), rows, numbers=3)
