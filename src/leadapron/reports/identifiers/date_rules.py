"""Dates and times in a report."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadapron.reports.identifiers import calendar_words as words
from leadapron.reports.identifiers.categories import Span
from leadapron.reports.identifiers.lexicon import words_of
from leadapron.reports.identifiers.tokens import Tokens

BEFORE = 32
"""Characters before a short date in which something must say that it is one."""
MONTHS = frozenset(words.MONTH_NAMES) | {one[:3] for one in words.MONTH_NAMES} | {"sept"}
DAYS = (
    frozenset(words.WEEKDAY_NAMES)
    | {one + "s" for one in words.WEEKDAY_NAMES}
    | words_of("rules.toml", "weekdays")
    | {"weds"}
)
HOLIDAY_BEGINS = words_of("rules.toml", "holidays_begin")
SEASONS = frozenset({"spring", "summer", "fall", "autumn", "winter"})
NAMED = (
    (words.ALONE, "month", MONTHS),
    (words.DAY, "weekday", DAYS),
    (words.SEASON, "season", SEASONS),
    (words.ANY_DAY, "holiday", frozenset({"day"})),
    (words.QUARTER, "quarter", frozenset({"q1", "q2", "q3", "q4", "h1", "h2"})),
    (words.SHORT_YEAR, "short year", frozenset({"'", "’"})),
)
"""Patterns, what they find, and words of which one must be there: that is much quicker to see."""
NTH = ("st", "nd", "rd", "th", "ST", "ND", "RD", "TH")
IS_VERSION = re.compile(r"^\d\.\d{1,2}\.(?:\d|1[0-2])$")


def find_when(tokens: Tokens) -> Iterator[Span]:
    text = tokens.text
    for found in tokens.begun(words.DATE, words.MAYBE_DATE):
        if _plausible(text, found):
            yield Span(found.start(), found.end(), "date", "date")
    for found in tokens.begun(words.SHORT):
        before = text[max(0, found.start() - BEFORE) : found.start()]
        graded = words.GRADE.match(text, found.end()) or unit_follows(text, found.end())
        if not graded and _is_short_date(found.group(), before):
            yield Span(found.start(), found.end(), "date", "short date")
    for found in tokens.begun(words.YEAR):
        if not words.NOT_A_YEAR.search(text[max(0, found.start() - 10) : found.start()]):
            yield Span(found.start(), found.end(), "date", "year")
    if "Z" in tokens.row:
        for found in tokens.begun(words.MISREAD_YEAR):
            if words.real_digits(found.group()) >= len(found.group()) // 2:
                yield Span(found.start(), found.end(), "date", "year")
    for pattern, name, needed in NAMED:
        if tokens.lowered & needed:
            looked = tokens.begun(pattern) if name in ("month", "weekday") else tokens.scan(pattern)
            yield from (Span(*found.span(), "date", name) for found in looked)
    yield from (Span(*found.span(), "date", "holiday") for found in tokens.headed(words.HOLIDAY, HOLIDAY_BEGINS))
    if "##" in tokens.row:
        yield from (Span(*found.span(), "date", "year") for found in tokens.scan(words.SPLIT_YEAR))
    if "Z" in tokens.row and any(
        letter == "Z" and word.endswith(NTH) for letter, word in zip(tokens.row, tokens.words, strict=True)
    ):
        for found in tokens.scan(words.ORDINAL):
            yield Span(found.start(1), found.end(1), "date", "day of the month")
    for found in tokens.begun(words.TIME):
        yield Span(*found.span(), "time", "time")
    if tokens.lowered & {"noon", "midday", "midnight"}:
        yield from (Span(*found.span(), "time", "time") for found in tokens.scan(words.NOON))


def _plausible(text: str, found: re.Match[str]) -> bool:
    said = found.group()
    if re.search(r"(?i)[a-z]{3}", said):  # a month's name
        return not re.fullmatch(r"(?i)\W*(?:may|march|mar|dec|sep|second)\W*", said) and _capital_may(said)
    if words.real_digits(said) < 3 or IS_VERSION.match(said) or unit_follows(text, found.end()):
        return False
    return words.is_date(said)


def _is_short_date(said: str, before: str) -> bool:
    """Two numbers that can be a day and a month, and something that tells them from a fraction or a grade."""
    first, second = (int(one) for one in re.findall(r"\d+", said))
    if min(first, second) > 12 or words.GRADED.search(before):
        return False
    padded = re.match(r"0\d\D\d\d|\d\d\D0\d", said) is not None and "/" in said
    return (
        padded
        or ("/" in said and max(first, second) > 12 and second not in (16, 24, 32))
        or bool(words.SAYS_DATE.search(before))
    )


def _capital_may(said: str) -> bool:
    """ "may" and "march" are verbs unless they have a capital, or a year or an ordinal beside them."""
    small = re.search(r"\b(?:may|march|mar)\b", said)
    return not small or bool(
        re.search(
            r"\d{4}|\d(?:st|nd|rd|th)\b|(?i:of (?:may|march)|(?:may|march) (?:the )?(?:\w+th|first|second|third|twenty|thirty)\b)|['’]\d\d|\d-(?:may|mar)",
            said,
        )
    )


def unit_follows(text: str, end: int) -> bool:
    return bool(
        re.match(
            r" ?(?:(?:mm|cm|ml|mg|cc|kg|french|fr|f|gauge|murmur|strength|kvp|mas)\b|%|x ?\d)",
            text[end : end + 10],
            re.IGNORECASE,
        )
    )
