"""Precision against coverage: what an attacker gains who answers only when sure."""

from __future__ import annotations

import polars as pl

from leadapron.attacks.linkage.linkage_words import selective_count, selective_rows, two_counts
from leadapron.pages.figures import Figure
from leadapron.pages.figures.axes import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    attacker_lines,
    axes,
    end_labels,
    mark_kind,
    style,
)
from leadapron.pages.figures.scales import Linear, Log
from leadapron.pages.figures.svg import drawing, line, mark, text
from leadapron.pages.numerals import NBSP, percent, round_percent
from leadapron.results import Results
from leadapron.results.selection import SMALLEST_CELL, attackers, counted_as, headline

SURE = 0.9


def precision_coverage(results: Results) -> Figure:
    title = "An attacker who may stay silent"
    reading = (
        "From right to left the attacker answers less often and keeps the surest pairs. Where a line is above the "
        f"dashed one, at least 90{NBSP}% of the answers are right: those {counted_as(results)} are linked almost for "
        "certain, however low the average is."
    )
    table = results.evidence("precision_coverage")
    spot = results.spot
    least = SMALLEST_CELL / headline(results).n
    if table is not None:
        table = table.filter(pl.col("direction") == spot.direction, pl.col("coverage") >= least)
    if table is None or table.is_empty():
        missing = (
            "The results came without the evidence “precision_coverage”, from which this figure is drawn."
            if table is None
            else f"In this direction the evidence holds no point of {SMALLEST_CELL} answers or more."
        )
        return Figure("selective", title, reading, missing=missing)
    x, y = Log(min(least, 0.5), 1, LEFT, RIGHT), Linear(0, 1, BOTTOM, TOP)
    parts = axes(
        x, y, "Queries that are answered (logarithmic)", "Answers that are right", round_percent, round_percent
    )
    parts.append(line(LEFT, y(SURE), RIGHT, y(SURE), "threshold"))
    linked = {
        row.attacker: selective_count(results, row)
        for row in selective_rows(results)
        if row.direction == spot.direction and row.precision == SURE
    }
    names = attackers(results)
    points = {
        name: table.filter(pl.col("attacker") == name).sort("coverage").select("coverage", "precision").rows()
        for name in names
    }
    lines, labels = attacker_lines({name: [(x(one), y(two)) for one, two in rows] for name, rows in points.items()})
    parts.extend(lines)
    for order, name in reversed(list(enumerate(names))):
        sure = [(coverage, precision) for coverage, precision in points[name] if precision >= SURE]
        if sure:
            coverage, precision = sure[-1]
            tip = f"{name}: {percent(coverage)} of the queries answered, {percent(precision)} of the answers right"
            parts.append(mark(mark_kind(order), x(coverage), y(precision), style(order), tip))
            if order == 0 and name in linked:
                words = linked[name].partition(" (")[0]
                parts.append(text(words, x(coverage) + 8, y(SURE) - 8, class_="label strong halo"))
    parts.extend(end_labels(labels, high=BOTTOM - 8))
    parts.append(text(f"90{NBSP}% right", RIGHT - 4, y(SURE) - 7, text_anchor="end", class_="guide-words halo"))
    listed = "; ".join(f"{name}: {count}" for name, count in linked.items())
    told = f"{counted_as(results).capitalize()} linked at 90{NBSP}% precision: {listed or 'not given in the results'}."
    ends = f"The lines begin at {SMALLEST_CELL} answers; a mark is where a line last reaches 90{NBSP}%."
    note = " ".join(filter(None, (told, two_counts(results), ends)))
    svg = drawing("selective", WIDTH, HEIGHT, title, told, parts)
    return Figure("selective", title, reading, svg=svg, note=note)
