"""The figure of a comparison: for each row a hollow mark before, a filled one after, and what lies between them."""

from __future__ import annotations

from itertools import groupby

from leadapron.compare.changes import Change
from leadapron.compare.names import measure_name, place_name, pool_name
from leadapron.report.figures.scales import Log, around
from leadapron.report.figures.svg import drawing, line, mark, text
from leadapron.report.numerals import percent, round_percent

WIDTH, LEFT, RIGHT = 760.0, 190.0, 740.0
TOP, HEADING, ROW, BETWEEN, FOOT = 4.0, 24.0, 24.0, 10.0, 52.0
READING = (
    "Hollow: before. Filled: after. Dotted: guessing. Further left is safer. The axis is logarithmic, and a value of "
    "zero stands at the left edge."
)


def dumbbells(changes: list[Change], *, key: str) -> str:
    """The attackers side by side, block by block: a block is a pool, or a measure in it where there are several."""
    measures = list(dict.fromkeys(map(measure_name, changes)))
    values = [value for change in changes for value in (change.before, change.after, change.chance)]
    low, high = around(values, floor=min((value for value in values if value > 0), default=1e-4) / 3)
    x = Log(low, min(high, 1.0), LEFT, RIGHT)
    parts: list[str] = []
    y = TOP
    for name, block in groupby(changes, key=lambda change: _block(change, several=len(measures) > 1)):
        rows = list(block)
        parts.append(text(name, 0, y + 16, class_="cell strong halo"))
        y += HEADING
        parts.append(line(x(rows[0].chance), y, x(rows[0].chance), y + ROW * len(rows), "chance"))
        for number, change in enumerate(rows):
            parts += _row(change, x, y + ROW * (number + 0.5))
        y += ROW * len(rows) + BETWEEN
    axis = [line(LEFT, y, RIGHT, y, "axis")]
    for tick in x.ticks():
        axis.append(line(x(tick), TOP, x(tick), y, "grid"))
        axis.append(text(round_percent(tick), x(tick), y + 18, text_anchor="middle", class_="tick"))
    title = measures[0] if len(measures) == 1 else "Measured"
    axis.append(text(title, (LEFT + RIGHT) / 2, y + 42, text_anchor="middle", class_="axis-title"))
    said = f"{len(changes)} rows; the table below holds the numbers."
    return drawing(key, WIDTH, y + FOOT, f"{title}, before and after", said, [*axis, *parts])


def _block(change: Change, *, several: bool) -> str:
    pool = pool_name(change)
    return place_name(change) if several else f"{pool[0].upper()}{pool[1:]}"


def _row(change: Change, x: Log, y: float) -> list[str]:
    name = f"{change.attacker}, {pool_name(change)}"
    return [
        text(change.attacker, 14, y + 4.5, class_="cell"),
        line(x(change.before), y, x(change.after), y, "whisker s0"),
        mark("circle", x(change.before), y, "s0 hollow", f"{name}: {percent(change.before)} before"),
        mark("circle", x(change.after), y, "s0", f"{name}: {percent(change.after)} after"),
    ]
