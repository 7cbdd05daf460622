"""Dates and times of the part that judges: in a file of its own, so that nobody reads it beside the others."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from leadapron.phantoms.planted.dictated_words import (
    in_words,
    month_name,
    ordinal,
    ordinal_word,
    weekday_name,
    year_pairs,
    year_words,
)

_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_SEASONS = ("winter", "spring", "summer", "fall")

DATES: dict[str, Callable[[date], str]] = {
    "unpadded american": lambda day: f"{day.month}/{day.day}/{day.year}",
    "day first": lambda day: f"{day.day:02d}/{day.month:02d}/{day.year}",
    "year first with dots": lambda day: f"{day.year}.{day.month:02d}.{day.day:02d}",
    "year Mon day": lambda day: f"{day.year}-{month_name(day)[:3]}-{day.day:02d}",
    "roman month": lambda day: f"{day.day}.{_ROMAN[day.month - 1]}.{day.year}",
    "american dashes": lambda day: f"{day.month:02d}-{day.day:02d}-{day.year % 100:02d}",
    "american dots": lambda day: f"{day.month:02d}.{day.day:02d}.{day.year % 100:02d}",
    "day Mon long year": lambda day: f"{day.day:02d}-{month_name(day)[:3]}-{day.year}",
    "joined short": lambda day: f"{day.day:02d}{month_name(day)[:3]}{day.year % 100:02d}",
    "without comma": lambda day: f"{month_name(day)[:3]} {day.day} {day.year}",
    "long ordinal": lambda day: f"{month_name(day)} {ordinal(day.day)}, {day.year}",
    "british ordinal": lambda day: f"{ordinal(day.day)} {month_name(day)} {day.year}",
    "weekday in front": lambda day: f"{weekday_name(day)[:3]} {day.day} {month_name(day)[:3]} {day.year}",
    "month and day": lambda day: f"{month_name(day)} {day.day}",
    "two numbers": lambda day: f"{day.month}/{day.day}",
    "weekday and day": lambda day: f"{weekday_name(day)} the {ordinal(day.day)}",
    "dictated month first": lambda day: f"{month_name(day)} {ordinal_word(day.day)}, {year_words(day.year)}",
    "dictated slashes": lambda day: f"{in_words(day.month)} slash {in_words(day.day)} slash {year_pairs(day.year)}",
}
YEARLESS = ("month and day", "two numbers", "weekday and day")
MONTHS_OF_YEARS: tuple[Callable[[date], str], ...] = (
    lambda day: f"{month_name(day)[:3]}. {day.year}",
    lambda day: f"{day.month:02d}/{day.year % 100:02d}",
    lambda day: f"{day.year}-{day.month:02d}",
    lambda day: f"{month_name(day)} '{day.year % 100:02d}",
    lambda day: f"mid-|{month_name(day)}",
    lambda day: f"the |{_SEASONS[day.month % 12 // 3]} of {day.year}",
)
HOLIDAYS = (
    "Veterans Day", "Mother's Day", "Good Friday", "Yom Kippur", "Mardi Gras", "Boxing Day", "Lunar New Year",
    "Ash Wednesday", "Columbus Day",
)  # fmt: skip


def clock_times(hour: int, minute: int) -> tuple[str, ...]:
    """One time in all the ways of this part."""
    twelve, half = hour % 12 or 12, "a" if hour < 12 else "p"
    by_quarters = {15: "quarter past", 30: "half past", 45: "quarter to"}
    named = in_words(hour % 12 + 1 if minute == 45 else twelve)
    return (
        f"{twelve}:{minute:02d}{half}m",
        f"{twelve}:{minute:02d}{half}",
        f"{hour:02d}h{minute:02d}",
        f"{hour:02d}{minute:02d}",
        f"{by_quarters[minute]} {named}" if minute in by_quarters else f"{twelve} {half}.m.",
    )
