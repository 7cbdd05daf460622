"""A page as data: what a reader sees, in order. One renderer per format turns it into a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from leadapron.pages.figures.figure import Figure

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Text:
    """A paragraph; a note is set smaller."""

    words: str
    note: bool = False
    kind: ClassVar[str] = "text"


@dataclass(frozen=True)
class Heading:
    words: str
    kind: ClassVar[str] = "heading"


@dataclass(frozen=True)
class Bullets:
    sentences: tuple[str, ...]
    kind: ClassVar[str] = "bullets"


@dataclass(frozen=True)
class Code:
    words: str
    kind: ClassVar[str] = "code"


@dataclass(frozen=True)
class Definitions:
    """Terms and what they are: facts in a list, counts as tiles, or a glossary."""

    entries: Mapping[str, str]
    look: str = "facts"
    kind: ClassVar[str] = "definitions"


@dataclass(frozen=True)
class Table:
    """The first column names the row; the last ``numbers`` columns stand flush right."""

    caption: str
    columns: Cells
    rows: tuple[Cells, ...]
    numbers: int = 0
    kind: ClassVar[str] = "table"
    ROWS_KEPT_TOGETHER: ClassVar[int] = 16

    @property
    def first_number(self) -> int:
        return len(self.columns) - self.numbers

    @property
    def whole(self) -> bool:
        """Whether it is so short that it is printed on one page."""
        return len(self.rows) <= self.ROWS_KEPT_TOGETHER


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


@dataclass(frozen=True)
class Sides:
    """Measured, declared and combined risk: side by side, and never mixed."""

    sides: tuple[Side, ...]
    kind: ClassVar[str] = "sides"


@dataclass(frozen=True)
class Together:
    """Short blocks that may stand beside each other."""

    blocks: tuple[Block, ...]
    kind: ClassVar[str] = "together"


@dataclass(frozen=True)
class Folded:
    """Longer matter, by the words on which a reader opens it."""

    title: str
    blocks: tuple[Block, ...]
    kind: ClassVar[str] = "folded"


Block = Text | Heading | Bullets | Code | Definitions | Table | Sides | Figure | Together | Folded


@dataclass(frozen=True)
class Section:
    key: str
    """Unique on the page: what a link points to."""
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Check:
    """A check of the audit itself, and how it ended."""

    name: str
    outcome: str


@dataclass(frozen=True)
class Verdict:
    """What a reader in a hurry takes along."""

    title: str
    tag: str
    sentence: str
    support: tuple[str, ...] = ()
    note: str = ""
    standing: str = ""
    """What the checks mean together, and the worst of their outcomes."""
    worst: str = ""
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True)
class Page:
    title: str
    kicker: str
    """Above the title: what kind of page this is, and the question that it answers."""
    verdict: Verdict
    sections: tuple[Section, ...]
    footer: str
    signed: bool = True
    """Whether it ends with a form to sign."""
    kind: str = ""
    """Behind the title in the browser's tab: linkage audit."""


@dataclass(frozen=True)
class Chapter:
    """A part of a dossier: blocks of its own, and whole pages that are folded behind their titles."""

    key: str
    title: str
    blocks: tuple[Block, ...]
    pages: tuple[FoldedPage, ...] = ()


@dataclass(frozen=True)
class FoldedPage:
    """A page inside a dossier; its keys are unique there."""

    key: str
    title: str
    kicker: str
    verdict: Verdict
    sections: tuple[Section, ...]


def folded_page(page: Page, key: str) -> FoldedPage:
    """The page with ``key`` before each of its own keys, which others have as well."""
    sections = tuple(
        replace(one, key=f"{key}-{one.key}", blocks=tuple(_keyed(block, key) for block in one.blocks))
        for one in page.sections
    )
    return FoldedPage(key, page.title, page.kicker, page.verdict, sections)


def _keyed(block: Block, key: str) -> Block:
    if isinstance(block, Figure):
        own = f"{key}-{block.key}"
        svg = block.svg
        for end in ("title", "desc"):
            svg = svg.replace(f"{block.key}-{end}", f"{own}-{end}")
        return replace(block, key=own, svg=svg)
    if isinstance(block, Together | Folded):
        return replace(block, blocks=tuple(_keyed(one, key) for one in block.blocks))
    return block


def table(caption: str, columns: Iterable[str], rows: Iterable[Iterable[object]], *, numbers: int = 0) -> Table:
    """A table of anything that has a text."""
    return Table(caption, tuple(columns), tuple(tuple(map(str, row)) for row in rows), numbers)


def kept(*blocks: Block | None) -> tuple[Block, ...]:
    """The blocks that have something to show: a table without rows has not."""
    return tuple(block for block in blocks if block is not None and not (isinstance(block, Table) and not block.rows))
