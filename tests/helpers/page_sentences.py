"""What no sentence, cell or figure of a page may say, whatever was measured."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from leadapron.pages.figures import Figure
from leadapron.pages.page import Bullets, Definitions, Folded, Page, Sides, Table, Text, Together

NUMBER = r"[−-]?\d[\d,.]*"
MORE = r"(?:100\.\d*[1-9]|10[1-9][\d.]*|1[1-9]\d[\d.]*|[2-9]\d\d[\d.]*)"
FORBIDDEN = {
    "an interval of no width": rf"\((?P<end>{NUMBER})\s?%?\s?(?:–|to)\s?(?P=end)\s?%?(?: of [\d,]+)?\)",
    "no number": r"\b(?:nan|inf|None|NaT)\b",
    "empty brackets": r"\(\s*\)|\[\s*\]|\{\s*\}|“”|\(,|, ?\)",
    "two spaces": r"\S {2,}\S",
    "a space before a stop": r"\w [.,;:](?:\s|$)",
    "two stops": r"(?<!\.)\.\.(?!\.)|,,|;;|\. \.|:\.|,\.|%%",
    "a rest of a template": r"\{[a-z_]+[:}]",
    "noughts without end": r"0\.00000",
    "more than all of it": rf"removes {MORE}|{MORE} % removed",
    "one of many": r"\b1 (?:patients|radiographs|records|attackers|reports|findings|models)\b",
}
STOPS = (".", "!", "?", ":", "…", "→")


def sentences(page: Page) -> Iterator[str]:
    """All that is written as prose: what must end with a full stop."""
    verdict = page.verdict
    yield from (verdict.sentence, *verdict.support, *filter(None, (verdict.note, verdict.standing)))
    for block in blocks(page):
        if isinstance(block, Text):
            yield block.words
        elif isinstance(block, Bullets):
            yield from block.sentences
        elif isinstance(block, Figure):
            yield from filter(None, (block.reading, block.note, block.missing))
        elif isinstance(block, Definitions) and block.look == "glossary":
            yield from block.entries.values()
    yield page.footer


def cells(page: Page) -> Iterator[str]:
    """All that stands in tables, lists of facts and pictures."""
    for block in blocks(page):
        if isinstance(block, Table):
            yield from (block.caption, *block.columns, *(cell for row in block.rows for cell in row))
        elif isinstance(block, Definitions):
            yield from (*block.entries, *block.entries.values())
        elif isinstance(block, Sides):
            yield from (f"{entry.number} {entry.words}" for side in block.sides for entry in side.entries)
        elif isinstance(block, Figure):
            yield from texts(block)


def texts(figure: Figure) -> list[str]:
    """The words of a picture, with what it tells those who point at it."""
    if not figure.svg:
        return []
    return [node.text or "" for node in ET.fromstring(figure.svg).iter() if node.tag in ("text", "title", "desc")]


def blocks(page: Page) -> Iterator[object]:
    waiting: list[object] = [block for section in page.sections for block in section.blocks]
    for block in waiting:
        if isinstance(block, (Folded, Together)):
            waiting.extend(block.blocks)
        yield block


def complaints(words: str) -> list[str]:
    """What is wrong with a sentence or a cell."""
    plain = words.replace("\N{NO-BREAK SPACE}", " ")
    return [f"{wrong}: {plain!r}" for wrong, pattern in FORBIDDEN.items() if re.search(pattern, plain)]


def page_complaints(page: Page, *, one_attacker: bool) -> list[str]:
    prose, every = list(sentences(page)), [*sentences(page), *cells(page), page.title, page.kicker]
    found = [complaint for words in every for complaint in complaints(words)]
    found += [f"no full stop: {words!r}" for words in prose if not words.rstrip("”)‡").endswith(STOPS)]
    if one_attacker:
        found += [f"strongest of one: {words!r}" for words in every if re.search(r"\b(?:strongest|did best)\b", words)]
    return found
