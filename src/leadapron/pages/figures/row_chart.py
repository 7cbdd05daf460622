"""A chart of rows: a name, a mark with its interval on a shared axis, and the numbers beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leadapron.pages.figures.scales import Linear, Log, Scale, around
from leadapron.pages.figures.svg import drawing, element, line, mark, polyline, text
from leadapron.pages.numerals import round_percent

WIDTH = 760.0
HEAD, FOOT = 40.0, 52.0
WORDS_APART = 64.0


@dataclass(frozen=True)
class Dot:
    """A value and its interval; without one where the value is exact or the interval is not known."""

    value: float
    low: float | None
    high: float | None
    kind: str
    class_: str
    tip: str


@dataclass(frozen=True)
class Row:
    """One line of the chart: cells of text by column, and the dots on the axis."""

    cells: tuple[str, ...]
    dots: tuple[Dot, ...] = ()
    rule: bool = False
    """A thin line above: a new block begins."""
    class_: str = ""


@dataclass(frozen=True)
class Guide:
    """A vertical line over some of the rows: a value that others are compared with."""

    value: float
    first: int
    last: int
    words: str
    class_: str


@dataclass(frozen=True)
class Layout:
    """Where the axis and the columns of text lie; a negative place is counted from the right edge, flush right."""

    columns: tuple[tuple[float, str], ...]
    left: float
    right: float
    row_height: float = 26.0
    begin: float | None = None
    """Where a linear axis begins that goes on to one; None is a logarithmic axis, which tells small shares apart."""
    most: float = 1.0
    """Where a logarithmic axis ends at the latest: a share is never above one, a multiple may be."""
    words: Callable[[float], str] = round_percent
    """How its numbers are written."""


def draw_rows(
    key: str, title: str, description: str, layout: Layout, rows: list[Row], guides: list[Guide], axis_title: str
) -> str:
    """The chart, row by row below the heads of the columns."""
    x = _axis(layout, rows, guides)
    bottom = HEAD + layout.row_height * len(rows)

    parts = [_cell(place, name, 16.0, "column-title") for place, name in layout.columns]
    for tick in x.ticks():
        parts.append(line(x(tick), HEAD, x(tick), bottom, "grid"))
        parts.append(text(layout.words(tick), x(tick), bottom + 18, text_anchor="middle", class_="tick x-tick"))
    parts.append(line(layout.left, bottom, layout.right, bottom, "axis"))
    middle = (layout.left + layout.right) / 2
    parts.append(text(axis_title, middle, bottom + 42, text_anchor="middle", class_="axis-title"))
    for guide in guides:
        top = HEAD + layout.row_height * guide.first
        parts.append(line(x(guide.value), top, x(guide.value), HEAD + layout.row_height * guide.last, guide.class_))
        parts.append(_guide_words(guide, guides, x, top + (-6 if guide.first == 0 else 12)))
    for number, row in enumerate(rows):
        y = HEAD + layout.row_height * (number + 0.5)
        parts.extend(_row(row, layout, x, y))
    return drawing(key, WIDTH, bottom + FOOT, title, description, parts)


def _axis(layout: Layout, rows: list[Row], guides: list[Guide]) -> Scale:
    """An axis that holds every value and the upper end of every interval."""
    if layout.begin is not None:
        return Linear(layout.begin, 1.0, layout.left, layout.right)
    dots = [dot for row in rows for dot in row.dots]
    values = [dot.value for dot in dots] + [guide.value for guide in guides]
    floor = min((value for value in values if value > 0), default=1e-4) / 2  # an interval may go on to nought
    low, high = around(values + [dot.high for dot in dots if dot.high is not None], floor=floor)
    return Log(low, min(high, layout.most), layout.left, layout.right)


def _row(row: Row, layout: Layout, x: Scale, y: float) -> list[str]:
    parts = []
    if row.rule:
        above = y - layout.row_height / 2
        parts.append(line(0.0, above, WIDTH, above, "grid"))
    for (place, _), words in zip(layout.columns, row.cells, strict=True):
        parts.append(_cell(place, words, y + 4.5, f"cell {row.class_}"))
    for dot in row.dots:
        if dot.low is not None and dot.high is not None:
            parts.append(line(x(dot.low), y, x(dot.high), y, f"whisker {dot.class_}"))
            if dot.low < x.low:
                parts.append(
                    polyline([(x.start + 5, y - 4), (x.start, y), (x.start + 5, y + 4)], f"arrow {dot.class_}")
                )
        parts.append(mark(dot.kind, x(dot.value), y, dot.class_, dot.tip))
    return [element("g", "".join(parts), class_="row")]


def _cell(place: float, words: str, y: float, class_: str) -> str:
    if place < 0:
        return text(words, WIDTH + place, y, text_anchor="end", class_=class_)
    return text(words, place, y, class_=class_)


def _guide_words(guide: Guide, guides: list[Guide], x: Scale, y: float) -> str:
    """Above the line, to one side where the words of another stand close; or beside it, below the top."""
    place = x(guide.value)
    if guide.first > 0:
        return text(guide.words, place + 6, y, class_="guide-words")
    close = [other for other in guides if other.first == 0 and abs(x(other.value) - place) < WORDS_APART]
    anchor = "middle"
    if len(close) > 1:
        anchor = "end" if guide is min(close, key=lambda other: other.value) else "start"
    shift = {"middle": 0, "end": -2, "start": 2}[anchor]
    return text(guide.words, place + shift, y, text_anchor=anchor, class_="guide-words")
