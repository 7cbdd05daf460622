"""The picture of a frontier: risk to the right, use upwards, both with their intervals, the front as a line."""

from __future__ import annotations

import math

from leadapron.audits.measure import PERCENTAGES
from leadapron.audits.wording import place_of, title_of, written
from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.row_chart import Dot, Layout, Row, draw_rows
from leadapron.pages.figures.scales import Linear
from leadapron.pages.figures.svg import drawing, line, mark, polyline, text
from leadapron.pages.numerals import fitted, round_percent
from leadapron.trials.entrants import noun
from leadapron.trials.excess_cut import Share
from leadapron.trials.frontier import Frontier, Point
from leadapron.trials.risk_status import made_worse
from leadapron.trials.scenario_answer import Answer

WIDTH, HEIGHT = 760.0, 470.0
LEFT, RIGHT, TOP, BOTTOM = 78.0, 740.0, 30.0, 410.0
READING = (
    "Each mark is a {kind}, by its number in the table, at the worst of its risks ({risks}); bars are 95 % intervals. "
    "Left is safer, up is more useful: the upper left corner is where to be. The line joins the {kind}s that no other "
    "beats in both. Circle: undefended. Square: defended. Hollow triangle: control. “worse”: it raises a risk."
)
ALONE = (
    "Each mark is a {kind} at the worst of its risks ({risks}), with its 95 % interval. No use could be measured, so "
    "{kind}s stand by their risk alone. “worse”: it raises a risk."
)
AXIS = "Worst risk above guessing: 0 is guessing, 1 always right"
CORNERS, ROOM = ((7.0, -7.0), (-7.0, -7.0), (7.0, 17.0), (-7.0, 17.0)), 14.0
"""Where a number may stand beside its mark, the usual place first, and how far from anything else it should be."""
MARKS = {"before": ("circle", "ink"), "defence": ("square", "s0"), "control": ("triangle", "s1 hollow")}


def frontier_figure(frontier: Frontier) -> Figure:
    if frontier.use is None:
        return _rows(frontier)
    uses = {point.name: answer for point, answer in frontier.answers(frontier.use)}
    points = [point for point in frontier.points if point.name in uses]
    risks = {point.name: placed(point) for point in points}
    use = uses[points[0].name]
    x, y = _risk_scale(list(risks.values())), _use_scale(list(uses.values()))
    parts = []
    for tick in x.ticks():
        parts.append(line(x(tick), TOP, x(tick), BOTTOM, "grid"))
        parts.append(text(f"{tick:g}", x(tick), BOTTOM + 19, text_anchor="middle", class_="tick"))
    for tick in y.ticks():
        parts.append(line(LEFT, y(tick), RIGHT, y(tick), "grid"))
        parts.append(text(_tick(use, tick), LEFT - 9, y(tick) + 4.5, text_anchor="end", class_="tick"))
    parts.append(text(_axis(points[0]), (LEFT + RIGHT) / 2, BOTTOM + 46, text_anchor="middle", class_="axis-title"))
    parts.append(text(title_of(use.audit, use.row), LEFT - 62, TOP - 14, class_="axis-title"))
    front = sorted((point for point in points if point.on_front), key=lambda point: risks[point.name].value)
    parts.append(polyline([(x(risks[p.name].value), y(uses[p.name].row.value)) for p in front], "line s2"))
    labels = {point.name: _label(number, point) for number, point in enumerate(frontier.points, 1)}
    for point in points:
        parts += _mark(point, labels[point.name], risks[point.name], uses[point.name], x, y)
    places = [(x(risks[point.name].value), y(uses[point.name].row.value)) for point in points]
    for point, (across, up, anchor) in zip(points, _beside(places), strict=True):  # last: no mark hides a number
        parts.append(text(labels[point.name], across, up, text_anchor=anchor, class_="halo"))
    described = "; ".join(
        f"{point.name}: {_told(point)}, {title_of(use.audit, use.row)} {_value(uses[point.name])}" for point in points
    )
    title = "What each defence leaves: its worst risk, and use"
    rings = dict.fromkeys(ring for point in points for ring in _rings(point))
    ringed = f" Ring: {', '.join(rings)}." if rings else ""
    return Figure(
        "frontier",
        title,
        READING.format(kind=noun(frontier.kind), risks=_all_risks(frontier)) + ringed,
        drawing("frontier", WIDTH, HEIGHT, title, described, parts),
    )


def placed(point: Point) -> Share:
    """Where a point stands: at its worst risk, on the common scale; where there is none, at the number itself."""
    answer = point.answers[point.worst]
    row = answer.row
    return answer.above_guessing or Share(row.value, row.low, row.high)


def _label(number: int, point: Point) -> str:
    return f"{number} worse" if made_worse(point) else str(number)


def _told(point: Point) -> str:
    """What stands at its mark, for those who cannot see it."""
    raised = [f"worse in {key.replace('-', ' ')}" for key in made_worse(point)]
    risk = placed(point)
    return ", ".join([f"{point.worst.replace('-', ' ')} {risk.value:.3f} ({risk.low:.3f} to {risk.high:.3f})", *raised])


def _all_risks(frontier: Frontier) -> str:
    return ", ".join(key.replace("-", " ") for key in frontier.risks)


def _axis(point: Point) -> str:
    answer = point.answers[point.worst]
    return (
        AXIS if answer.above_guessing else f"{title_of(answer.audit, answer.row)}, {place_of(answer.audit, answer.row)}"
    )


def _written(answer: Answer, number: float) -> str:
    return written(answer.audit.measure_of(answer.row.metric).scale, number)


def _tick(answer: Answer, number: float) -> str:
    return round_percent(number) if answer.audit.measure_of(answer.row.metric).scale in PERCENTAGES else f"{number:g}"


def _value(answer: Answer) -> str:
    return _written(answer, answer.row.value)


def _mark(point: Point, label: str, risk: Share, use: Answer, x: Linear, y: Linear) -> list[str]:
    kind, style = MARKS[point.role]
    colour = style.split()[0]
    across, up = x(risk.value), y(use.row.value)
    return [
        line(x(risk.low), up, x(risk.high), up, f"whisker thin {colour}"),
        line(across, y(use.row.low), across, y(use.row.high), f"whisker thin {colour}"),
        *([mark("ring", across, up, f"ring hollow {colour}", ", ".join(rings))] if (rings := _rings(point)) else []),
        mark(kind, across, up, style, f"{label} {point.name}: {_told(point)}; {_value(use)}"),
    ]


def _beside(places: list[tuple[float, float]]) -> list[tuple[float, float, str]]:
    """For each mark the corner of its number that lies farthest from other marks and from numbers before it."""
    chosen: list[tuple[float, float, str]] = []
    for at, (across, up) in enumerate(places):
        taken = [*places[:at], *places[at + 1 :], *(_middle(one) for one in chosen)]
        corners = [(across + right, up + down, "start" if right > 0 else "end") for right, down in CORNERS]
        free = [min((math.dist(_middle(corner), one) for one in taken), default=0.0) for corner in corners]
        good = [corner for corner, room in zip(corners, free, strict=True) if room >= ROOM]
        chosen.append(good[0] if good else corners[free.index(max(free))])
    return chosen


def _middle(corner: tuple[float, float, str]) -> tuple[float, float]:
    """Of a number that is written from this corner."""
    across, up, anchor = corner
    return across + (4 if anchor == "start" else -4), up - 5


def _rings(point: Point) -> list[str]:
    """What is to be said of a release beside its place: risks of another kind that are there."""
    answers = [answer for answer in point.answers.values() if answer.row.low > answer.row.chance]
    return [answer.audit.ring for answer in answers if answer.audit.ring]


def _risk_scale(risks: list[Share]) -> Linear:
    """From guessing on; to one, or not much farther than the highest."""
    highest = max(risk.high for risk in risks)
    return Linear(min(0.0, *(risk.low for risk in risks)), 1.05 * highest or 1.0, LEFT, RIGHT)


def _use_scale(answers: list[Answer]) -> Linear:
    values = [value for answer in answers for value in (answer.row.low, answer.row.high)]
    air = max(0.1 * (max(values) - min(values)), 0.005)
    return Linear(min(values) - air, min(max(values) + air, _most(answers[0])), BOTTOM, TOP)


def _most(answer: Answer) -> float:
    """What a number of this kind can be at most."""
    return math.inf if answer.audit.measure_of(answer.row.metric).scale == "plain" else 1.0


def _rows(frontier: Frontier) -> Figure:
    points = frontier.points
    rows = [
        Row((fitted(f"{_label(number, point)} {point.name}", 34), f"{placed(point).value:.3f}"), (_dot(point),))
        for number, point in enumerate(points, 1)
    ]
    columns = ((8.0, noun(frontier.kind).capitalize()), (-4.0, "Worst risk"))
    begin = 0.0 if points[0].answers[points[0].worst].above_guessing else None
    layout = Layout(columns, 240.0, 640.0, begin=begin, most=math.inf, words="{:g}".format)
    described = "; ".join(f"{point.name}: {_told(point)}" for point in points)
    title = "What each defence leaves: its worst risk"
    svg = draw_rows("frontier", title, described, layout, rows, [], _axis(points[0]))
    reading = ALONE.format(kind=noun(frontier.kind), risks=_all_risks(frontier))
    return Figure("frontier", title, reading, svg)


def _dot(point: Point) -> Dot:
    kind, style = MARKS[point.role]
    risk = placed(point)
    return Dot(risk.value, risk.low, risk.high, kind, style, f"{point.name}: {_told(point)}")
