"""Risk over patients: how many have at least a given chance of being found."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

import polars as pl

from leadapron.pages.figures.axes import BOTTOM, HEIGHT, LEFT, TOP, WIDTH, axes
from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.scales import Linear, Log
from leadapron.pages.figures.svg import Point, area, drawing, line, mark, polyline, text
from leadapron.pages.numerals import NBSP, interval, out_of, percent, round_percent, so_many
from leadapron.results import Results
from leadapron.results.selection import SMALLEST_CELL, counted_as

EDGE = WIDTH - 36
READ_OFF = (0.1, 0.5, 0.9)
NEAR = 0.08
LETTER = 8.0
"""The width of a letter of a label, at most on average."""


def survival(results: Results, *, done: str = "linked", counted: str = "patients", whose: str = "") -> Figure:
    """``done`` is what happens to a patient, ``counted`` the count of those at risk, ``whose`` a note on whom."""
    whom = counted_as(results)
    title = f"Risk over {whom}"
    reading = (
        f"Pick a risk below, go up to the line and read at the left what share of the {whom} has at least that risk. "
        f"An average hides them: a few {whom} may be found nearly always while most are never found."
    )
    table = results.evidence("survival")
    if table is None or table.is_empty():
        missing = "The results came without the evidence “survival”, from which this figure is drawn."
        return Figure("survival", title, reading, missing=missing)
    patients = max(results.counts.get(counted) or 0, SMALLEST_CELL)
    least = SMALLEST_CELL / patients
    rows = table.filter(pl.col("share") >= least - 1e-12).sort("risk").select("risk", "share", "low", "high").rows()
    x = Linear(0, 1, LEFT, EDGE)
    lowest = max(least, min((low for *_, low, _ in rows), default=least))
    y = Log(min(lowest / 1.6, 0.2), 1, BOTTOM, TOP)
    parts = axes(
        x, y, f"Chance of being {done}, at least", f"{whom.capitalize()} (logarithmic)", round_percent, round_percent
    )
    lower, upper = ([(x(row[0]), y(row[edge])) for row in rows] for edge in (2, 3))
    parts.append(area(upper, lower, "band s0"))
    parts.append(polyline([(x(risk), y(share)) for risk, share, *_ in rows], "line s0"))
    size = out_of(least)
    told = []
    labels: list[tuple[str, Point]] = []
    for wanted in READ_OFF:
        near = sorted((row for row in rows if abs(row[0] - wanted) < NEAR), key=lambda row: abs(row[0] - wanted))
        for risk, share, low, high in near[:1]:
            words = f"{so_many(share, size)} of {size:,}"
            tip = f"at least {round_percent(risk)} risk: {percent(share)} of the {whom} ({interval(low, high)})"
            parts.append(line(x(risk), y(share), x(risk), BOTTOM, "leader"))
            parts.append(mark("circle", x(risk), y(share), "s0", tip))
            labels.append((words, (x(risk), y(share))))
            told.append(f"{words} {whom} have a risk of at least {round_percent(risk)}")
    parts.extend(_written(labels))
    note = f"Shaded: 95{NBSP}% interval. Shares of fewer than {SMALLEST_CELL} {whom} are not drawn."
    note += f" {whose}" if whose else ""
    svg = drawing("survival", WIDTH, HEIGHT, title, "; ".join(told) or reading, parts)
    return Figure("survival", title, reading, svg=svg, note=note)


def _written(labels: list[tuple[str, Point]]) -> list[str]:
    """Labels above their marks: once for neighbours that say the same, and flush right where the frame ends."""
    parts = []
    for words, same in groupby(labels, key=itemgetter(0)):
        places = [place for _, place in same]
        (left, highest), (right, _) = places[0], places[-1]
        at, anchor = (left + 6, "start") if len(places) == 1 else ((left + right) / 2, "middle")
        if at + LETTER * len(words) > EDGE:
            at, anchor = EDGE, "end"
        parts.append(text(words, at, highest - 10, text_anchor=anchor, class_="label strong halo"))
    return parts
