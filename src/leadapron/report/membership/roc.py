"""The ROC curves of the attacks on several models, both axes logarithmic: what counts are rare false alarms."""

from __future__ import annotations

import polars as pl

from leadapron.report.figures import Figure
from leadapron.report.figures.axes import BOTTOM, HEIGHT, LEFT, TOP, WIDTH, attacker_lines, axes, line_key, style
from leadapron.report.figures.scales import Log
from leadapron.report.figures.svg import drawing, line, mark, polyline, text
from leadapron.report.membership.numbers import attacks, fpr_of, in_so_many, rates
from leadapron.report.numerals import NBSP, interval, percent, round_percent
from leadapron.report.results import Results
from leadapron.report.selection import SMALLEST_CELL, Estimate

CALLED_OUT = 0.001
EDGE = 590.0
"""The names of some attacks are long: the frame leaves them more room than others do."""


def roc(results: Results) -> Figure:
    title = "Members recognised against false alarms"
    reading = (
        "An attacker who calls more records “member” recognises more of them (up), and takes more of the others for "
        "members (right). On the dotted line both happen equally often: that is guessing. At the left edge false "
        "alarms are rare, and who is recognised there can be relied upon. Both axes are logarithmic: each step is ten "
        "times the one before."
    )
    table = results.evidence("roc")
    names = attacks(results)
    if table is None or table.is_empty() or not names:
        missing = "The results came without the evidence “roc”, from which this figure is drawn."
        return Figure("roc", title, reading, missing=missing)
    least = min(_rarest(results), 0.1)
    x, y = Log(least, 1, LEFT, EDGE), Log(least, 1, BOTTOM, TOP)
    words = "Others taken for members (logarithmic)", "Members recognised (logarithmic)"
    parts = axes(x, y, *words, round_percent, round_percent)
    parts.append(polyline([(LEFT, BOTTOM), (EDGE, TOP)], "chance"))
    paths = {name: [(x(fpr), y(tpr)) for fpr, tpr in _points(table, name, least)] for name in names}
    lines, _ = attacker_lines(paths)
    parts += lines
    marked = [row for row in rates(results, names[0]) if fpr_of(row) >= least]
    for row in marked:
        parts += _mark(row, x, y)
    # all lines end in one corner, so their names stand in a list
    entries = [(name, style(order)) for order, name in enumerate(names) if paths[name]]
    parts += line_key([*entries, ("guessing", "chance")], EDGE)
    targets = results.content["counts"].get("targets", 1)
    note = (
        f"Each line is the mean over {targets:,} attacked model{'s' if targets > 1 else ''}, marks of {names[0]} with "
        f"95{NBSP}% intervals. The lines begin at {SMALLEST_CELL} false alarms over all of them."
    )
    svg = drawing("roc", WIDTH, HEIGHT, title, "; ".join(map(_tip, marked)) or reading, parts)
    return Figure("roc", title, reading, svg=svg, note=note)


def _rarest(results: Results) -> float:
    """The rate at which there are enough false alarms over all targets, and one in each; half are not members."""
    counts: dict[str, int] = results.content["counts"]
    return max(SMALLEST_CELL / max(counts.get("targets", 1), 1), 1) / max(counts.get("records", 0) / 2, 1)


def _points(table: pl.DataFrame, name: str, least: float) -> list[tuple[float, float]]:
    rows = table.filter(pl.col("attacker") == name, pl.col("fpr") >= least - 1e-12).sort("fpr")
    return rows.select("fpr", "tpr").rows()


def _mark(row: Estimate, x: Log, y: Log) -> list[str]:
    place, value = x(fpr_of(row)), y(row["value"])
    parts = [
        line(place, y(row["low"]), place, y(row["high"]), "whisker s0"),
        mark("circle", place, value, "s0", _tip(row)),
    ]
    if fpr_of(row) == CALLED_OUT:
        words = percent(row["value"])
        parts.append(text(words, place - 9, value - 9, text_anchor="end", class_="label strong halo"))
    return parts


def _tip(row: Estimate) -> str:
    range_ = interval(row["low"], row["high"])
    return f"{row['attacker']} at {in_so_many(fpr_of(row))}: {percent(row['value'])} ({range_})"
