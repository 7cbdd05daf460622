"""Groups in the tail: which have more of the most exposed records than their share, and whether that is chance."""

from __future__ import annotations

import math

from leadapron.report.figures import Figure
from leadapron.report.figures.rows import Dot, Guide, Layout, Row, draw_rows
from leadapron.report.figures.subgroups import is_absence, left_out, notes
from leadapron.report.membership.numbers import first
from leadapron.report.numerals import NBSP, fitted, p_value, times
from leadapron.report.results import Results
from leadapron.report.selection import Estimate, Group, attribute_name, by_attribute, level_name
from leadapron.report.words import counted

IN_TAIL = "in-tail"


def tail_groups(results: Results) -> list[Group]:
    """The groups of which a share in the tail was measured."""
    everybody = first(results, protocol="record", metric=IN_TAIL)
    members = [row for row in results.estimates if row["group"] and row["metric"] == IN_TAIL]
    return by_attribute(members, everybody["n"]) if everybody is not None else []


def over(row: Estimate, end: str = "value") -> float:
    """How many times its share of the records a group has of the tail: its share in it over everybody's."""
    return float(row[end] / row["chance"])


def times_range(row: Estimate) -> str:
    return f"{times(over(row, 'low')).removesuffix('×')}–{times(over(row, 'high'))}"


def groups_in_tail(results: Results) -> Figure:
    title = "Groups among the most exposed"
    reading = (
        f"Each mark is how many times its share a group has of the most exposed records, the bar its 95{NBSP}% "
        "interval; at the dotted line it has just its share, right of it more. A small adjusted p (below 0.05) tells "
        "that the groups of that attribute differ by more than chance: groups were dealt anew among patients with as "
        "many records, and the number of tests is allowed for."
    )
    found = tail_groups(results)
    drawn = [group for group in found if not is_absence(group)]
    if not drawn:
        missing = "The records came without attributes of the patients, or every group is too small to be shown."
        return Figure("groups", title, reading, missing=missing)
    adjusted = {row["attribute"]: p_value(row["p_adjusted"]) for row in results.content["group_tests"]}
    rows: list[Row] = []
    before = ""
    for group in drawn:
        head = group.attribute != before
        before = group.attribute
        names = attribute_name(group.attribute), level_name(group.attribute, group.level)
        short = (fitted(names[0], 26) if head else "", fitted(names[1], 10))
        p, rule = (adjusted.get(group.attribute, "–") if head else ""), head and bool(rows)
        estimate = group.estimate
        cells = times(over(estimate)), times_range(estimate), f"{estimate['n']:,}"
        tip = f"{' '.join(names)}: {cells[0]} its share ({cells[1]}), {cells[2]} records"
        value, low, high = (over(estimate, end) for end in ("value", "low", "high"))
        rows.append(Row((*short, *cells, p), (Dot(value, low, high, "square", "ink", tip),), rule=rule))
    layout = Layout(
        ((0.0, "Attribute"), (170.0, "Group"), (-232.0, "Times share"), (-134.0, f"95{NBSP}% interval"),
         (-76.0, "Records"), (-1.0, "adjusted p")),
        240.0, 456.0, row_height=21.0, most=math.inf, words=times,
    )  # fmt: skip
    guides = [Guide(1.0, 0, len(rows), "its share", "chance")]
    described = "; ".join(" ".join(row.cells).strip() for row in rows if row.dots)
    axis = "Share of the tail over share of all records (logarithmic)"
    svg = draw_rows("groups", title, described, layout, rows, guides, axis)
    note = " ".join([*_tail(results), left_out(results), *notes(found, drawn, svg)])
    return Figure("groups", title, reading, svg=svg, note=note)


def _tail(results: Results) -> list[str]:
    tail = results.content["counts"].get("records_in_tail", 0)
    return [f"The most exposed are the {counted(tail)} records with the highest AUC, the tail."] if tail != 0 else []
