"""Field labels: what stands before a colon says what stands behind it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import resources

from leadapron.reports.identifiers.memo import Memo
from leadapron.reports.identifiers.tokens import Tokens

BEHIND = re.compile(r":|\.{3,}_?:?|_(?=[^|_:])")
"""What stands between a label and its value: a colon, a row of dots, or a wide gap."""
WORDS = 4
"""The longest label."""


@cache
def labels() -> dict[str, str]:
    """The category of each label, by its words in lower case without spaces or punctuation."""
    text = resources.files("leadapron.reports").joinpath("words", "labels.toml").read_text("utf-8")
    found: dict[str, str] = {}
    for category, listed in tomllib.loads(text).items():
        for label in listed["labels"].split("|"):
            found.setdefault(squeezed(label), category)
    return found


def squeezed(label: str) -> str:
    return re.sub(r"[^a-z]", "", label.lower())


_SQUEEZED = Memo(squeezed)


def label_before(tokens: Tokens, at: int, *, categories: frozenset[str] | None = None) -> str | None:
    """The category of the label that ends before a token, the longest one that is known."""
    row, begin, best = tokens.row, at, None
    said, known = "", labels()
    for _ in range(2 * WORDS):
        begin -= 1
        if begin < 0 or row[begin] in "|_":
            break
        if tokens.words[begin][0].isalpha():
            said = _SQUEEZED[tokens.words[begin]] + said
            category = known.get(said)
            if category is not None and (categories is None or category in categories):
                best = category
        elif row[begin] not in "./'’-=&:":
            break
    return best


def labelled_values(tokens: Tokens) -> Iterator[tuple[str, int, int]]:
    """The category of each label with a colon, and the tokens from behind it to the end of the line or its column."""
    row = tokens.row
    for found in BEHIND.finditer(row):
        colon = found.start()
        if not colon or (
            row[colon] == ":" and tokens.words[colon - 1].isdigit() and label_before(tokens, colon) is None
        ):
            continue
        category = label_before(tokens, colon)
        if category is None or (row[colon] == "_" and not _begins_column(tokens, colon)):
            continue
        first = found.end()
        while first < len(row) and row[first] in "_":
            first += 1
        if first < len(row) and row[first] == "|":  # the value may stand on the next line
            first += 1
        end = first
        while end < len(row) and row[end] not in "|_:;":
            end += 1
        if end < len(row) and row[end] == ":":  # the next label's words are not part of the value
            end = _without_label(tokens, first, end)
        yield category, first, end


def _begins_column(tokens: Tokens, at: int) -> bool:
    """Whether all words before a gap, back to the line's beginning or the gap before, are a label."""
    first = at
    while first and tokens.row[first - 1] not in "|_":
        first -= 1
    return squeezed("".join(tokens.words[first:at])) in labels()


def _without_label(tokens: Tokens, first: int, colon: int) -> int:
    said, best = "", colon
    for begin in range(colon - 1, max(first, colon - 2 * WORDS) - 1, -1):
        if tokens.words[begin][0].isalpha():
            said = _SQUEEZED[tokens.words[begin]] + said
            if said in labels():
                best = begin
    return best
