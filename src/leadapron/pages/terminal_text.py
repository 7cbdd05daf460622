"""Tables and sentences for the terminal."""

from __future__ import annotations

import textwrap

from leadapron.pages.numerals import NBSP, clean
from leadapron.pages.page import Table

WIDTH = 110


def wrapped(words: str, indent: str = "") -> str:
    return textwrap.fill(
        clean(words).replace(NBSP, " "), WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def in_columns(block: Table) -> str:
    """The caption, then columns padded to their widest cell; numbers stand flush right."""
    rows = [block.columns, *block.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if at >= block.first_number else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return clean("\n".join([*([block.caption] if block.caption else []), *lines])).replace(NBSP, " ")
