"""The picture of a frontier: risk to the right, use upwards, both with their intervals, the front as a line."""

from __future__ import annotations

import math

from leadapron.audits.measure import PERCENTAGES
from leadapron.audits.wording import place_of, title_of, written
from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.pages.figures.scales import Linear, Log, around
from leadapron.pages.figures.svg import drawing, line, mark, polyline, text
from leadapron.pages.numerals import fitted, round_percent
from leadapron.trials.entrants import noun
from leadapron.trials.frontier import Answer, Frontier, Point

WIDTH, HEIGHT = 760.0, 470.0
LEFT, RIGHT, TOP, BOTTOM = 78.0, 740.0, 30.0, 410.0
READING = (
    "Each mark is a {kind}, by its number in the table; bars are 95 % intervals. Left is safer, up is more useful: "
    "the upper left corner is where to be. The line joins the {kind}s that no other beats in both. Circle: "
    "undefended. Square: defended. Hollow triangle: control. Dotted line: guessing."
)
ALONE = (
    "Each mark is a {kind}, with its 95 % interval; the dotted line is guessing. No use could be measured, so "
    "{kind}s stand by their risk alone."
)
CORNERS, ROOM = ((7.0, -7.0), (-16.0, -7.0), (7.0, 17.0), (-16.0, 17.0)), 14.0
"""Where a number may stand beside its mark, the usual place first, and how far from anything else it should be."""
MARKS = {"before": ("circle", "ink"), "defence": ("square", "s0"), "control": ("triangle", "s1 hollow")}


def frontier_figure(frontier: Frontier) -> Figure:
    if frontier.use is None:
        return _rows(frontier)
    risks, uses = (dict(_by_name(frontier, key)) for key in (frontier.risk, frontier.use))
    points = [point for point in frontier.points if point.name in risks and point.name in uses]
    risk, use = risks[points[0].name], uses[points[0].name]
    x, y = _risk_scale(list(risks.values())), _use_scale(list(uses.values()))
    parts = []
    for tick in x.ticks():
        parts.append(line(x(tick), TOP, x(tick), BOTTOM, "grid"))
        parts.append(text(_tick(risk, tick), x(tick), BOTTOM + 19, text_anchor="middle", class_="tick"))
    for tick in y.ticks():
        parts.append(line(LEFT, y(tick), RIGHT, y(tick), "grid"))
        parts.append(text(_tick(use, tick), LEFT - 9, y(tick) + 4.5, text_anchor="end", class_="tick"))
    parts.append(line(x(risk.row.chance), TOP, x(risk.row.chance), BOTTOM, "chance"))
    parts.append(text("guessing", x(risk.row.chance) + 6, BOTTOM - 8, class_="guide-words halo"))
    parts.append(text(_axis(risk), (LEFT + RIGHT) / 2, BOTTOM + 46, text_anchor="middle", class_="axis-title"))
    parts.append(text(title_of(use.audit, use.row), LEFT - 62, TOP - 14, class_="axis-title"))
    front = sorted((point for point in points if point.on_front), key=lambda point: risks[point.name].row.value)
    parts.append(polyline([(x(risks[p.name].row.value), y(uses[p.name].row.value)) for p in front], "line s2"))
    numbers = {point.name: number for number, point in enumerate(frontier.points, 1)}
    for point in points:
        parts += _mark(point, numbers[point.name], risks[point.name], uses[point.name], x, y)
    places = [(x(risks[point.name].row.value), y(uses[point.name].row.value)) for point in points]
    for point, place in zip(points, _beside(places), strict=True):  # last: no mark hides a number
        parts.append(text(numbers[point.name], *place, class_="halo"))
    described = "; ".join(
        f"{point.name} {_value(risks[point.name])}, {title_of(use.audit, use.row)} {_value(uses[point.name])}"
        for point in points
    )
    title = "What each defence leaves: risk and use"
    rings = dict.fromkeys(ring for point in points for ring in _rings(point))
    ringed = f" Ring: {', '.join(rings)}." if rings else ""
    return Figure(
        "frontier",
        title,
        READING.format(kind=noun(frontier.kind)) + ringed,
        drawing("frontier", WIDTH, HEIGHT, title, described, parts),
    )


def _by_name(frontier: Frontier, scenario: str) -> list[tuple[str, Answer]]:
    return [(point.name, answer) for point, answer in frontier.answers(scenario)]


def _axis(answer: Answer) -> str:
    return (
        f"{title_of(answer.audit, answer.row)}, {place_of(answer.audit, answer.row)}, strongest attacker (logarithmic)"
    )


def _written(answer: Answer, number: float) -> str:
    return written(answer.audit.measure_of(answer.row.metric).scale, number)


def _tick(answer: Answer, number: float) -> str:
    return round_percent(number) if answer.audit.measure_of(answer.row.metric).scale in PERCENTAGES else f"{number:g}"


def _value(answer: Answer) -> str:
    return _written(answer, answer.row.value)


def _mark(point: Point, number: int, risk: Answer, use: Answer, x: Log, y: Linear) -> list[str]:
    kind, style = MARKS[point.role]
    colour = style.split()[0]
    across, up = x(risk.row.value), y(use.row.value)
    return [
        line(x(risk.row.low), up, x(risk.row.high), up, f"whisker thin {colour}"),
        line(across, y(use.row.low), across, y(use.row.high), f"whisker thin {colour}"),
        *([mark("ring", across, up, f"ring hollow {colour}", ", ".join(rings))] if (rings := _rings(point)) else []),
        mark(kind, across, up, style, f"{number} {point.name}: {_value(risk)}, {_value(use)}"),
    ]


def _beside(places: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """For each mark the corner of its number that lies farthest from other marks and from numbers before it."""
    chosen: list[tuple[float, float]] = []
    for at, (across, up) in enumerate(places):
        taken = [*places[:at], *places[at + 1 :], *(_middle(one) for one in chosen)]
        corners = [(across + right, up + down) for right, down in CORNERS]
        free = [min((math.dist(_middle(corner), one) for one in taken), default=0.0) for corner in corners]
        good = [corner for corner, room in zip(corners, free, strict=True) if room >= ROOM]
        chosen.append(good[0] if good else corners[free.index(max(free))])
    return chosen


def _middle(corner: tuple[float, float]) -> tuple[float, float]:
    """Of a number that is written from this corner."""
    return corner[0] + 4, corner[1] - 5


def _rings(point: Point) -> list[str]:
    """What is to be said of a release beside its place: risks of another kind that are there."""
    answers = [answer for answer in point.answers.values() if answer.row.low > answer.row.chance]
    return [answer.audit.ring for answer in answers if answer.audit.ring]


def _risk_scale(answers: list[Answer]) -> Log:
    chance = answers[0].row.chance
    values = [value for answer in answers for value in (answer.row.value, answer.row.high)]
    low, high = around([*values, chance], floor=chance / 3)
    return Log(low, min(high, _most(answers[0])), LEFT, RIGHT)


def _use_scale(answers: list[Answer]) -> Linear:
    values = [value for answer in answers for value in (answer.row.low, answer.row.high)]
    air = max(0.1 * (max(values) - min(values)), 0.005)
    return Linear(min(values) - air, min(max(values) + air, _most(answers[0])), BOTTOM, TOP)


def _most(answer: Answer) -> float:
    """What a number of this kind can be at most."""
    return math.inf if answer.audit.measure_of(answer.row.metric).scale == "plain" else 1.0


def _rows(frontier: Frontier) -> Figure:
    found = frontier.answers(frontier.risk)
    rows = [Row((fitted(point.name, 30), _value(answer)), (_dot(point, answer),)) for point, answer in found]
    first = found[0][1]
    guides = [Guide(first.row.chance, 0, len(rows), "guessing", "chance")]
    layout = Layout(
        ((8.0, noun(frontier.kind).capitalize()), (-4.0, "Measured")),
        240.0,
        640.0,
        words=lambda tick: _tick(first, tick),
    )
    described = "; ".join(" ".join(row.cells) for row in rows)
    title = "What each defence leaves: risk"
    svg = draw_rows("frontier", title, described, layout, rows, guides, _axis(first))
    return Figure("frontier", title, ALONE.format(kind=noun(frontier.kind)), svg)


def _dot(point: Point, answer: Answer) -> Dot:
    kind, style = MARKS[point.role]
    row = answer.row
    return Dot(row.value, row.low, row.high, kind, style, f"{point.name}: {_value(answer)}")
