"""How a date was written: which characters tell its day, its month, its year, and what they say."""

from __future__ import annotations

import re
from typing import NamedTuple

from leadapron.reports.identifiers.calendar_words import DIGITS, MONTH_NAMES, ONES, ORDINALS, TENS, WEEKDAY_NAMES

WORD = re.compile(r"[^\W\d_]+|\d+")
BETWEEN = frozenset({
    "st", "nd", "rd", "th", "of", "the", "in", "and", "year", "on", "early", "late", "mid", "last", "inst", "ult",
    "prox", "hundred", "thousand", "oh", "thirtieth",
})  # fmt: skip
"""Words in a date that tell no day by themselves."""
NUMBERS = frozenset([*TENS, *ONES, *ORDINALS])
SEASONS = {"spring": 4, "summer": 7, "fall": 10, "autumn": 10, "winter": 1}
"""Each by a month in its middle."""
_ONES = "|".join([*TENS, *sorted(ONES, key=len, reverse=True)])
SPOKEN_DAY = re.compile(
    rf"(?i)\b(?:(twenty|thirty)[\s-])?({'|'.join(sorted(ORDINALS[1:], key=len, reverse=True))}|thirtieth)\b"
)
SPOKEN_YEAR = re.compile(
    rf"(?i)\b(?:(two thousand)((?:[\s-]+(?:and|{_ONES}))*)|(nineteen|twenty)((?:[\s-]+(?:hundred|and|oh|{_ONES}))+))$"
)
MISREAD = r"[\dOoIlSB|]"
MISREAD_NUMBER = re.compile(rf"(?<![^\W\d_]){MISREAD}*\d{MISREAD}*(?![^\W\d_])|(?:(?<=[/.-])|^)[OoIl|]{{1,2}}(?=[/.-])")
SPACED = re.compile(r"[/.-]\d\s\d|\d\s\d+[/.-]")
QUOTED, ORDINAL, YEAR_AND_MONTH = r"['’]\d{2,3}", r"\d{1,2}\s?(?:st|nd|rd|th)\b", r"\d{4}[-/.](?:0[1-9]|1[0-2])"


class Part(NamedTuple):
    """Characters of a date, what they tell (day, month, year, until, weekday or season), and its value."""

    start: int
    end: int
    name: str
    value: int


def mended(text: str) -> str:
    """With digits where character recognition left letters, and without its stray spaces in numbers."""
    mixed = MISREAD_NUMBER.sub(lambda found: found.group().translate(DIGITS), text)
    return re.sub(r"(?<!\d{4})(?<=\d)\s(?=\d{1,3}(?:\D|$))", "", mixed) if SPACED.search(mixed) else mixed


def read_date(text: str) -> list[Part] | None:
    """The parts in their order; None if a word or a number is no part of a day that can be told."""
    if re.fullmatch(r"\d{8}", text):
        return [Part(*where, name, int(text[slice(*where)])) for name, where in COMPACT.items()]
    parts = list(_spoken(text))
    numbers = []
    for found in WORD.finditer(text):
        said = found.group().lower()
        if any(part.start <= found.start() < part.end for part in parts):
            continue
        if said.isdigit():
            numbers.append(found)
        elif (part := _named(found, said)) is not None:
            parts.append(part)
        elif said not in BETWEEN | NUMBERS:
            return None
    roles = _roles([found.group() for found in numbers], text, {part.name for part in parts})
    if roles is None:
        return None
    for role, found in zip(roles, numbers, strict=True):
        parts.append(Part(*found.span(), role, _value(role, int(found.group()))))
    one_of_each = len({part.name for part in parts}) == len(parts)
    return sorted(parts) if parts and one_of_each else None


COMPACT = {"year": (0, 4), "month": (4, 6), "day": (6, 8)}


def month_of(word: str) -> int | None:
    """By its name, or by three letters of it or more."""
    return (
        next((at for at, name in enumerate(MONTH_NAMES, 1) if name.startswith(word)), None) if len(word) > 2 else None
    )


def weekday_of(word: str) -> int | None:
    """The same of a day of the week, from Monday as 0; "Fridays", too."""
    word = word.removesuffix("s") if word.endswith("days") else word
    return next((at for at, name in enumerate(WEEKDAY_NAMES) if len(word) > 2 and name.startswith(word)), None)


def _named(found: re.Match[str], said: str) -> Part | None:
    if (month := month_of("sep" if said == "sept" else said)) is not None:
        return Part(*found.span(), "month", month)
    if (weekday := weekday_of(said)) is not None:
        return Part(*found.span(), "weekday", weekday)
    return Part(*found.span(), "season", SEASONS[said]) if said in SEASONS else None


def _value(role: str, number: int) -> int:
    if role not in ("year", "until") or number > 99:
        return number
    return number + (2000 if number < 40 else 1900)


def _roles(numbers: list[str], text: str, told: set[str]) -> list[str] | None:
    """What each number is, by its size and its neighbours; ``told`` is what words have said already."""
    if "month" in told or "season" in told:
        return _roles_beside_month(numbers, text, told)
    values = [int(one) for one in numbers]
    match numbers:
        case []:
            return []
        case [one] if len(one) == 4 or re.search(QUOTED, text):
            return ["year"]
        case [one] if values[0] <= 31 and (re.search(ORDINAL, text) or "weekday" in told):
            return ["day"]
        case [first, second] if len(first) == 4:
            return ["year", "month"] if re.fullmatch(YEAR_AND_MONTH, text) else ["year", "until"]
        case [_, second]:
            return ["month", "year"] if len(second) == 4 else _day_and_month(values, text)
        case [first, _, _]:
            return ["year", "month", "day"] if len(first) == 4 else [*_day_and_month(values, text), "year"]
    return None


def _roles_beside_month(numbers: list[str], text: str, told: set[str]) -> list[str] | None:
    match numbers:
        case []:
            return []
        case [one]:
            is_year = len(one) == 4 or int(one) > 31 or "day" in told or re.search(QUOTED, text)
            return ["year" if is_year else "day"]
        case [first, _]:
            return ["year", "day"] if len(first) == 4 else ["day", "year"]
    return None


def _day_and_month(values: list[int], text: str) -> list[str]:
    """The month comes first where both are possible, but for dates with dots."""
    day_first = values[0] > 12 or ("." in text and len(values) == 3 and values[1] <= 12)
    return ["day", "month"] if day_first else ["month", "day"]


def _spoken(text: str) -> list[Part]:
    """Days and years in words: twenty-third, two thousand nineteen, twenty nineteen."""
    parts = []
    if (day := SPOKEN_DAY.search(text)) is not None:
        last = day[2].lower()
        value = TENS.get((day[1] or "").lower(), 0) + (30 if last == "thirtieth" else ORDINALS.index(last))
        parts.append(Part(*day.span(), "day", value))
    if (year := SPOKEN_YEAR.search(text)) is not None:
        century = 1900 if (year[3] or "").lower() == "nineteen" else 2000
        rest = re.split(r"[\s-]+", (year[2] or year[4] or "").lower())
        value = century + sum(TENS.get(one, 0) or (ONES.index(one) if one in ONES else 0) for one in rest)
        parts.append(Part(*year.span(), "year", value))
    return parts
