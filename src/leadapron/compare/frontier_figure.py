"""The picture of a frontier: linkage to the right, use upwards, both with their intervals, the front as a line."""

from __future__ import annotations

from leadapron.compare.frontier import Frontier, Point
from leadapron.report.figures.scales import Linear, Log, around
from leadapron.report.figures.svg import drawing, line, mark, polyline, text
from leadapron.report.numerals import NBSP, percent, round_percent

WIDTH, HEIGHT = 760.0, 470.0
LEFT, RIGHT, TOP, BOTTOM = 78.0, 740.0, 30.0, 410.0
TITLE = "What each defence leaves: linkage and use"
READING = (
    "Each mark is a release, by its number in the table; bars are 95 % intervals. Left is safer, up is more useful: "
    "the upper left corner is where to be. The line joins the releases that no other beats in both. Circle: "
    "undefended. Square: defended. Hollow triangle: control. Dotted line: guessing. The lower axis is logarithmic."
)
MARKS = {"before": ("circle", "ink"), "defence": ("square", "s0"), "control": ("triangle", "s1 hollow")}


def frontier_figure(frontier: Frontier) -> str:
    points = frontier.points
    x = _linkage_scale(frontier)
    y = _use_scale([value for point in points for value in (point.auroc.low, point.auroc.high)])
    parts = []
    for tick in x.ticks():
        parts.append(line(x(tick), TOP, x(tick), BOTTOM, "grid"))
        parts.append(text(round_percent(tick), x(tick), BOTTOM + 19, text_anchor="middle", class_="tick"))
    for tick in y.ticks():
        parts.append(line(LEFT, y(tick), RIGHT, y(tick), "grid"))
        parts.append(text(round_percent(tick), LEFT - 9, y(tick) + 4.5, text_anchor="end", class_="tick"))
    parts.append(line(x(frontier.chance), TOP, x(frontier.chance), BOTTOM, "chance"))
    parts.append(text("guessing", x(frontier.chance) + 6, BOTTOM - 8, class_="guide-words halo"))
    axis = f"Right report first in a pool of {frontier.pool:,}, strongest attacker"
    parts.append(text(axis, (LEFT + RIGHT) / 2, BOTTOM + 46, text_anchor="middle", class_="axis-title"))
    parts.append(text(f"Macro AUROC{NBSP}of the linear probe", LEFT - 62, TOP - 14, class_="axis-title"))
    front = sorted((point for point in points if point.on_front), key=lambda point: point.linkage.value)
    parts.append(polyline([(x(point.linkage.value), y(point.auroc.value)) for point in front], "line s2"))
    for number, point in enumerate(points, 1):
        parts += _mark(point, number, x, y)
    described = "; ".join(
        f"{point.name} {percent(point.linkage.value)}, AUROC {percent(point.auroc.value)}" for point in points
    )
    return drawing("frontier", WIDTH, HEIGHT, TITLE, described, parts)


def _mark(point: Point, number: int, x: Log, y: Linear) -> list[str]:
    kind, style = MARKS[point.role]
    colour = style.split()[0]
    across, up = x(point.linkage.value), y(point.auroc.value)
    tip = f"{number} {point.name}: {percent(point.linkage.value)} linked, AUROC {percent(point.auroc.value)}"
    return [
        line(x(point.linkage.low), up, x(point.linkage.high), up, f"whisker thin {colour}"),
        line(across, y(point.auroc.low), across, y(point.auroc.high), f"whisker thin {colour}"),
        mark(kind, across, up, style, tip),
        text(number, across + 7, up - 7, class_="halo"),
    ]


def _linkage_scale(frontier: Frontier) -> Log:
    values = [value for point in frontier.points for value in (point.linkage.value, point.linkage.high)]
    low, high = around([*values, frontier.chance], floor=frontier.chance / 3)
    return Log(low, min(high, 1.0), LEFT, RIGHT)


def _use_scale(values: list[float]) -> Linear:
    air = max(0.1 * (max(values) - min(values)), 0.005)
    return Linear(min(values) - air, min(1.0, max(values) + air), BOTTOM, TOP)
