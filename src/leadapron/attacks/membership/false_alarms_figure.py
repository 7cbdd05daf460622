"""ROC curves of the attacks, both axes logarithmic: what counts are rare false alarms."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from leadapron.attacks.membership.declared import rate_of
from leadapron.attacks.membership.membership_measures import AGGREGATE
from leadapron.attacks.membership.membership_numbers import attacks, in_so_many, rates
from leadapron.pages.figures import Figure
from leadapron.pages.figures.axes import BOTTOM, HEIGHT, LEFT, TOP, WIDTH, attacker_lines, axes, line_key, style
from leadapron.pages.figures.scales import Log
from leadapron.pages.figures.svg import drawing, line, mark, polyline, text
from leadapron.pages.numerals import NBSP, interval, percent, round_percent
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL

CALLED_OUT = 0.001
EDGE = 590.0
"""The names of some attacks are long: the frame leaves them more room than others do."""


@dataclass(frozen=True)
class Curves:
    """What the lines are of: a level of the estimates, a table of evidence, and how many could give a false alarm."""

    level: str
    evidence: str
    others: float
    targets: int = 1

    @property
    def rarest(self) -> float:
        """The rate at which there are enough false alarms over all targets, and one in each."""
        return min(max(SMALLEST_CELL / self.targets, 1) / max(self.others, 1), 0.1)


def recognised(results: Results) -> Figure:
    """The attacks on several models; half of the records are not members of each."""
    counts = results.counts
    curves = Curves(AGGREGATE, "roc", (counts["records"] or 0) / 2, counts["targets"] or 1)
    return draw_curves(results, curves, "roc", "Members recognised against false alarms", "records")


def draw_curves(results: Results, curves: Curves, key: str, title: str, whose: str) -> Figure:
    figure = Figure(
        key,
        title,
        f"An attacker who calls more {whose} “member” recognises more of the members (up), and takes more of the "
        "others for members (right). On the dotted line both happen equally often: that is guessing. At the left edge, "
        "false alarms are rare, and a call of “member” can be relied upon. Both axes are logarithmic: the same "
        "distance is the same factor everywhere.",
        missing=f"The results came without the evidence “{curves.evidence}”, from which this figure is drawn.",
    )
    table, names, least = results.evidence(curves.evidence), attacks(results, curves.level), curves.rarest
    if table is None or table.is_empty() or not names:
        return figure
    x, y = Log(least, 1, LEFT, EDGE), Log(least, 1, BOTTOM, TOP)
    words = "Others taken for members (logarithmic)", "Members recognised (logarithmic)"
    parts = axes(x, y, *words, round_percent, round_percent)
    parts.append(polyline([(LEFT, BOTTOM), (EDGE, TOP)], "chance"))
    paths = {name: [(x(fpr), y(tpr)) for fpr, tpr in _points(table, name, least)] for name in names}
    lines, _ = attacker_lines(paths)
    parts += lines
    marked = [row for row in rates(results, names[0], curves.level) if rate_of(row) >= least]
    for row in marked:
        parts += _mark(row, x, y)
    # all lines end in one corner, so their names stand in a list
    entries = [(name, style(order)) for order, name in enumerate(names) if paths[name]]
    parts += line_key([*entries, ("guessing", "chance")], EDGE)
    note = f"Marks are of {names[0]} with 95{NBSP}% intervals. The lines begin at {SMALLEST_CELL} false alarms"
    note += "." if curves.targets == 1 else f" over all {curves.targets:,} attacked models; each is the mean over them."
    svg = drawing(key, WIDTH, HEIGHT, title, "; ".join(map(_tip, marked)) or figure.reading, parts)
    return replace(figure, svg=svg, missing="", note=note)


def _points(table: pl.DataFrame, name: str, least: float) -> list[tuple[float, float]]:
    rows = table.filter(pl.col("attacker") == name, pl.col("fpr") >= least - 1e-12).sort("fpr")
    return rows.select("fpr", "tpr").rows()


def _mark(row: Measured, x: Log, y: Log) -> list[str]:
    place, value = x(rate_of(row)), y(row.value)
    parts = [
        line(place, y(row.low), place, y(row.high), "whisker s0"),
        mark("circle", place, value, "s0", _tip(row)),
    ]
    if rate_of(row) == CALLED_OUT:
        words = percent(row.value)
        parts.append(text(words, place - 9, value - 9, text_anchor="end", class_="label strong halo"))
    return parts


def _tip(row: Measured) -> str:
    range_ = interval(row.low, row.high)
    return f"{row.attacker} at {in_so_many(rate_of(row))}: {percent(row.value)} ({range_})"
