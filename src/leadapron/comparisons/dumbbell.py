"""The figure of a comparison: for each row a hollow mark before, a filled one after, and what lies between them."""

from __future__ import annotations

from collections.abc import Callable

from leadapron.audits.audit import Audit
from leadapron.audits.measure import PERCENTAGES
from leadapron.audits.wording import place_of, title_of, titled, written
from leadapron.comparisons.comparison import Change
from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.scales import Linear, Log, Scale, around
from leadapron.pages.figures.svg import drawing, line, mark, text
from leadapron.pages.numerals import round_percent
from leadapron.results import Measured

WIDTH, LEFT, RIGHT = 760.0, 190.0, 740.0
TOP, HEADING, ROW, BETWEEN, FOOT = 4.0, 24.0, 24.0, 10.0, 52.0
LONGEST_NAME = 26
READING = "Hollow: before. Filled: after. Dotted: guessing. Further left is less."
LOGARITHMIC = "The axis is logarithmic, and a value of zero stands at the left edge."


def dumbbells(audit: Audit, changes: list[Change], *, key: str) -> Figure:
    """The attackers side by side, block by block; where there is but one, the places in one block."""
    scale = audit.measure_of(changes[0].before.metric).scale
    x = _axis(changes, shares=scale in PERCENTAGES)
    parts: list[str] = []
    y = TOP
    for name, rows in _blocks(audit, changes).items():
        if name:
            parts.append(text(name, 0, y + 16, class_="cell strong halo"))
            y += HEADING
        for label, change in rows:
            guessing = x(change.before.chance)
            parts.append(line(guessing, y, guessing, y + ROW, "chance"))
            parts += _row(audit, label, change, x, y + ROW / 2)
            y += ROW
        y += BETWEEN
    ends = [line(LEFT, y, RIGHT, y, "axis")]
    for tick in x.ticks():
        ends.append(line(x(tick), TOP, x(tick), y, "grid"))
        words = round_percent(tick) if scale in PERCENTAGES else f"{tick:g}"
        ends.append(text(words, x(tick), y + 18, text_anchor="middle", class_="tick"))
    measures = dict.fromkeys(title_of(audit, change.before) for change in changes)
    title = next(iter(measures)) if len(measures) == 1 else "Measured"
    ends.append(text(title, (LEFT + RIGHT) / 2, y + 42, text_anchor="middle", class_="axis-title"))
    said = f"{len(changes)} rows; the table below holds the numbers."
    svg = drawing(key, WIDTH, y + FOOT, f"{title}, before and after", said, [*ends, *parts])
    reading = f"{READING} {LOGARITHMIC}" if isinstance(x, Log) else READING
    return Figure(key, "Before and after", reading, svg)


def grouped(changes: list[Change], name: Callable[[Change], str]) -> dict[str, list[Change]]:
    """By their names, in the order in which these come up."""
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(name(change), []).append(change)
    return found


def at_once(audit: Audit, row: Measured) -> str:
    """A place in as few words as tell it from the others: the finding, where nothing but the finding differs."""
    if len(row.at) == 1:
        return str(next(iter(row.at.values()))).replace("_", " ")
    return place_of(audit, row) or "all together"


def axis_of(audit: Audit, rows: list[Measured]) -> str:
    """What the places are: the title of their one coordinate."""
    names = {name for row in rows for name in row.at}
    return audit.coordinates[names.pop()].title if len(names) == 1 else "Where"


def _blocks(audit: Audit, changes: list[Change]) -> dict[str, list[tuple[str, Change]]]:
    """Rows with their labels, under the names of blocks."""
    measures = {title_of(audit, change.before) for change in changes}
    short = all(len(at_once(audit, change.before)) <= LONGEST_NAME for change in changes)
    if short and len({change.before.attacker for change in changes}) == 1:
        blocks = grouped(changes, lambda change: title_of(audit, change.before) if len(measures) > 1 else "")
        return {name: [(at_once(audit, row.before), row) for row in rows] for name, rows in blocks.items()}
    place = titled if len(measures) > 1 else place_of
    blocks = grouped(changes, lambda change: place(audit, change.before))
    return {
        f"{name[:1].upper()}{name[1:]}": [(row.before.attacker, row) for row in rows] for name, rows in blocks.items()
    }


def _axis(changes: list[Change], *, shares: bool) -> Scale:
    values = [value for change in changes for value in (change.before.value, change.after.value, change.before.chance)]
    if shares:
        low, high = around(values, floor=min((value for value in values if value > 0), default=1e-4) / 3)
        return Log(low, min(high, 1.0), LEFT, RIGHT)
    air = 0.05 * (max(values) - min(values)) or 0.01
    return Linear(min(values) - air, max(values) + air, LEFT, RIGHT)


def _row(audit: Audit, label: str, change: Change, x: Scale, y: float) -> list[str]:
    before, after = change.before, change.after
    scale = audit.measure_of(before.metric).scale
    name = ", ".join(filter(None, (before.attacker, place_of(audit, before))))
    return [
        text(label, 14, y + 4.5, class_="cell"),
        line(x(before.value), y, x(after.value), y, "whisker s0"),
        mark("circle", x(before.value), y, "s0 hollow", f"{name}: {written(scale, before.value)} before"),
        mark("circle", x(after.value), y, "s0", f"{name}: {written(scale, after.value)} after"),
    ]
