"""Subgroups as a forest plot: is some group of patients easier to find than others?"""

from __future__ import annotations

from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.pages.numerals import NBSP, fitted, interval, p_value, percent
from leadapron.results import Results
from leadapron.results.selection import SMALLEST_CELL, Group, attribute_name, counted_as, groups, headline, level_name

WITH_FINDINGS = "Of each finding only the group that has it is drawn; the table below has those without it, too."


def subgroups(
    results: Results, *, found_first: str = "right one", candidates: str = "pool", linear: bool = False
) -> Figure:
    """``found_first`` is what an attacker looks for among the ``candidates``."""
    title = "Subgroups"
    reading = (
        f"Each mark is how often the {found_first} comes first within a group, the bar its 95{NBSP}% interval; the "
        "solid line is everybody, the dotted one guessing. A small adjusted p (below 0.05) tells that the groups of "
        "that attribute differ by more than chance, the number of tests allowed for. Patients are compared with each "
        "other, but with themselves where an attribute changes from one of their images to the next, as a view does."
    )
    found = groups(results)
    drawn = [group for group in found if not is_absence(group)]
    if not drawn:
        missing = "The release came without attributes of the patients, or every subgroup is too small to be shown."
        return Figure("subgroups", title, reading, missing=missing)
    adjusted = {row.attribute: p_value(row.p_adjusted) for row in results.group_tests}
    rows: list[Row] = []
    before = ""
    for group in drawn:
        first = group.attribute != before
        before = group.attribute
        names = attribute_name(group.attribute), level_name(group.attribute, group.level)
        short = (fitted(names[0], 26) if first else "", fitted(names[1], 10))
        p = adjusted.get(group.attribute, "–") if first else ""
        estimate = group.estimate
        share, range_ = percent(estimate.value), interval(estimate.low, estimate.high)
        tip = f"{' '.join(names)}: {share} ({range_}), n = {estimate.n:,}"
        dot = Dot(estimate.value, estimate.low, estimate.high, "square", "ink", tip)
        rows.append(Row((*short, share, range_, f"{estimate.n:,}", p), (dot,), rule=first and bool(rows)))
    everybody = headline(results)
    guides = [
        Guide(everybody.chance, 0, len(rows), "guessing", "chance"),
        Guide(everybody.value, 0, len(rows), "everybody", "everybody"),
    ]
    layout = Layout(
        ((0.0, "Attribute"), (170.0, "Group"), (-236.0, "Right first"), (-126.0, f"95{NBSP}% interval"),
         (-76.0, "n"), (-1.0, "adjusted p")),
        240.0, 466.0, row_height=21.0, begin=0.0 if linear else None,
    )  # fmt: skip
    axis = f"{found_first.capitalize()} first, {candidates} of {everybody.pool:,}"
    axis += "" if linear else " (logarithmic)"
    shown = [" ".join(row.cells).strip() for row in rows if row.dots]
    svg = draw_rows("subgroups", title, "; ".join(shown), layout, rows, guides, axis)
    return Figure("subgroups", title, reading, svg=svg, note=" ".join([left_out(results), *notes(found, drawn, svg)]))


def is_absence(group: Group) -> bool:
    """Whether this is the group without a finding: nearly everybody, mostly, and not whom the finding exposes."""
    return group.attribute.startswith("label_") and group.level == "0"


def left_out(results: Results) -> str:
    return (
        f"Groups of fewer than {SMALLEST_CELL} {counted_as(results)} are left out, and so is a group from which one of "
        "them could be worked out."
    )


def notes(found: list[Group], drawn: list[Group], svg: str) -> list[str]:
    """What must be said of groups that are not drawn, and of bars that are cut."""
    absences = [WITH_FINDINGS] if len(drawn) < len(found) else []
    return absences + (["A bar with an arrow goes on beyond the edge."] if 'class="arrow' in svg else [])
