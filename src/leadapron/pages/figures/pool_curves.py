"""Success against the number of candidates, on logarithmic axes, with the line of guessing; or as a multiple of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from leadapron.pages.figures.axes import (
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
from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.scales import Log, around
from leadapron.pages.figures.svg import Point, area, drawing, line, mark, polyline, text
from leadapron.pages.numerals import NBSP, interval, percent, round_percent, significant, times
from leadapron.results import Measured

Path = list[tuple[int, float]]


@dataclass(frozen=True)
class Curves:
    """What is drawn: a line for each attacker, the headline's first, and the estimates that stand out on it."""

    paths: Mapping[str, Path]
    chance: Path
    band: list[tuple[int, float, float]]
    """The interval of the headline's attacker; may be empty."""
    points: list[Measured]
    headline: Measured
    candidates: str
    """The title of the axis on which they are counted."""
    success: str


@dataclass(frozen=True)
class Plane:
    """The drawing's plane: pools to the right; upwards the share of successes, or that times the pool."""

    x: Log
    y: Log
    enriched: bool

    def __call__(self, pool: int, share: float) -> Point:
        return self.x(pool), self.y(height(pool, share, enriched=self.enriched))


def height(pool: int, share: float, *, enriched: bool) -> float:
    return share * pool if enriched else share


def draw_pools(figure: Figure, curves: Curves, *, enriched: bool = False) -> Figure:
    """The figure with its picture. What is enriched is over a guess of one in the pool."""
    plane = _plane(curves, enriched=enriched)
    parts = axes(
        plane.x, plane.y, curves.candidates, "Times guessing" if enriched else curves.success,
        lambda tick: f"{tick:,.0f}", times if enriched else round_percent,
    )  # fmt: skip
    parts.append(polyline([plane(*place) for place in curves.chance], "chance"))
    labels = [Label("guessing", *plane(*curves.chance[-1]), "muted")]
    if curves.band:
        lower, upper = ([plane(row[0], row[edge]) for row in curves.band] for edge in (1, 2))
        parts.append(area(upper, lower, "band s0"))
    for order, (name, path) in reversed(list(enumerate(curves.paths.items()))):  # the headline's on top of the others
        own = [row for row in curves.points if row.attacker == name]
        parts.extend(_attacker(order, path, own, plane))
        ends = (path or [(row.pool, row.value) for row in own])[-1:]
        class_ = f"{style(order)} strong" if order == 0 else style(order)
        labels.extend(Label(name, *plane(*end), class_) for end in ends)
    row = curves.headline
    parts += [*end_labels(labels), _callout(row, plane)]
    described = f"{_tip(row)}; guessing gives {round_percent(row.chance)}."
    note = f"Shaded: 95{NBSP}% interval of the headline attacker, {row.attacker}." if curves.band else ""
    return replace(figure, note=note, svg=drawing(figure.key, WIDTH, HEIGHT, figure.title, described, parts))


def _plane(curves: Curves, *, enriched: bool) -> Plane:
    """Axes that hold every line, every interval that is drawn, and chance."""
    places = [place for path in curves.paths.values() for place in path]
    places += [(row.pool, row.high) for row in curves.points]
    last = max(pool for pool, _ in places)
    chance = height(*curves.chance[-1], enriched=enriched)
    heights = [chance, *(height(*place, enriched=enriched) for place in places)]
    low, high = around(heights, floor=chance / 10)
    return Plane(Log(2, max(last, 3), LEFT, RIGHT), Log(low, high if enriched else 1, BOTTOM, TOP), enriched)


def _attacker(order: int, path: Path, points: list[Measured], plane: Plane) -> list[str]:
    """A line with marks at the pools that were asked for; marks with intervals where there is no line."""
    parts = [polyline([plane(*place) for place in path], f"line {style(order)}")] if path else []
    for row in points:
        if not path:
            (x, low), (_, high) = (plane(row.pool, end) for end in (row.low, row.high))
            parts.append(line(x, low, x, high, f"whisker {style(order)}"))
        parts.append(mark(mark_kind(order), *plane(row.pool, row.value), style(order), _tip(row)))
    return parts


def _callout(row: Measured, plane: Plane) -> str:
    """The headline's number, written at its point."""
    x, y = plane(row.pool, row.value)
    if plane.enriched:  # the lines rise: there is room to the left
        return text(times(row.enrichment), x - 6, y - 12, text_anchor="end", class_="label strong halo")
    if y - 35 < TOP:  # no room for a leader: close above
        return text(percent(row.value), x - 8, y - 9, text_anchor="end", class_="label strong halo")
    leader = line(x, y - 8, x, y - 30, "leader")  # the lines fall, and their names may stand to the right
    return leader + text(percent(row.value), x + 4, y - 35, text_anchor="end", class_="label strong halo")


def _tip(row: Measured) -> str:
    return (
        f"{row.attacker}, pool of {row.pool:,}: {percent(row.value)} ({interval(row.low, row.high)}), "
        f"{significant(row.enrichment, 3)} times guessing"
    )
