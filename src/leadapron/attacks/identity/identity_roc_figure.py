"""The ROC curve with false alarms on a logarithmic axis: what counts is how few strangers are taken for one patient."""

from __future__ import annotations

import polars as pl

from leadapron.pages.figures import Figure
from leadapron.pages.figures.axes import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, attacker_lines, axes, line_key, style
from leadapron.pages.figures.scales import Linear, Log, Scale
from leadapron.pages.figures.svg import Point, drawing, line, mark, polyline, text
from leadapron.pages.numerals import interval, percent, round_percent
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, attackers, select

MARKED = "tpr@fpr="
CALLED_OUT = f"{MARKED}0.001"
CHANCE_POINTS = 40


def roc(results: Results) -> Figure:
    """Every attacker on all pairs, and the headline's against strangers who are alike."""
    title = "Recognised pairs against false alarms"
    reading = (
        "An attacker who calls more pairs “one patient” recognises more (up), and takes more strangers for one patient "
        "(right). Near the left edge false alarms are rare: what is recognised there can be relied upon. The dotted "
        "line is guessing. The line “matched” is the headline attacker's against strangers who are alike on paper."
    )
    table = results.evidence("roc")
    names = attackers(results)
    drawn = {} if table is None else {name: _points(table, name, "all-pairs") for name in names}
    if table is None or not any(drawn.values()):
        missing = (
            "The results came without the evidence “roc”, from which this figure is drawn."
            if table is None
            else f"The evidence holds no point of {SMALLEST_CELL} strangers' pairs or more."
        )
        return Figure("roc", title, reading, missing=missing)
    matched = _points(table, names[0], "matched")
    lowest = min(fpr for rows in (*drawn.values(), matched) for fpr, _ in rows)
    x, y = Log(min(lowest, 0.1), 1, LEFT, RIGHT), Linear(0, 1, BOTTOM, TOP)
    parts = axes(
        x, y, "Strangers taken for one patient (logarithmic)", "Pairs of one patient recognised",
        round_percent, round_percent,
    )  # fmt: skip
    steps = [x.low ** (1 - step / CHANCE_POINTS) for step in range(CHANCE_POINTS + 1)]
    parts.append(polyline([(x(fpr), y(fpr)) for fpr in steps], "chance"))
    if matched:
        parts.append(polyline(_placed(matched, x, y), "line matched"))
    lines, _ = attacker_lines({name: _placed(rows, x, y) for name, rows in drawn.items()})
    parts += lines
    marked = [row for row in _marked(results) if x.low <= _fpr(row) <= 1]
    for row in marked:
        parts += _mark(row, x, y)
    # all lines end in one corner, so their names stand in a list, the best first
    ranked = sorted((name for name in names if drawn[name]), key=lambda name: -_height(drawn[name]))
    entries = [(name, style(names.index(name))) for name in ranked]
    parts += line_key([*entries, *([("matched", "matched")] if matched else []), ("guessing", "chance")])
    note = f"The lines begin at {SMALLEST_CELL} strangers' pairs."
    if not matched:
        note += " Strangers who are alike on paper were not compared, or too few of them agree."
    told = "; ".join(_tip(row) for row in marked) or reading
    return Figure("roc", title, reading, svg=drawing("roc", WIDTH, HEIGHT, title, told, parts), note=note)


def _points(table: pl.DataFrame, name: str, protocol: str) -> list[tuple[float, float]]:
    """The part of a curve that rests on enough strangers' pairs, of which its first step up is one."""
    rows = table.filter(pl.col("attacker") == name, pl.col("protocol") == protocol, pl.col("fpr") > 0).sort("fpr")
    least = SMALLEST_CELL * (rows["fpr"][0] if len(rows) else 1.0)
    return rows.filter(pl.col("fpr") >= least - 1e-12).select("fpr", "tpr").rows()


def _placed(rows: list[tuple[float, float]], x: Scale, y: Scale) -> list[Point]:
    return [(x(fpr), y(tpr)) for fpr, tpr in rows]


def _height(rows: list[tuple[float, float]]) -> float:
    """What a line recognises at a hundredth of false alarms, the first after it."""
    return next((tpr for fpr, tpr in rows if fpr >= 0.01), 1.0)


def _marked(results: Results) -> list[Measured]:
    """The headline attacker's estimates at given false-alarm rates."""
    attacker = results.spot.attacker
    found = select(results, attacker=attacker, protocol="all-pairs")
    return [row for row in found if row.metric.startswith(MARKED) and row.n >= SMALLEST_CELL]


def _fpr(row: Measured) -> float:
    return float(row.metric.removeprefix(MARKED))


def _mark(row: Measured, x: Scale, y: Scale) -> list[str]:
    place, value = x(_fpr(row)), y(row.value)
    parts = [
        line(place, y(row.low), place, y(row.high), "whisker s0"),
        mark("circle", place, value, "s0", _tip(row)),
    ]
    if row.metric == CALLED_OUT:
        words = percent(row.value)
        parts.append(text(words, place - 9, value - 9, text_anchor="end", class_="label strong halo"))
    return parts


def _tip(row: Measured) -> str:
    alarms = round_percent(_fpr(row))
    return f"{row.attacker} at {alarms} false alarms: {percent(row.value)} ({interval(row.low, row.high)})"
