"""Tables of the report in HTML, with captions and row headers."""

from __future__ import annotations

from collections.abc import Iterable

from leadapron.report.numerals import NBSP, escape, interval, p_value, percent, round_percent, significant, times
from leadapron.report.results import Results
from leadapron.report.selection import (
    METRICS,
    SMALLEST_CELL,
    Estimate,
    at_patient_level,
    attribute_name,
    groups,
    level_name,
    select,
)
from leadapron.report.words import ARROWS, METRIC_NAMES, PROTOCOLS, SYMBOLS, selective_count

ROWS_KEPT_TOGETHER = 16
"""A table of no more rows than this is printed on one page."""

INTERVAL = f"95{NBSP}% interval"


def table(caption: str, columns: Iterable[str], rows: Iterable[Iterable[object]], *, numbers: int = 0) -> str:
    """A table; the last so many columns are numbers and stand flush right. Everything is escaped."""
    names = list(columns)
    first_number = len(names) - numbers
    head = "".join(f'<th scope="col"{_flush(at >= first_number)}>{escape(name)}</th>' for at, name in enumerate(names))
    body = [f"<tr>{_cells(row, first_number)}</tr>" for row in rows]
    whole = ' class="whole"' if len(body) <= ROWS_KEPT_TOGETHER else ""
    lines = "\n".join(body)
    return (
        f'<div class="scroll"><table{whole}><caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{lines}\n</tbody></table></div>"
    )


def _cells(row: Iterable[object], first_number: int) -> str:
    cells = [escape(cell) for cell in row]
    return f'<th scope="row">{cells[0]}</th>' + "".join(
        f"<td{_flush(at >= first_number)}>{cell}</td>" for at, cell in enumerate(cells[1:], start=1)
    )


def _flush(number: bool) -> str:
    return ' class="number"' if number else ""


def directions(results: Results) -> str:
    """The headline's attacker in both directions, metric by metric."""
    spot = results.content["headline"]
    rows = [
        (ARROWS[direction], METRIC_NAMES[metric], *_numbers(row))
        for direction in ARROWS
        for metric in METRICS
        for row in select(results, **{**spot, "direction": direction, "metric": metric})
    ]
    caption = f"Both directions: {spot['attacker']}, {PROTOCOLS[spot['protocol']]} pools of {spot['pool']:,}"
    columns = ("Direction", "Measure", "Measured", INTERVAL, "Guessing", "Enrichment", "n")
    return table(caption, columns, rows, numbers=5)


def patient_level(results: Results) -> str:
    """What was measured for whole patients, or that nothing was."""
    spot = results.content["headline"]
    rows = [(METRIC_NAMES[row["metric"]], f"{row['pool']:,}", *_numbers(row)) for row in at_patient_level(results)]
    columns = ("Measure", "Pool", "Measured", INTERVAL, "Guessing", "Enrichment", "n")
    caption = f"Patients: {spot['attacker']}, {ARROWS[spot['direction']]}"
    return table(caption, columns, rows, numbers=6) if rows else "<p>Nothing was measured for whole patients.</p>"


def selective(results: Results) -> str:
    """Patients linked by an attacker who may stay silent."""
    rows = [
        (row["attacker"], ARROWS.get(row["direction"], row["direction"]), round_percent(row["precision"]),
         selective_count(row), _share_interval(row))
        for row in results.content["selective"]
    ]  # fmt: skip
    columns = ("Attacker", "Direction", "Precision wanted", "Linked", f"{INTERVAL} of the share")
    caption = "Patients linked by an attacker who answers only when sure"
    return table(caption, columns, rows, numbers=3) if rows else "<p>The selective attack was not run.</p>"


def _share_interval(row: Estimate) -> str:
    return "withheld" if 0 < row["patients"] < SMALLEST_CELL else interval(row["low"], row["high"])


def group_tests(results: Results) -> str:
    rows = [
        (attribute_name(row["attribute"]), row["method"], row["groups"], significant(row["statistic"]),
         p_value(row["p"]), p_value(row["p_adjusted"]))
        for row in results.content["group_tests"]
    ]  # fmt: skip
    columns = ("Attribute", "Method", "Groups", "Statistic", "p", "adjusted p")
    return table("Tests of differences between groups", columns, rows, numbers=4) if rows else ""


def subgroup_estimates(results: Results) -> str:
    rows = [
        (attribute_name(group.attribute), level_name(group.attribute, group.level),
         *(("withheld", "", "", "", "") if group.estimate is None else _numbers(group.estimate)))
        for group in groups(results)
    ]  # fmt: skip
    columns = ("Attribute", "Group", "Measured", INTERVAL, "Guessing", "Enrichment", "n")
    return table("Subgroups at the headline", columns, rows, numbers=5) if rows else ""


def all_estimates(results: Results, direction: str) -> str:
    """Every estimate for everybody in one direction, a row for each pool, with guessing at the head of each."""
    found = select(results, direction=direction)
    pools = sorted({(row["protocol"] != "random", row["pool"], row["protocol"]) for row in found})
    rows = []
    for _, pool, protocol in pools:
        here = [row for row in found if (row["pool"], row["protocol"]) == (pool, protocol)]
        pool_name = f"{pool:,} {PROTOCOLS[protocol]}"
        chances = {row["metric"]: round_percent(row["chance"]) for row in here}
        rows.append((pool_name, "guessing", *(chances.get(metric, "–") for metric in METRICS)))
        for attacker in dict.fromkeys(row["attacker"] for row in here):
            own = {row["metric"]: row for row in here if row["attacker"] == attacker}
            rows.append(("", attacker, *(_value(own.get(metric)) for metric in METRICS)))
    columns = ("Pool", "Attacker", *METRICS)
    caption = f"All estimates, {ARROWS[direction]}: measured ({INTERVAL})"
    return table(caption, columns, rows, numbers=len(METRICS)) if rows else ""


def _value(row: Estimate | None) -> str:
    if row is None:
        return "–"
    if row["n"] < SMALLEST_CELL:
        return "withheld"
    return f"{percent(row['value'])} ({interval(row['low'], row['high'])})"


def outcomes(results: Results) -> str:
    rows = [
        (row["check"], f"{SYMBOLS[row['outcome']]}{NBSP}{row['outcome']}", row["reason"])
        for row in results.content["outcomes"]
    ]
    return table("Checks", ("Check", "Outcome", "Why"), rows) if rows else "<p>○ not-run: no check was run.</p>"


def _numbers(row: Estimate) -> tuple[str, str, str, str, str]:
    if row["n"] < SMALLEST_CELL:
        return ("withheld", "", "", "", f"< {SMALLEST_CELL}")
    return (
        percent(row["value"]),
        interval(row["low"], row["high"]),
        round_percent(row["chance"]),
        times(row["enrichment"]),
        f"{row['n']:,}",
    )
