"""Dates and times as they are typed, dictated and scanned. Four plain ways are common to all parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from random import Random

from leadapron.phantoms.planted import dates_of_appeal, dates_of_judge, dates_of_verdict
from leadapron.phantoms.planted.dictated_words import (
    in_words,
    month_name,
    ordinal,
    ordinal_word,
    weekday_name,
    year_pairs,
    year_words,
)

Written = Callable[[date], str]

PLAIN: dict[str, Written] = {
    "iso": lambda day: day.isoformat(),
    "american": lambda day: f"{day.month:02d}/{day.day:02d}/{day.year}",
    "long": lambda day: f"{month_name(day)} {day.day}, {day.year}",
    "short american": lambda day: f"{day.month}/{day.day}/{day.year % 100:02d}",
}
DATES: Mapping[str, Mapping[str, Written]] = {
    "tune": {
        **PLAIN,
        "dots": lambda day: f"{day.day:02d}.{day.month:02d}.{day.year}",
        "day Mon year": lambda day: f"{day.day}-{month_name(day)[:3]}-{day.year % 100:02d}",
        "ordinal of": lambda day: f"the {ordinal(day.day)} of {month_name(day)} {day.year}",
        "joined": lambda day: f"{day.day:02d}{month_name(day)[:3].upper()}{day.year}",
        "year first": lambda day: f"{day.year}/{day.month:02d}/{day.day:02d}",
        "weekday": lambda day: f"{weekday_name(day)}, {month_name(day)} {day.day}",
        "dictated": lambda day: f"{month_name(day)} the {ordinal_word(day.day)} {year_pairs(day.year)}",
    },
    "test": {
        **PLAIN,
        "dashes": lambda day: f"{day.day:02d}-{day.month:02d}-{day.year}",
        "Mon. day": lambda day: f"{month_name(day)[:3]}. {day.day}, {day.year}",
        "day month year": lambda day: f"{day.day} {month_name(day)} {day.year}",
        "eight digits": lambda day: f"{day.year}{day.month:02d}{day.day:02d}",
        "short dots": lambda day: f"{day.day}.{day.month}.{day.year % 100:02d}",
        "ordinal": lambda day: f"{month_name(day)} {ordinal(day.day)}",
        "short weekday": lambda day: f"{weekday_name(day)[:3]} {day.month}/{day.day}",
        "apostrophe": lambda day: f"{day.day} {month_name(day)[:3]} '{day.year % 100:02d}",
        "dictated": lambda day: f"the {ordinal_word(day.day)} of {month_name(day)} {year_words(day.year)}",
    },
    "judge": {**PLAIN, **dates_of_judge.DATES},
    "verdict": {**PLAIN, **dates_of_verdict.DATES},
    "appeal": {**PLAIN, **dates_of_appeal.DATES},
}
YEARLESS = (
    "weekday", "ordinal", "short weekday",
    *dates_of_judge.YEARLESS, *dates_of_verdict.YEARLESS, *dates_of_appeal.YEARLESS,
)  # fmt: skip
"""Nobody writes a birth date like this."""
MONTHS_OF_YEARS: Mapping[str, tuple[Written, ...]] = {
    "tune": (
        lambda day: f"{month_name(day)} {day.year}",
        lambda day: f"{month_name(day)[:3]} {day.year}",
        lambda day: f"{day.month:02d}/{day.year}",
    ),
    "test": (
        lambda day: f"{month_name(day)} of {day.year}",
        lambda day: f"{month_name(day)}, {day.year}",
        lambda day: f"{month_name(day)[:3]}-{day.year % 100:02d}",
        lambda day: month_name(day),
    ),
    "judge": dates_of_judge.MONTHS_OF_YEARS,
    "verdict": dates_of_verdict.MONTHS_OF_YEARS,
    "appeal": dates_of_appeal.MONTHS_OF_YEARS,
}
HOLIDAYS = {
    "tune": ("Thanksgiving", "Christmas Eve", "Memorial Day", "Diwali", "Passover", "the Fourth of July"),
    "test": ("Labor Day", "New Year's Day", "Easter Sunday", "Eid al-Adha", "Halloween", "St. Patrick's Day"),
    "judge": dates_of_judge.HOLIDAYS,
    "verdict": dates_of_verdict.HOLIDAYS,
    "appeal": dates_of_appeal.HOLIDAYS,
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
        "judge": dates_of_judge.clock_times(hour, minute),
        "verdict": dates_of_verdict.clock_times(hour, minute),
        "appeal": dates_of_appeal.clock_times(hour, minute),
    }
    return rng.choice(ways[part])
