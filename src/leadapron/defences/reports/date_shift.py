"""Dates moved by a number of days and written as they were: numbers, names of months, words."""

from __future__ import annotations

import calendar
import re
from collections.abc import Mapping
from datetime import date, timedelta

from leadapron.defences.reports.date_parts import Part, mended, read_date
from leadapron.reports.identifiers.calendar_words import MONTH_NAMES, ONES, ORDINALS, TENS, WEEKDAY_NAMES

HOLIDAYS = {
    "christmas eve": (12, 24), "christmas": (12, 25), "xmas": (12, 25), "boxing day": (12, 26), "new year": (1, 1),
    "thanksgiving": (11, 25), "halloween": (10, 31), "independence day": (7, 4), "of july": (7, 4), "easter": (4, 10),
    "memorial day": (5, 28), "labor day": (9, 3), "labour day": (5, 1), "good friday": (4, 8), "valentine": (2, 14),
    "patrick": (3, 17), "veterans day": (11, 11), "columbus day": (10, 10), "juneteenth": (6, 19), "epiphany": (1, 6),
}  # fmt: skip
"""Those that move from year to year by a day on which they may be."""
SOME_HOLIDAY = (7, 1)
"""For all others: the shift is secret, so what is written does not tell that it was one of them."""
SOME_YEAR = 2016
"""For a date without a year where nothing tells it; a leap year, since it may be the 29th of February."""
QUARTER = re.compile(r"(?i)([QH])([1-4])([ /-])(\d{4})")
ENDING = re.compile(r"(?i)(\d{1,2})(st|nd|rd|th)\b")
BESIDE_A_NAME = re.compile(r"\b0(?=\d\W+(?:of )?[^\W\d_]{3})|(?<=[^\W\d_]\W)0(?=\d\b)")
"""A nought that nobody writes: 01 March."""
FOURTH_OF_JULY = re.compile(r"(?i)(?:4th|fourth) of july")


def shift_date(text: str, days: int, near: date | None = None) -> str | None:
    """The date ``days`` later, in the same form; None if it cannot be told what day is meant.

    What it does not tell of year and month is that of the day nearest to ``near``, a date in the same report.

    >>> shift_date("03/14/2019", 30), shift_date("the third of March two thousand nineteen", 30)
    ('04/13/2019', 'the second of April two thousand nineteen')
    """
    text = mended(text)
    if (quarter := QUARTER.fullmatch(text)) is not None:
        return _quarter(quarter, days)
    if (holiday := _holiday(text)) is not None:
        return _as_day(text, holiday, days, near)
    parts = read_date(text)
    if parts is None:  # of letters, a holiday that nobody knows here
        return _as_day(text, SOME_HOLIDAY, days, near) if re.search(r"[^\W\d_]{3}", text) else None
    try:
        after = _meant({part.name: part.value for part in parts}, near) + timedelta(days)
    except (ValueError, OverflowError):
        return None
    return _written(text, parts, after, days)


def whole_date(text: str) -> date | None:
    """The day that is meant, where year, month and day are all told."""
    told = {part.name: part.value for part in read_date(mended(text)) or ()}
    return _day(*(told.get(name, 0) for name in ("year", "month", "day")))


def cased(model: str, word: str) -> str:
    """In capitals, in small letters or with one capital, as the model is."""
    if len(model) > 1 and model.isupper():
        return word.upper()
    return word.lower() if model[0].islower() else word[:1].upper() + word[1:]


def _meant(told: Mapping[str, int], near: date | None) -> date:
    """The day; where only a month or a year is told, one in its middle."""
    month = told.get("month") or told.get("season") or (near.month if near and "day" in told else 7)
    day = told.get("day", 15)
    year = told.get("year") or _year(month, day, near)
    return date(year, month, min(day, calendar.monthrange(year, month)[1]))


def _year(month: int, day: int, near: date | None) -> int:
    """In which the day is nearest to a date."""
    if near is None:
        return SOME_YEAR
    about = (_day(near.year + more, month, day) for more in (0, -1, 1))
    return min((one for one in about if one), key=lambda one: abs(one - near), default=date(SOME_YEAR, 1, 1)).year


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _written(text: str, parts: list[Part], after: date, days: int) -> str:
    out, at = [], 0
    for part in parts:
        said = text[part.start : part.end]
        new_part = _part(part, said, after, days)
        out += [text[at : part.start], new_part[:3] if _is_short(said, text[part.end :]) else new_part]
        at = part.end
    new = "".join([*out, text[at:]])
    if any(part.name == "day" for part in parts):  # 3rd becomes 4th
        new = ENDING.sub(lambda one: f"{int(one[1])}{cased(one[2], _ending(int(one[1])))}", new)
    return new if re.search(r"\b0\d", text) else BESIDE_A_NAME.sub("", new)


def _part(part: Part, said: str, after: date, days: int) -> str:
    match part.name:
        case "weekday":
            return _named(said, WEEKDAY_NAMES[(part.value + days) % 7])
        case "season":
            names = ("winter", "spring", "summer", "autumn" if said[0] in "aA" else "fall")
            return cased(said, names[after.month % 12 // 3])
        case "month" if not said.isdigit():
            return _named(said, MONTH_NAMES[after.month - 1])
        case "month" | "day" if said.isdigit():
            return f"{getattr(after, part.name):0{len(said)}d}"
        case "day":
            return cased(said, ordinal_word(after.day))
        case "until":
            after = date(part.value, 7, 15) + timedelta(days)
    if said.isdigit():
        return f"{after.year}" if len(said) == 4 else f"{after.year % 100:02d}"
    return cased(said, year_words(after.year, short=not said.lower().startswith("two")))


def _is_short(said: str, then: str) -> bool:
    """Whether a month or a weekday is told by three letters or four; "May" is whole, but for a dot behind it."""
    whole = said.lower() in ("may", "june", "july", "fall") and not re.match(r"\.\s", then)
    return said.isalpha() and len(said) <= 4 and not whole


def _named(said: str, name: str) -> str:
    return cased(said, f"{name}s" if said.lower().endswith("days") else name)


def _holiday(text: str) -> tuple[int, int] | None:
    lowered = text.lower()
    return next((day for name, day in HOLIDAYS.items() if name in lowered and not _is_other_july(name, text)), None)


def _is_other_july(name: str, text: str) -> bool:
    """ "14th of July" is a plain date."""
    return name == "of july" and FOURTH_OF_JULY.match(text) is None


def _as_day(text: str, day: tuple[int, int], days: int, near: date | None) -> str:
    year = re.search(r"(?:19|20)\d\d", text)
    after = date(int(year.group()) if year else _year(*day, near), *day) + timedelta(days)
    written = f"{MONTH_NAMES[after.month - 1].capitalize()} {after.day}"
    return f"{written}, {after.year}" if year else written


def _quarter(found: re.Match[str], days: int) -> str:
    """A quarter or a half of a year."""
    months = 3 if found[1] in "Qq" else 6
    after = date(int(found[4]), min(12, int(found[2]) * months - 1), 15) + timedelta(days)
    return f"{found[1]}{(after.month - 1) // months + 1}{found[3]}{after.year}"


def ordinal_word(day: int) -> str:
    """As in the twenty-third of May."""
    if day <= 20:
        return ORDINALS[day]
    return "thirtieth" if day == 30 else f"{'twenty' if day < 30 else 'thirty'}-{ORDINALS[day % 10]}"


def year_words(year: int, *, short: bool) -> str:
    """As in two thousand nineteen, or twenty nineteen if ``short``."""
    rest = year % 100
    tens = next((name for name, value in TENS.items() if value == rest // 10 * 10), "")
    tail = ONES[rest] if rest < 20 else f"{tens}-{ONES[rest % 10]}" if rest % 10 else tens
    if year < 2000:
        return f"nineteen {tail}" if rest > 9 else "nineteen hundred" if rest == 0 else f"nineteen oh {tail}"
    if rest == 0:
        return "two thousand"
    return f"twenty {tail}" if short and rest > 9 else f"two thousand {tail}"


def _ending(day: int) -> str:
    return "th" if 10 <= day % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
