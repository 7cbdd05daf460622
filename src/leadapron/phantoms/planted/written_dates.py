"""Dates and times as they are typed, dictated and scanned. Four plain ways are common to both parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from random import Random

Written = Callable[[date], str]

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
             "twelve": "twelfth", "twenty": "twentieth", "thirty": "thirtieth"}  # fmt: skip


def in_words(number: int) -> str:
    """A number below a hundred: ninety-four."""
    if number < 20:
        return _ONES[number]
    return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")


def _ordinal_word(number: int) -> str:
    *front, last = in_words(number).split("-")
    return "-".join([*front, _ORDINALS.get(last, f"{last}th")])


def _year_words(year: int) -> str:
    """As it is dictated: nineteen forty-one, two thousand nineteen."""
    century, rest = divmod(year, 100)
    if century == 20:
        return f"two thousand {in_words(rest)}" if rest else "two thousand"
    return f"{in_words(century)} {in_words(rest) if rest > 9 else 'oh ' + in_words(rest) if rest else 'hundred'}"


def _year_pairs(year: int) -> str:
    """The other way to dictate it: twenty nineteen."""
    return f"{in_words(year // 100)} {in_words(year % 100)}" if year % 100 > 9 else _year_words(year)


def _ordinal(number: int) -> str:
    ending = "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _month(day: date) -> str:
    return MONTHS[day.month - 1]


def _weekday(day: date) -> str:
    return WEEKDAYS[day.weekday()]


PLAIN: dict[str, Written] = {
    "iso": lambda day: day.isoformat(),
    "american": lambda day: f"{day.month:02d}/{day.day:02d}/{day.year}",
    "long": lambda day: f"{_month(day)} {day.day}, {day.year}",
    "short american": lambda day: f"{day.month}/{day.day}/{day.year % 100:02d}",
}
DATES: Mapping[str, Mapping[str, Written]] = {
    "tune": {
        **PLAIN,
        "dots": lambda day: f"{day.day:02d}.{day.month:02d}.{day.year}",
        "day Mon year": lambda day: f"{day.day}-{_month(day)[:3]}-{day.year % 100:02d}",
        "ordinal of": lambda day: f"the {_ordinal(day.day)} of {_month(day)} {day.year}",
        "joined": lambda day: f"{day.day:02d}{_month(day)[:3].upper()}{day.year}",
        "year first": lambda day: f"{day.year}/{day.month:02d}/{day.day:02d}",
        "weekday": lambda day: f"{_weekday(day)}, {_month(day)} {day.day}",
        "dictated": lambda day: f"{_month(day)} the {_ordinal_word(day.day)} {_year_pairs(day.year)}",
    },
    "test": {
        **PLAIN,
        "dashes": lambda day: f"{day.day:02d}-{day.month:02d}-{day.year}",
        "Mon. day": lambda day: f"{_month(day)[:3]}. {day.day}, {day.year}",
        "day month year": lambda day: f"{day.day} {_month(day)} {day.year}",
        "eight digits": lambda day: f"{day.year}{day.month:02d}{day.day:02d}",
        "short dots": lambda day: f"{day.day}.{day.month}.{day.year % 100:02d}",
        "ordinal": lambda day: f"{_month(day)} {_ordinal(day.day)}",
        "short weekday": lambda day: f"{_weekday(day)[:3]} {day.month}/{day.day}",
        "apostrophe": lambda day: f"{day.day} {_month(day)[:3]} '{day.year % 100:02d}",
        "dictated": lambda day: f"the {_ordinal_word(day.day)} of {_month(day)} {_year_words(day.year)}",
    },
}
YEARLESS = ("weekday", "ordinal", "short weekday")
"""Nobody writes a birth date like this."""
MONTHS_OF_YEARS: Mapping[str, tuple[Written, ...]] = {
    "tune": (
        lambda day: f"{_month(day)} {day.year}",
        lambda day: f"{_month(day)[:3]} {day.year}",
        lambda day: f"{day.month:02d}/{day.year}",
    ),
    "test": (
        lambda day: f"{_month(day)} of {day.year}",
        lambda day: f"{_month(day)}, {day.year}",
        lambda day: f"{_month(day)[:3]}-{day.year % 100:02d}",
        lambda day: _month(day),
    ),
}
HOLIDAYS = {
    "tune": ("Thanksgiving", "Christmas Eve", "Memorial Day", "Diwali", "Passover", "the Fourth of July"),
    "test": ("Labor Day", "New Year's Day", "Easter Sunday", "Eid al-Adha", "Halloween", "St. Patrick's Day"),
}


def write_time(part: str, rng: Random) -> str:
    """A clock time. "hrs" after four digits is the unit and identifies nobody."""
    hour, minute = rng.randrange(24), rng.choice((0, 5, 10, 12, 15, 17, 30, 38, 45, 52))
    twelve, half = hour % 12 or 12, "a" if hour < 12 else "p"
    minutes = {0: "", 5: " oh five"}.get(minute, f" {in_words(minute)}")
    ways = {
        "tune": (
            f"{hour:02d}:{minute:02d}",
            f"{twelve}:{minute:02d} {half.upper()}M",
            f"{hour:02d}{minute:02d}h",
            f"{in_words(twelve)}{minutes} {half}m",
        ),
        "test": (
            f"{hour:02d}{minute:02d} hrs",
            f"{twelve}:{minute:02d}{half}.m.",
            f"{hour}.{minute:02d}",
            f"{hour:02d}:{minute:02d}:{rng.randrange(60):02d}",
            f"{in_words(twelve)}{minutes} in the {'morning' if half == 'a' else 'evening'}",
        ),
    }
    return rng.choice(ways[part])
