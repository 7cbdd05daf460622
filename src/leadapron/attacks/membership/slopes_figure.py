"""What the slope does to an attack on one model: it is a constant, and no slope is chosen by its success."""

from __future__ import annotations

import polars as pl

from leadapron.audits.wording import written_range
from leadapron.pages.figures import Figure
from leadapron.pages.figures.axes import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Label, axes, end_labels
from leadapron.pages.figures.scales import Linear
from leadapron.pages.figures.svg import area, drawing, line, mark, polyline
from leadapron.pages.numerals import NBSP
from leadapron.results import Results

LINES = (("patients (joint)", "joint_auc", "joint_low", "joint_high"), ("records", "auc", "low", "high"))


def slopes(results: Results) -> Figure:
    """The AUC by slope where members are known; else how alike the records are ordered."""
    title = "What the slope does"
    table = results.evidence("slopes")
    if table is None:
        missing = "The results came without the evidence “slopes”, from which this figure is drawn."
        return Figure("slopes", title, "", missing=missing)
    table = table.sort("slope")
    return _aucs(title, table) if "auc" in table.columns else _orders(title, table)


def _aucs(title: str, table: pl.DataFrame) -> Figure:
    reading = (
        "The slope tells how much surer models are taken to be of their members; near 1 hardly surer. Each line is the "
        f"AUC that the attack would have with another slope, its band the 95{NBSP}% interval; marks are the slope that "
        "was used. It was set before the attack: where a line is flat, another slope would have changed little."
    )
    lows, highs = (pl.concat([table[line[at]] for line in LINES]).to_numpy() for at in (2, 3))
    x, y = Linear(0, 1, LEFT, RIGHT), Linear(min(0.5, lows.min()), highs.max(), BOTTOM, TOP)
    parts = axes(x, y, "Slope", "AUC", "{:g}".format, "{:.2f}".format)
    parts.append(line(LEFT, y(0.5), RIGHT, y(0.5), "chance"))
    labels, told = [Label("guessing", RIGHT, y(0.5), "muted")], []
    for order, (name, *columns) in enumerate(LINES):
        value, low, high = (
            [(x(slope), y(auc)) for slope, auc in table.select("slope", one).iter_rows()] for one in columns
        )
        parts += [area(high, low, f"band s{order}"), polyline(value, f"line s{order}")]
        used = table.filter("used").row(0, named=True)
        at, ends = used[columns[0]], written_range("auc", used[columns[1]], used[columns[2]])
        told.append(f"{name}, slope {used['slope']:g}: {at:.3f} ({ends})")
        parts.append(mark("circle", x(used["slope"]), y(at), f"s{order}", told[-1]))
        labels.append(Label(name, *value[-1], f"s{order}"))
    parts += end_labels(labels)
    return Figure("slopes", title, reading, drawing("slopes", WIDTH, HEIGHT, title, "; ".join(told), parts))


def _orders(title: str, table: pl.DataFrame) -> Figure:
    reading = (
        "The slope tells how much surer models are taken to be of their members; near 1 hardly surer. The line tells "
        "how alike another slope orders the records: 1 is the same order, 0 an unrelated one. The mark is the slope "
        "that was used."
    )
    rows = table.select("slope", "rank_correlation").rows()
    x, y = Linear(0, 1, LEFT, RIGHT), Linear(min(0.0, *(alike for _, alike in rows)), 1, BOTTOM, TOP)
    parts = axes(x, y, "Slope", "Correlation of ranks", "{:g}".format, "{:.2f}".format)
    parts.append(polyline([(x(slope), y(alike)) for slope, alike in rows], "line s0"))
    used = table.filter("used")["slope"][0]
    parts.append(mark("circle", x(used), y(1), "s0", f"slope {used:g}"))
    least = min(alike for _, alike in rows)
    described = f"With any slope, ranks correlate with those of the slope {used:g} by {least:.2f} or more"
    return Figure("slopes", title, reading, drawing("slopes", WIDTH, HEIGHT, title, described, parts))
