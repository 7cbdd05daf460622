"""A comparison for people and machines: a table for the terminal, Markdown, JSON, a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict

from leadapron.compare.comparison import Comparison
from leadapron.compare.page import as_page
from leadapron.compare.words import CAVEAT, COLUMNS, IN_BRACKETS, ONE_TEST, directions, shown, support, tables, verdict
from leadapron.report.markdown import plain
from leadapron.report.numerals import NBSP, clean


def as_table(comparison: Comparison) -> str:
    """For the terminal: the verdict, then columns padded to their widest cell."""
    lines = [f"Before: {comparison.before}", f"After:  {comparison.after}", ""]
    lines += [verdict(comparison), *support(comparison), ""]
    for name, rows in _named_tables(comparison):
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines += [name, *("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows), ""]
    return "\n".join(clean(line).replace(NBSP, " ") for line in [*lines, IN_BRACKETS, CAVEAT, ONE_TEST])


def as_markdown(comparison: Comparison) -> str:
    lines = [
        f"# {plain(comparison.before)} → {plain(comparison.after)}",
        "",
        f"**{plain(verdict(comparison))}**",
        "",
        *(f"- {plain(sentence)}" for sentence in support(comparison)),
        "",
    ]
    for name, rows in _named_tables(comparison):
        head, *body = ("| " + " | ".join(map(plain, row)) + " |" for row in rows)
        lines += [f"{name}:", "", head, "|---" * len(COLUMNS) + "|", *body, ""]
    return "\n".join([*lines, IN_BRACKETS, "", CAVEAT, ONE_TEST]) + "\n"


def _named_tables(comparison: Comparison) -> Iterator[tuple[str, list[list[str]]]]:
    rows = shown(comparison)
    for direction in directions(rows):
        for name, body in tables([change for change in rows if change.direction == direction]).items():
            yield name, [list(COLUMNS), *body]


def as_json(comparison: Comparison) -> str:
    return json.dumps({"format": 1, **asdict(comparison)}, indent=1, allow_nan=False) + "\n"


RENDERERS: dict[str, Callable[[Comparison], str]] = {".html": as_page, ".md": as_markdown, ".json": as_json}
"""By the suffix of the file."""
