"""The tables of a linkage audit."""

from __future__ import annotations

from leadapron.attacks.withheld import told
from leadapron.report.linkage.words import (
    DIRECTIONS,
    METRIC_NAMES,
    METRICS,
    PROTOCOLS,
    UNNAMED,
    at_patient_level,
    selective_count,
)
from leadapron.report.numerals import interval, round_percent
from leadapron.report.results import Results
from leadapron.report.selection import Estimate, counted_as, select
from leadapron.report.tables import (
    INTERVAL,
    NUMBER_COLUMNS,
    by_attacker,
    group_tests,
    numbers,
    subgroup_estimates,
    table,
)
from leadapron.report.words import ARROWS


def shown(results: Results) -> list[str]:
    return [both_directions(results), patient_level(results), selective(results)]


def folded(results: Results) -> dict[str, str]:
    return {
        "Subgroups and tests": subgroup_estimates(results) + group_tests(results),
        "All estimates": "\n".join(all_estimates(results, direction) for direction in DIRECTIONS),
    }


def both_directions(results: Results) -> str:
    """The headline's attacker in both directions, metric by metric."""
    spot = results.content["headline"]
    rows = [
        (ARROWS[direction], METRIC_NAMES[metric], *numbers(row))
        for direction in DIRECTIONS
        for metric in METRICS
        for row in select(results, **{**spot, "direction": direction, "metric": metric})
    ]
    caption = f"Both directions: {spot['attacker']}, {PROTOCOLS[spot['protocol']]} pools of {spot['pool']:,}"
    return table(caption, ("Direction", "Measure", *NUMBER_COLUMNS), rows, numbers=5)


def patient_level(results: Results) -> str:
    """What was measured for whole patients, or that nothing was."""
    spot = results.content["headline"]
    rows = [(METRIC_NAMES[row["metric"]], f"{row['pool']:,}", *numbers(row)) for row in at_patient_level(results)]
    caption = f"Patients: {spot['attacker']}, {ARROWS[spot['direction']]}"
    if not rows:
        return "<p>Nothing was measured for whole patients.</p>" if results.patients_named else f"<p>{UNNAMED}</p>"
    return table(caption, ("Measure", "Pool", *NUMBER_COLUMNS), rows, numbers=6)


def selective(results: Results) -> str:
    """Who is linked by an attacker who may stay silent."""
    rows = [
        (row["attacker"], ARROWS.get(row["direction"], row["direction"]), round_percent(row["precision"]),
         selective_count(results, row), _share_interval(row))
        for row in results.content["selective"]
    ]  # fmt: skip
    columns = ("Attacker", "Direction", "Precision wanted", "Linked", f"{INTERVAL} of the share")
    caption = f"{counted_as(results).capitalize()} linked by an attacker who answers only when sure"
    return table(caption, columns, rows, numbers=3) if rows else "<p>The selective attack was not run.</p>"


def _share_interval(row: Estimate) -> str:
    return "withheld" if told(row["patients"]) is None else interval(row["low"], row["high"])


def all_estimates(results: Results, direction: str) -> str:
    """Every estimate for everybody in one direction, pool by pool, random ones first."""
    found = [row for row in select(results, direction=direction) if row["metric"] in METRICS]
    found.sort(key=lambda row: (row["protocol"] != "random", row["pool"], row["protocol"]))
    caption = f"All estimates, {ARROWS[direction]}: measured ({INTERVAL})"
    heads = ("Pool", "Attacker", *METRICS)
    return by_attacker(caption, heads, found, METRICS, lambda row: f"{row['pool']:,} {PROTOCOLS[row['protocol']]}")


CARD_COLUMNS = ("Pools", "Pool", "Measure", *NUMBER_COLUMNS[:-1])


def card(results: Results) -> list[tuple[str, ...]]:
    """The headline's attacker in every pool, random ones first, for a model card."""
    spot = {key: results.content["headline"][key] for key in ("direction", "attacker")}
    rows = [row for metric in METRICS for row in select(results, **spot, metric=metric)]
    rows.sort(key=lambda row: (row["protocol"] == "hard", row["pool"]))
    return [(PROTOCOLS[row["protocol"]], f"{row['pool']:,}", row["metric"], *numbers(row)[:-1]) for row in rows]
