"""Attackers in rows: how well each tells pairs of one patient from strangers', in easier and fairer comparisons."""

from __future__ import annotations

import math

from leadapron.attacks.identity.identity_measures import PAIRS
from leadapron.attacks.identity.identity_words import against
from leadapron.audits.wording import written, written_range
from leadapron.pages.figures import Figure
from leadapron.pages.figures.axes import mark_kind, style
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.pages.numerals import NBSP, percent
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, attackers, select


def side_by_side(results: Results) -> Figure:
    title = "Attackers side by side"
    reading = (
        "Each row is one way to attack. The mark is how often a pair of one patient scores higher than a pair of "
        f"strangers (AUC), the bar its 95{NBSP}% interval; the dotted line is guessing. At the equal error an attacker "
        "is wrong as often about patients as about strangers: the lower, the stronger. Taken apart: without repeats of "
        "one day and copies. Alike strangers: those who are the same on paper."
    )
    names = attackers(results)
    lines: list[Row] = []
    for protocol in PAIRS:
        block = select(results, protocol=protocol, metric="auc")
        if block:
            lines.append(Row((against(protocol).capitalize(), "", "", ""), rule=bool(lines), class_="strong"))
        block.sort(key=lambda row: -row.value)
        lines += [_row(results, row, names.index(row.attacker)) for row in block]
    if not any(row.dots for row in lines):
        return Figure("attackers", title, reading, missing="The results hold no AUC of enough pairs.")
    guides = [Guide(0.5, 0, len(lines), "guessing", "chance")]
    columns = ((8.0, "Attacker"), (-200.0, "AUC"), (-94.0, f"95{NBSP}% interval"), (-4.0, "Equal error"))
    layout = Layout(columns, 120.0, 500.0, row_height=24.0, begin=_begin(lines), words="{:.1f}".format)
    described = "; ".join(f"{row.cells[0]} {row.cells[1]} ({row.cells[2]})" for row in lines if row.dots)
    svg = draw_rows("attackers", title, described, layout, lines, guides, "Pair of one patient scores higher")
    return Figure("attackers", title, reading, svg=svg)


def _begin(rows: list[Row]) -> float:
    """A little below guessing, or below whatever is lower still."""
    lows = [dot.value if dot.low is None else dot.low for row in rows for dot in row.dots]
    return max(math.floor(10 * min(*lows, 0.5) - 1e-9), 0) / 10


def _row(results: Results, row: Measured, order: int) -> Row:
    class_ = "" if order else "strong"
    name = row.attacker
    if row.n < SMALLEST_CELL:
        return Row((name, "withheld", "", ""), class_=class_)
    errors = select(results, attacker=name, protocol=row.protocol, metric="eer")
    value, range_ = written("auc", row.value), written_range("auc", row.low, row.high)
    hollow = "" if row.protocol == "all-pairs" else " hollow"
    tip = f"{name}, {against(row.protocol)}: {value} ({range_})"
    dot = Dot(row.value, row.low, row.high, mark_kind(order), style(order) + hollow, tip)
    return Row((name, value, range_, percent(errors[0].value) if errors else "–"), (dot,), class_=class_)
