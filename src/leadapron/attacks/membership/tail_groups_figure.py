"""Groups in the tail: which have more of the most exposed records than their share, and whether that is chance."""

from __future__ import annotations

import math

from leadapron.attacks.membership.membership_measures import RECORD
from leadapron.audits.standard_words import counted
from leadapron.pages.figures import Figure
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.pages.figures.subgroups import is_absence, left_out, notes
from leadapron.pages.numerals import NBSP, fitted, p_value, times
from leadapron.results import Measured, Results
from leadapron.results.selection import Group, attribute_name, by_attribute, first, level_name


def tail_groups(results: Results) -> list[Group]:
    """The groups of which a share in the tail was measured."""
    everybody = first(results, protocol=RECORD, metric="in-tail")
    members = [row for row in results.estimates if row.group and row.metric == "in-tail"]
    return by_attribute(members, everybody.n) if everybody is not None else []


def times_share(row: Measured) -> tuple[str, str]:
    """How many times its share of the records a group has of the tail, its share in it over everybody's; the range."""
    low, high = times(row.low / row.chance), times(row.high / row.chance)
    return times(row.enrichment), f"{low.removesuffix('×')}–{high}"


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
    adjusted = {row.attribute: p_value(row.p_adjusted) for row in results.group_tests}
    rows: list[Row] = []
    before = ""
    for group in drawn:
        head = group.attribute != before
        before = group.attribute
        names = attribute_name(group.attribute), level_name(group.attribute, group.level)
        short = (fitted(names[0], 26) if head else "", fitted(names[1], 10))
        p, rule = (adjusted.get(group.attribute, "–") if head else ""), head and bool(rows)
        estimate = group.estimate
        cells = (*times_share(estimate), f"{estimate.n:,}")
        tip = f"{' '.join(names)}: {cells[0]} its share ({cells[1]}), {cells[2]} records"
        low, high = estimate.low / estimate.chance, estimate.high / estimate.chance
        dot = Dot(estimate.enrichment, low, high, "square", "ink", tip)
        rows.append(Row((*short, *cells, p), (dot,), rule=rule))
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
    if "records_in_tail" not in results.counts:
        return []
    tail = counted(results.counts["records_in_tail"])
    return [f"The most exposed are the {tail} records with the highest AUC, the tail."]
