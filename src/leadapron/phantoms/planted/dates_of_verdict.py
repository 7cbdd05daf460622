"""Dates and times of the part that a finished de-identifier is judged on once."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from leadapron.phantoms.planted.dictated_words import (
    in_words,
    month_name,
    ordinal,
    weekday_name,
    year_pairs,
    year_words,
)


def _mon(day: date) -> str:
    return month_name(day)[:3]


def _digits_aloud(number: int) -> str:
    """Two digits as a form is read into the recorder: oh three."""
    return f"oh {in_words(number)}" if number < 10 else in_words(number)


DATES: dict[str, Callable[[date], str]] = {
    "short day first": lambda day: f"{day.day:02d}/{day.month:02d}/{day.year % 100:02d}",
    "unpadded dashes": lambda day: f"{day.month}-{day.day}-{day.year}",
    "german": lambda day: f"{day.day}. {month_name(day)} {day.year}",
    "Mon-day-year": lambda day: f"{_mon(day)}-{day.day:02d}-{day.year}",
    "capitals": lambda day: f"{_mon(day).upper()} {day.day:02d}, {day.year}",
    "year month day": lambda day: f"{day.year} {_mon(day)} {day.day:02d}",
    "day Mon year": lambda day: f"{day.day} {_mon(day)} {day.year}",
    "day-month-year": lambda day: f"{day.day}-{month_name(day)}-{day.year}",
    "slashed month": lambda day: f"{day.day:02d}/{_mon(day)}/{day.year}",
    "month, day of year": lambda day: f"{month_name(day)} {day.day} of {day.year}",
    "ordinal, comma": lambda day: f"{ordinal(day.day)} of {month_name(day)}, {day.year}",
    "ordinal with apostrophe": lambda day: f"{_mon(day)} {ordinal(day.day)} '{day.year % 100:02d}",
    "unpadded year first": lambda day: f"{day.year}/{day.month}/{day.day}",
    "spaced slashes": lambda day: f"{day.month:02d} / {day.day:02d} / {day.year}",
    "blanks": lambda day: f"{day.day:02d} {day.month:02d} {day.year}",
    "slash and dash": lambda day: f"{day.day}/{day.month}-{day.year}",
    "whole weekday": lambda day: f"{weekday_name(day)} {day.day} {month_name(day)} {day.year}",
    "weekday, slashes": lambda day: f"{weekday_name(day)[:3]} {day.month}/{day.day}/{day.year % 100:02d}",
    "weekday, day-Mon": lambda day: f"{weekday_name(day)[:3]} {day.day:02d}-{_mon(day)}",
    "weekday and ordinal": lambda day: f"{weekday_name(day)}, {ordinal(day.day)} {month_name(day)}",
    "short ordinal": lambda day: f"{_mon(day)} {ordinal(day.day)}",
    "day Mon": lambda day: f"{day.day} {_mon(day)}",
    "dictated day first": lambda day: f"{in_words(day.day)} {month_name(day)} {year_words(day.year)}",
    "dictated digits": lambda day: f"{_digits_aloud(day.month)} {_digits_aloud(day.day)} {year_pairs(day.year)}",
}
YEARLESS = ("weekday, day-Mon", "weekday and ordinal", "short ordinal", "day Mon")
MONTHS_OF_YEARS: tuple[Callable[[date], str], ...] = (
    lambda day: f"{_mon(day)} '{day.year % 100:02d}",
    lambda day: f"{_mon(day)}/{day.year}",
    lambda day: f"{day.month:02d}.{day.year}",
    lambda day: f"{day.month}/{day.year}" if day.month < 10 else f"{_mon(day)}, {day.year}",
    lambda day: f"Q{(day.month + 2) // 3} {day.year}",
    lambda day: f"week {day.isocalendar().week} of {day.isocalendar().year}",
    lambda day: f"late |{_mon(day)}",
)
HOLIDAYS = (
    "Valentine's Day", "Rosh Hashanah", "Whit Monday", "Palm Sunday", "Juneteenth", "Cinco de Mayo", "Groundhog Day",
    "Father's Day", "Presidents' Day", "Super Bowl Sunday", "Canada Day", "Anzac Day", "Nowruz", "Eid al-Fitr",
    "All Souls' Day", "Burns Night", "MLK Day", "New Year's Eve", "Holi", "Pentecost", "Maundy Thursday", "Vesak",
)  # fmt: skip


def clock_times(hour: int, minute: int) -> tuple[str, ...]:
    """One time in all the ways of this part."""
    twelve, half = hour % 12 or 12, "a" if hour < 12 else "p"
    past = {5: "five past", 10: "ten past", 15: "a quarter past"}
    return (
        f"{hour:02d}:{minute:02d}h",
        f"{twelve:02d}:{minute:02d} {half}m",
        f"{twelve}.{minute:02d} {half}m",
        f"{twelve}:{minute:02d} {half.upper()}.M.",
        f"{hour:02d}:{minute:02d} EST",
        f"{past[minute]} {in_words(twelve)}"
        if minute in past
        else f"{in_words(hour)} {in_words(minute)}"
        if minute
        else f"{twelve} o'clock",
    )
