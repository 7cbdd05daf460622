"""Clinical terms that look like names, places or codes, and ages that identify nobody: where they stand in a report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from leadapron.reports.identifiers.calendar_words import ONES, TENS
from leadapron.reports.identifiers.lexicon import TERMS, phrases_of
from leadapron.reports.identifiers.tokens import TOKEN, Tokens

_BELOW_90 = "|".join(one for one in TENS if one != "ninety")
_SPOKEN = rf"(?:(?:{_BELOW_90})(?:[\s-](?:{'|'.join(ONES[1:10])}))?|{'|'.join(ONES[10:])})"
SPOKEN_NUMBER = re.compile(rf"(?i){_SPOKEN}")
"""From ten to eighty-nine in words: alone it is no part of a name, and neither a date nor a time."""
AGE = re.compile(
    rf"(?i)(?<![\w./:-])(?:[1-8]?\d|{_SPOKEN})(?=[\s-]?(?:y/?o\b|yo[fm]\b|years?\b|yrs?\b|y\b|(?-i:[MF])\b)(?![-/]\d))"
)

TESLA = re.compile(r"(?i)\b\d(?:\.\d+)?[\s-]?tesla\b")


def find_terms(tokens: Tokens) -> Iterator[tuple[int, int]]:
    """Where terms of several words stand, and ages below 90: Child-Pugh B, St. John's wort, BI-RADS 4A, 58 y/o."""
    begun = _by_first_word()
    for word in tokens.lowered & begun.keys():
        for found in tokens.headed(begun[word], frozenset({word})):
            if not tokens.row[: tokens.place_of[found.start()]].rstrip(".").endswith("T"):  # Dr. Murphy signs
                yield found.span()
    yield from (found.span() for found in tokens.begun(AGE))
    if "tesla" in tokens.lowered:
        yield from (found.span() for found in TESLA.finditer(tokens.text))


def find_spoken_numbers(tokens: Tokens) -> Iterator[tuple[int, int]]:
    return (found.span() for found in tokens.begun(_WHOLE)) if tokens.lowered & _NUMERALS else iter(())


_WHOLE = re.compile(rf"(?i){_SPOKEN}\b")
_NUMERALS = frozenset(TENS) | frozenset(ONES[10:])


@cache
def _by_first_word() -> dict[str, re.Pattern[str]]:
    """Of the terms that begin with a word, longer ones first."""
    listed: dict[str, list[str]] = {}
    for one in {one for key in TERMS for one in phrases_of("terms.toml", key) if not one.isalpha()}:
        listed.setdefault(TOKEN.split(one.lower())[1], []).append(one)
    return {
        word: re.compile(
            "(?i)(?:"
            + "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in sorted(terms, key=len, reverse=True))
            + r")(?!\w)"
        )
        for word, terms in listed.items()
    }
