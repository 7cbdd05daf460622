"""Attacks on models, records and patients in rows: the AUC of each with its interval, and what chance gives."""

from __future__ import annotations

import math

from leadapron.report.figures import Figure
from leadapron.report.figures.axes import mark_kind, style
from leadapron.report.figures.rows import Dot, Guide, Layout, Row, draw_rows
from leadapron.report.membership.numbers import TOP, attacks, auc, auc_range
from leadapron.report.numerals import NBSP
from leadapron.report.results import Results
from leadapron.report.selection import Estimate, select

SCORES = ("joint", "calibrated", "maximum")
HALF = 0.5


def side_by_side(results: Results) -> Figure:
    title = "Attacks on average, and on the most exposed"
    reading = (
        "Each mark is an AUC: how often a model that was trained on somebody is told from one that was not. The bar "
        f"is its 95{NBSP}% interval, the dotted line what chance gives. Above: everybody together. Below: the AUC that "
        "one patient in a hundred reaches, or one in a thousand; with few models chance comes far there, too."
    )
    names = attacks(results)
    blocks = {
        "Attacks on models, on average": select(results, protocol="aggregate", metric="auc"),
        "Records, on average": select(results, protocol="record", metric="auc"),
        "Patients, on average": select(results, protocol="patient", metric="auc"),
        "One patient in a hundred": select(results, protocol="patient", metric=f"{TOP}0.01"),
        "One patient in a thousand": select(results, protocol="patient", metric=f"{TOP}0.001"),
    }
    lines: list[Row] = []
    guides: list[Guide] = []
    for head, block in blocks.items():
        if not block:
            continue
        lines.append(Row((head, "", "", ""), rule=bool(lines), class_="strong"))
        average = all(row["chance"] == HALF for row in block)
        if average:
            words = "chance" if len(lines) == 1 else ""
            guides.append(Guide(HALF, len(lines) - 1, len(lines) + len(block), words, "chance"))
        for row in sorted(block, key=lambda row: _place(row, names)):
            if not average:
                guides.append(Guide(row["chance"], len(lines), len(lines) + 1, "", "chance"))
            lines.append(_row(row, names))
    if not lines:
        return Figure("attackers", title, reading, missing="The results hold no AUC of an attack or of patients.")
    columns = ((8.0, "Attack or score"), (-200.0, "AUC"), (-84.0, f"95{NBSP}% interval"), (-4.0, "By chance"))
    layout = Layout(columns, 200.0, 480.0, row_height=22.0, begin=_begin(lines), words=lambda tick: f"{tick:g}")
    described = "; ".join(f"{row.cells[0]} {row.cells[1]} ({row.cells[2]})" for row in lines if row.dots)
    return Figure(
        "attackers", title, reading, svg=draw_rows("attackers", title, described, layout, lines, guides, "AUC")
    )


def _place(row: Estimate, names: list[str]) -> tuple[int, float]:
    """Scores in the order of their names, attacks by their strength."""
    if row["protocol"] == "patient" and row["attacker"] in SCORES:
        return SCORES.index(row["attacker"]), 0.0
    return (0 if row["attacker"] in names else 1), -row["value"]


def _begin(rows: list[Row]) -> float:
    """A little below chance, or below whatever is lower still."""
    lows = [dot.value if dot.low is None else dot.low for row in rows for dot in row.dots]
    return max(math.floor(20 * min(*lows, HALF) - 1e-9), 0) / 20


def _row(row: Estimate, names: list[str]) -> Row:
    name, range_ = row["attacker"], auc_range(row["low"], row["high"])
    kind, class_ = "square", "ink"
    if row["protocol"] == "aggregate":
        order = names.index(name)
        kind, class_ = mark_kind(order), style(order)
    dot = Dot(row["value"], row["low"], row["high"], kind, class_, f"{name}: {auc(row['value'])} ({range_})")
    return Row((name, auc(row["value"]), range_, auc(row["chance"])), (dot,))
