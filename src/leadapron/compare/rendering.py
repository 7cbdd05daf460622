"""A comparison for people and machines: a table for the terminal, Markdown, JSON, a page."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

from leadapron.compare.comparison import Comparison
from leadapron.compare.page import as_page
from leadapron.compare.words import CAVEAT, cells, columns, conclusion, shown
from leadapron.report.markdown import plain
from leadapron.report.numerals import NBSP, clean


def as_table(comparison: Comparison) -> str:
    """For the terminal: the conclusion, then columns padded to their widest cell."""
    rows = [columns(), *(cells(change) for change in shown(comparison))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines = [f"Before: {comparison.before}", f"After:  {comparison.after}", ""]
    lines += [*(conclusion(change) for change in comparison.paired), "", *table, "", CAVEAT]
    return "\n".join(clean(line).replace(NBSP, " ") for line in lines)


def as_markdown(comparison: Comparison) -> str:
    rows = [columns(), *(cells(change) for change in shown(comparison))]
    head, *body = ("| " + " | ".join(map(plain, row)) + " |" for row in rows)
    lines = [
        f"# {plain(comparison.before)} → {plain(comparison.after)}",
        "",
        *(f"- {plain(conclusion(change))}" for change in comparison.paired),
        "",
        head,
        "|---" * len(columns()) + "|",
        *body,
        "",
        CAVEAT,
    ]
    return "\n".join(lines) + "\n"


def as_json(comparison: Comparison) -> str:
    return json.dumps({"format": 1, **asdict(comparison)}, indent=1, allow_nan=False) + "\n"


RENDERERS: dict[str, Callable[[Comparison], str]] = {".html": as_page, ".md": as_markdown, ".json": as_json}
"""By the suffix of the file."""
