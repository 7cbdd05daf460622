"""Success against the size of the pool: linkage with the chance line, and the same as enrichment over chance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from leadapron.report.figures.axes import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Label,
    axes,
    end_labels,
    mark_kind,
    style,
)
from leadapron.report.figures.figure import Figure
from leadapron.report.figures.scales import Log, around
from leadapron.report.figures.svg import Point, area, drawing, line, mark, polyline, text
from leadapron.report.numerals import NBSP, interval, percent, round_percent, significant, times
from leadapron.report.results import Results
from leadapron.report.selection import Estimate, attackers, headline, select

POINTS = 160
MISSING = "The results came without the evidence “curve” and “bands”, from which this figure is drawn."


def pool_size(results: Results) -> Figure:
    """How often the right one comes first, against the pool, on logarithmic axes."""
    figure = Figure(
        "pool-size",
        "Linkage against the size of the pool",
        "Further right, the attacker must search among more candidates; further up, the right one is found more often. "
        "Lines above the dotted one do better than guessing. Both axes are logarithmic: each step is ten times the one "
        "before.",
        missing=MISSING,
    )
    return _draw(results, figure, enriched=False)


def enrichment(results: Results) -> Figure:
    """The same lines, divided by chance."""
    figure = Figure(
        "enrichment",
        "Enrichment over guessing",
        "How many times as often as guessing the attacker is right. 1× is no better than guessing. A line that rises "
        "to the right tells that a larger pool hurts the attacker less than it hurts a guesser.",
        missing=MISSING,
    )
    return _draw(results, figure, enriched=True)


@dataclass(frozen=True)
class Plane:
    """The drawing's plane: pools to the right; upwards recall@1, or recall@1 over chance."""

    x: Log
    y: Log
    enriched: bool

    def __call__(self, pool: int, recall: float) -> Point:
        return self.x(pool), self.y(height(pool, recall, enriched=self.enriched))


def height(pool: int, recall: float, *, enriched: bool) -> float:
    return recall * pool if enriched else recall


def _draw(results: Results, figure: Figure, *, enriched: bool) -> Figure:
    direction = results.content["headline"]["direction"]
    lines, bands = (_of(results.evidence(name), direction) for name in ("curve", "bands"))
    if lines is None and bands is not None:
        lines = bands.select("attacker", "pool", recall="value")
    if lines is None or lines.is_empty():
        return figure
    names = attackers(results)
    points = select(results, direction=direction, protocol="random", metric="recall@1")
    paths = {name: _thin(lines.filter(pl.col("attacker") == name)) for name in names}
    plane = _plane(paths, points, enriched=enriched)
    parts = axes(
        plane.x, plane.y, "Candidates in the pool", "Times guessing" if enriched else "Right one first",
        lambda tick: f"{tick:,.0f}", times if enriched else round_percent,
    )  # fmt: skip
    last = round(plane.x.high)
    parts.append(polyline([plane(2, 1 / 2), plane(last, 1 / last)], "chance"))
    labels = [Label("guessing", *plane(last, 1 / last), "muted")]
    if bands is not None:
        parts.append(_band(bands.filter(pl.col("attacker") == names[0]), plane))
    for order, name in reversed(list(enumerate(names))):  # the headline's is drawn last, on top of the others
        own = [row for row in points if row["attacker"] == name]
        parts.extend(_attacker(order, paths[name], own, plane))
        ends = (paths[name] or [(row["pool"], row["value"]) for row in own])[-1:]
        class_ = f"{style(order)} strong" if order == 0 else style(order)
        labels.extend(Label(name, *plane(*end), class_) for end in ends)
    row = headline(results)
    parts += [*end_labels(labels), _callout(row, plane)]
    described = f"{_tip(row)}; guessing gives {round_percent(row['chance'])}."
    note = "" if bands is None else f"Shaded: 95{NBSP}% interval of the headline attacker, {names[0]}."
    return replace(figure, note=note, svg=drawing(figure.key, WIDTH, HEIGHT, figure.title, described, parts))


def _plane(paths: dict[str, list[tuple[int, float]]], points: list[Estimate], *, enriched: bool) -> Plane:
    """Axes that hold every line, every interval that is drawn, and chance."""
    places = [place for path in paths.values() for place in path]
    places += [(row["pool"], row["high"]) for row in points]
    last = max(pool for pool, _ in places)
    chance = height(last, 1 / last, enriched=enriched)
    heights = [chance, *(height(*place, enriched=enriched) for place in places)]
    low, high = around(heights, floor=chance / 10)
    return Plane(Log(2, max(last, 3), LEFT, RIGHT), Log(low, high if enriched else 1, BOTTOM, TOP), enriched)


def _attacker(order: int, path: list[tuple[int, float]], points: list[Estimate], plane: Plane) -> list[str]:
    """A line with marks at the pools that were asked for; marks with intervals where there is no line."""
    parts = [polyline([plane(*place) for place in path], f"line {style(order)}")] if path else []
    for row in points:
        if not path:
            (x, low), (_, high) = (plane(row["pool"], row[edge]) for edge in ("low", "high"))
            parts.append(line(x, low, x, high, f"whisker {style(order)}"))
        parts.append(mark(mark_kind(order), *plane(row["pool"], row["value"]), style(order), _tip(row)))
    return parts


def _of(table: pl.DataFrame | None, direction: str) -> pl.DataFrame | None:
    return None if table is None else table.filter(pl.col("direction") == direction).sort("attacker", "pool")


def _band(rows: pl.DataFrame, plane: Plane) -> str:
    lower, upper = ([plane(*place) for place in rows.select("pool", edge).iter_rows()] for edge in ("low", "high"))
    return area(upper, lower, "band s0") if lower else ""


def _thin(rows: pl.DataFrame) -> list[tuple[int, float]]:
    """At most so many points, evenly spaced on the logarithmic axis, both ends among them."""
    table: list[tuple[int, float]] = list(rows.select("pool", "recall").iter_rows())
    if len(table) <= POINTS:
        return table
    scale = Log(1, len(table), 0, POINTS - 1)
    kept = {round(scale(place + 1)): row for place, row in reversed(list(enumerate(table)))}
    kept[POINTS] = table[-1]
    return [kept[place] for place in sorted(kept)]


def _callout(row: Estimate, plane: Plane) -> str:
    """The headline's number, written at its point."""
    x, y = plane(row["pool"], row["value"])
    if plane.enriched:  # the lines rise: there is room to the left
        return text(times(row["enrichment"]), x - 6, y - 12, text_anchor="end", class_="label strong halo")
    leader = line(x, y - 8, x, y - 30, "leader")  # the lines fall, and their names may stand to the right
    return leader + text(percent(row["value"]), x + 4, y - 35, text_anchor="end", class_="label strong halo")


def _tip(row: Estimate) -> str:
    return (
        f"{row['attacker']}, pool of {row['pool']:,}: {percent(row['value'])} ({interval(row['low'], row['high'])}), "
        f"{significant(row['enrichment'], 3)} times guessing"
    )
