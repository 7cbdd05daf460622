"""The frame of a line chart: axes, grid, and one label at the end of each line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from leadapron.pages.figures.scales import Scale, spread
from leadapron.pages.figures.svg import Point, line, polyline, text

WIDTH, HEIGHT = 760.0, 370.0
LEFT, RIGHT, TOP, BOTTOM = 66.0, 620.0, 30.0, 314.0
LABEL_HEIGHT = 17.0

MARK_KINDS = ("circle", "square", "diamond", "triangle", "cross", "down", "left", "right")


@dataclass(frozen=True)
class Label:
    """The name of a line, to stand where the line ends."""

    words: str
    x: float
    y: float
    class_: str


def axes(
    x: Scale,
    y: Scale,
    x_title: str,
    y_title: str,
    x_words: Callable[[float], str],
    y_words: Callable[[float], str],
) -> list[str]:
    """Grid lines over the height of y and the width of x, with tick labels and titles outside of them."""
    left, right, top, bottom = x.start, x.end, y.end, y.start
    parts = []
    for tick in y.ticks():
        parts.append(line(left, y(tick), right, y(tick), "grid"))
        parts.append(text(y_words(tick), left - 8, y(tick) + 4, text_anchor="end", class_="tick y-tick"))
    for tick in x.ticks():
        parts.append(line(x(tick), bottom, x(tick), bottom + 5, "axis"))
        parts.append(text(x_words(tick), x(tick), bottom + 20, text_anchor="middle", class_="tick x-tick"))
    parts.append(line(left, bottom, right, bottom, "axis"))
    parts.append(text(x_title, (left + right) / 2, bottom + 44, text_anchor="middle", class_="axis-title"))
    parts.append(text(y_title, 4.0, top - 14, class_="axis-title"))
    return parts


def end_labels(labels: list[Label], *, low: float = TOP, high: float = BOTTOM) -> list[str]:
    """Labels to the right of their lines, moved apart, a thin leader where one had to move."""
    parts = []
    places = spread([label.y for label in labels], LABEL_HEIGHT, low, high)
    for label, place in zip(labels, places, strict=True):
        start = label.x + 8
        if abs(place - label.y) > 2:
            parts.append(polyline([(label.x + 4, label.y), (start + 6, place), (start + 10, place)], "leader"))
            start += 6
        parts.append(text(label.words, start + 6, place + 4.5, class_=f"label {label.class_}"))
    return parts


def attacker_lines(paths: Mapping[str, list[Point]]) -> tuple[list[str], list[Label]]:
    """A line for each attacker, the headline's first and drawn last, on top of the others; and their names."""
    parts, labels = [], []
    for order, (name, path) in reversed(list(enumerate(paths.items()))):
        if path:
            parts.append(polyline(path, f"line {style(order)}"))
            labels.append(Label(name, *path[-1], f"{style(order)} {'strong' if order == 0 else ''}"))
    return parts, labels


def line_key(entries: list[tuple[str, str]], right: float = RIGHT) -> list[str]:
    """A list of the lines beside the frame's right edge, each with a piece of it: for lines that end in one place."""
    parts = []
    for number, (words, class_) in enumerate(entries):
        y = TOP + 10 + number * 22.0
        parts.append(line(right + 16, y, right + 46, y, class_ if class_ == "chance" else f"line {class_}"))
        strong = "strong" if class_ == style(0) else ""
        parts.append(
            text(words, right + 54, y + 4.5, class_=f"label {'muted' if class_ == 'chance' else class_} {strong}")
        )
    return parts


def style(order: int) -> str:
    """The class that gives the attacker of this order its colour and its dashes."""
    return f"s{order % len(MARK_KINDS)}"


def mark_kind(order: int) -> str:
    return MARK_KINDS[order % len(MARK_KINDS)]
