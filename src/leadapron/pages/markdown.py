"""A page as Markdown: what goes into a model card. Figures stay in the HTML page, folded matter too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadapron.pages.html import SYMBOLS
from leadapron.pages.numerals import clean
from leadapron.pages.page import Block, Bullets, Code, Definitions, Heading, Page, Sides, Table, Text, Together


def render_markdown(page: Page) -> str:
    verdict = page.verdict
    lines = [f"## {plain(page.title)}", "", f"**{plain(verdict.sentence)}**", ""]
    lines += [f"- {plain(sentence)}" for sentence in verdict.support]
    if verdict.standing:
        lines.append(
            f"- Checks of the audit itself: {SYMBOLS[verdict.worst]} {verdict.worst}. {plain(verdict.standing)}"
        )
    lines += ["", *([plain(verdict.note), ""] if verdict.note else [])]
    for section in page.sections:
        body = [line for block in section.blocks for line in _lines(block)]
        if body:
            lines += [f"### {plain(section.title)}", "", *body]
    return "\n".join([*lines, plain(page.footer)]) + "\n"


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Text(words):
            yield from (plain(words), "")
        case Heading(words):
            yield from (f"#### {plain(words)}", "")
        case Bullets(sentences):
            yield from (*(f"- {plain(sentence)}" for sentence in sentences), "")
        case Code(words):
            yield from (*_fenced(clean(words)), "")
        case Definitions(entries):
            yield from (*(f"- {plain(term)}: {plain(words)}" for term, words in entries.items()), "")
        case Table():
            yield from (*((f"{plain(block.caption)}:", "") if block.caption else ()), *table_lines(block), "")
        case Sides(sides):
            for side in sides:
                told = "; ".join(f"{entry.number} {entry.words}" for entry in side.entries)
                yield f"- {plain(f'{side.name} ({side.origin}): {told}.')}"
            yield ""
        case Together(blocks):
            for part in blocks:
                yield from _lines(part)


def table_lines(block: Table) -> list[str]:
    rule = ["---:" if at >= block.first_number else "---" for at in range(len(block.columns))]
    return [
        f"| {' | '.join(row)} |" for row in (map(plain, block.columns), rule, *(map(plain, row) for row in block.rows))
    ]


def plain(value: object) -> str:
    """Text that Markdown takes as it is: no markup, no HTML, on one line."""
    one_line = " ".join(clean(value).split(" ")).replace("\n", " ").replace("\r", " ")
    return re.sub(r"([\\`*_\[\]<>|#&])", r"\\\1", one_line)


def _fenced(code: str) -> list[str]:
    longest = max((len(run) for run in re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}sh", code, fence]
