"""Tables of the report in HTML, with captions and row headers: how one is written, and those that every report has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from leadapron.report.numerals import NBSP, escape, interval, p_value, percent, round_percent, significant, times
from leadapron.report.results import Results
from leadapron.report.selection import SMALLEST_CELL, Estimate, attribute_name, groups, level_name
from leadapron.report.words import SYMBOLS

ROWS_KEPT_TOGETHER = 16
"""A table of no more rows than this is printed on one page."""

INTERVAL = f"95{NBSP}% interval"
NUMBER_COLUMNS = ("Measured", INTERVAL, "Guessing", "Enrichment", "n")


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
        (attribute_name(group.attribute), level_name(group.attribute, group.level), *numbers(group.estimate))
        for group in groups(results)
    ]
    columns = ("Attribute", "Group", *NUMBER_COLUMNS)
    return table("Subgroups at the headline", columns, rows, numbers=5) if rows else ""


def by_attacker(
    caption: str,
    heads: tuple[str, ...],
    estimates: list[Estimate],
    metrics: tuple[str, ...],
    block: Callable[[Estimate], str],
) -> str:
    """Attackers in rows and metrics in columns, block by block, with guessing at the head of each."""
    rows = []
    for name in dict.fromkeys(map(block, estimates)):
        here = [row for row in estimates if block(row) == name]
        chances = {row["metric"]: round_percent(row["chance"]) for row in here}
        rows.append((name, "guessing", *(chances.get(metric, "–") for metric in metrics)))
        for attacker in dict.fromkeys(row["attacker"] for row in here):
            own = {row["metric"]: row for row in here if row["attacker"] == attacker}
            rows.append(("", attacker, *(_value(own.get(metric)) for metric in metrics)))
    return table(caption, heads, rows, numbers=len(metrics)) if rows else ""


def _value(row: Estimate | None) -> str:
    if row is None:
        return "–"
    if row["n"] < SMALLEST_CELL:
        return "withheld"
    return f"{percent(row['value'])} ({interval(row['low'], row['high'])})"


def outcomes(results: Results) -> str:
    rows = [
        (row["check"], f"{SYMBOLS[row['outcome']]}{NBSP}{row['outcome']}", row["reason"], _vouched_for(row))
        for row in results.content["outcomes"]
    ]
    return (
        table("Checks", ("Check", "Outcome", "Why", "Attackers covered"), rows)
        if rows
        else "<p>○ not-run: no check was run.</p>"
    )


def _vouched_for(row: Mapping[str, Any]) -> str:
    names = row.get("attackers")
    return "–" if names is None else ", ".join(names) or "none"


def numbers(row: Estimate) -> tuple[str, str, str, str, str]:
    """What stands below ``NUMBER_COLUMNS``."""
    if row["n"] < SMALLEST_CELL:
        return ("withheld", "", "", "", f"< {SMALLEST_CELL}")
    return (
        percent(row["value"]),
        interval(row["low"], row["high"]),
        round_percent(row["chance"]),
        times(row["enrichment"]),
        f"{row['n']:,}",
    )
