"""The figure of a comparison: for each row a hollow mark before, a filled one after, and what lies between them."""

from __future__ import annotations

from leadapron.compare.comparison import Change
from leadapron.report.figures.scales import Log, around
from leadapron.report.figures.svg import drawing, line, mark, text
from leadapron.report.numerals import NBSP, percent

WIDTH, LEFT, RIGHT = 760.0, 190.0, 740.0
TOP, ROW, FOOT = 10.0, 28.0, 52.0
TITLE = "Right one first, before and after"
READING = (
    "Hollow: before. Filled: after. Dotted: guessing. Further left is safer. The axis is logarithmic: each power of "
    "ten is one step, and a value of zero stands at the left edge."
)


def dumbbells(changes: list[Change], *, key: str) -> str:
    values = [value for change in changes for value in (change.before, change.after, change.chance)]
    low, high = around(values, floor=min((value for value in values if value > 0), default=1e-4) / 3)
    x = Log(low, min(high, 1.0), LEFT, RIGHT)
    bottom = TOP + ROW * len(changes)
    parts = []
    for tick in x.ticks():
        parts.append(line(x(tick), TOP, x(tick), bottom, "grid"))
        parts.append(text(f"{100 * tick:g}{NBSP}%", x(tick), bottom + 18, text_anchor="middle", class_="tick"))
    parts.append(line(LEFT, bottom, RIGHT, bottom, "axis"))
    parts.append(text("Right one first", (LEFT + RIGHT) / 2, bottom + 42, text_anchor="middle", class_="axis-title"))
    for number, change in enumerate(changes):
        parts += _row(change, x, TOP + ROW * (number + 0.5))
    return drawing(key, WIDTH, bottom + FOOT, TITLE, f"{len(changes)} rows; the table below holds the numbers.", parts)


def _row(change: Change, x: Log, y: float) -> list[str]:
    name = f"{change.attacker}, {change.protocol} {change.pool:,}"
    return [
        text(name, LEFT - 14, y + 4.5, text_anchor="end", class_="cell"),
        line(x(change.chance), y - 10, x(change.chance), y + 10, "chance"),
        line(x(change.before), y, x(change.after), y, "whisker s0"),
        mark("circle", x(change.before), y, "s0 hollow", f"{name}: {percent(change.before)} before"),
        mark("circle", x(change.after), y, "s0", f"{name}: {percent(change.after)} after"),
    ]
