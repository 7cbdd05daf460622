"""Measured, declared and combined risk as a reader sees them: side by side, and never mixed."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.report.numerals import escape
from leadapron.report.results import Results

ALL_MEASURED = (
    '<p class="note">Everything in this report is <strong>measured</strong>: found by attacking the release itself. '
    "Nothing in it is\ndeclared (said by the maker and not tested), and nothing is combined from both.</p>"
)


@dataclass(frozen=True)
class Entry:
    """A number as it is written, and what it is the number of."""

    number: str
    words: str


@dataclass(frozen=True)
class Side:
    """One kind of risk: its name, where it comes from, and its numbers."""

    name: str
    origin: str
    entries: tuple[Entry, ...]


def nothing_declared(_results: Results) -> tuple[Side, ...]:
    return ()


def as_html(sides: tuple[Side, ...]) -> str:
    """A column for each side; without any, the sentence that everything is measured."""
    if not sides:
        return ALL_MEASURED
    return f'<div class="apart">{"".join(map(_column, sides))}</div>'


def in_words(sides: tuple[Side, ...]) -> list[str]:
    """A sentence for each side."""
    return [
        f"{side.name} ({side.origin}): " + "; ".join(f"{entry.number} {entry.words}" for entry in side.entries) + "."
        for side in sides
    ]


def _column(side: Side) -> str:
    entries = "".join(
        f"<div><dt>{escape(entry.words)}</dt><dd>{escape(entry.number)}</dd></div>" for entry in side.entries
    )
    return (
        f'<section class="{escape(side.name.lower())}"><h3>{escape(side.name)}</h3><p>{escape(side.origin)}</p>'
        f"<dl>{entries}</dl></section>"
    )
