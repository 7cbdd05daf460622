"""SVG as strings: elements, marks that differ without colour, and the drawing with its title and description."""

from __future__ import annotations

from collections.abc import Iterable

from leadapron.pages.numerals import escape

MARKS = {
    "circle": "M-4.5,0a4.5,4.5 0 1,0 9,0a4.5,4.5 0 1,0 -9,0z",
    "square": "M-4,-4H4V4H-4z",
    "diamond": "M0,-5.5L5.5,0L0,5.5L-5.5,0z",
    "triangle": "M0,-5.5L5.2,4H-5.2z",
    "cross": "M-4.5,-4.5L4.5,4.5M-4.5,4.5L4.5,-4.5",
    "ring": "M-8,0a8,8 0 1,0 16,0a8,8 0 1,0 -16,0z",
    "down": "M0,5.5L5.2,-4H-5.2z",
    "left": "M-5.5,0L4,-5.2V5.2z",
    "right": "M5.5,0L-4,-5.2V5.2z",
}
Point = tuple[float, float]


def element(name: str, content: str = "", /, **attributes: object) -> str:
    """An element; ``class_`` is class, an underscore is a hyphen, places keep two decimals. Content is not escaped."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"' for key, value in attributes.items()
    )
    return f"<{name}{written}>{content}</{name}>"


def text(words: object, x: float, y: float, **attributes: object) -> str:
    return element("text", escape(words), x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def polyline(points: Iterable[Point], class_: str) -> str:
    return element("path", d="M" + "L".join(f"{_short(x)},{_short(y)}" for x, y in points), class_=class_)


def area(upper: list[Point], lower: list[Point], class_: str) -> str:
    """The surface between two lines over the same places."""
    outline = "L".join(f"{_short(x)},{_short(y)}" for x, y in [*upper, *reversed(lower)])
    return element("path", d=f"M{outline}z", class_=class_)


def mark(kind: str, x: float, y: float, class_: str, tip: str) -> str:
    """A data point that tells its numbers when pointed at."""
    return element(
        "path",
        element("title", escape(tip)),
        d=MARKS[kind],
        transform=f"translate({_short(x)},{_short(y)})",
        class_=f"mark {class_}",
    )


def drawing(key: str, width: float, height: float, title: str, description: str, parts: Iterable[str]) -> str:
    """The whole picture, named for those who cannot see it."""
    return element(
        "svg",
        element("title", escape(title), id=f"{key}-title") + element("desc", escape(description), id=f"{key}-desc")
        + "\n".join(parts),
        viewBox=f"0 0 {_short(width)} {_short(height)}",
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
    )  # fmt: skip


def _short(value: object) -> object:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
