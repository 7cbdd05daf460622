"""Dates and times of the part on which a verdict may be appealed against."""

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
)


def _mon(day: date) -> str:
    return month_name(day)[:3]


DATES: dict[str, Callable[[date], str]] = {
    "appeal: Mon day, year": lambda day: f"{_mon(day)} {day.day}, {day.year}",
    "appeal: joined and short": lambda day: f"{day.day:02d}{_mon(day).upper()}{day.year % 100:02d}",
    "appeal: capitals with dashes": lambda day: f"{day.day:02d}-{_mon(day).upper()}-{day.year}",
    "appeal: capitals with blanks": lambda day: f"{day.day:02d} {_mon(day).upper()} {day.year}",
    "appeal: dots": lambda day: f"{day.day}.{day.month}.{day.year}",
    "appeal: dotted month": lambda day: f"{day.day:02d}.{_mon(day)}.{day.year}",
    "appeal: short dashes": lambda day: f"{day.day}-{day.month}-{day.year % 100:02d}",
    "appeal: unpadded iso": lambda day: f"{day.year}-{day.month}-{day.day}",
    "appeal: Mon/day/year": lambda day: f"{_mon(day)}/{day.day:02d}/{day.year}",
    "appeal: ordinal and Mon": lambda day: f"{ordinal(day.day)} {_mon(day)} {day.year}",
    "appeal: ordinal of month": lambda day: f"{ordinal(day.day)} of {month_name(day)} {day.year}",
    "appeal: ordinal without comma": lambda day: f"{month_name(day)} {ordinal(day.day)} {day.year}",
    "appeal: stopped Mon": lambda day: f"{day.day} {_mon(day)}. {day.year}",
    "appeal: without comma": lambda day: f"{month_name(day)} {day.day} {day.year}",
    "appeal: whole weekday": lambda day: f"{weekday_name(day)}, {month_name(day)} {day.day}, {day.year}",
    "appeal: weekday of a mail": lambda day: f"{weekday_name(day)[:3]}, {day.day} {_mon(day)} {day.year}",
    "appeal: dictated": lambda day: f"{month_name(day)} {ordinal_word(day.day)} {year_pairs(day.year)}",
    "appeal: weekday, Mon day": lambda day: f"{weekday_name(day)[:3]} {_mon(day)} {day.day}",
    "appeal: weekday, slashes": lambda day: f"{weekday_name(day)} {day.month}/{day.day}",
    "appeal: day first": lambda day: f"{day.day:02d}/{day.month:02d}",
    "appeal: day-Mon": lambda day: f"{day.day}-{_mon(day)}",
    "appeal: ordinal of": lambda day: f"{ordinal(day.day)} of {month_name(day)}",
    "appeal: dictated day": lambda day: f"{month_name(day)} {ordinal_word(day.day)}",
}
YEARLESS = (
    "appeal: weekday, Mon day", "appeal: weekday, slashes", "appeal: day first", "appeal: day-Mon", "appeal: ordinal of",
    "appeal: dictated day",
)  # fmt: skip
MONTHS_OF_YEARS: tuple[Callable[[date], str], ...] = (
    lambda day: f"{day.month:02d}-{day.year}",
    lambda day: f"{_mon(day).upper()} {day.year}",
    lambda day: f"{_mon(day)}-{day.year}",
    lambda day: f"{_mon(day)}, {day.year}",
    lambda day: f"{_mon(day).upper()}-{day.year % 100:02d}",
    lambda day: f"{_mon(day)}/{day.year % 100:02d}",
    lambda day: f"{month_name(day)} {year_pairs(day.year)}",
)
HOLIDAYS = (
    "Christmas Day", "Hanukkah", "Easter Monday", "Independence Day", "Ascension Day", "Bastille Day", "Purim", "Bonfire Night", "Epiphany",
    "Corpus Christi", "Carnival", "Republic Day", "Black Friday", "Election Day", "Chinese New Year", "Remembrance Sunday",
    "Durga Puja", "All Saints' Day", "Assumption Day", "Labour Day",
)  # fmt: skip


def clock_times(hour: int, minute: int) -> tuple[str, ...]:
    """One time in all the ways of this part."""
    twelve, half = hour % 12 or 12, "a" if hour < 12 else "p"
    said = in_words(twelve) if not minute else f"{in_words(twelve)} {'oh five' if minute == 5 else in_words(minute)}"
    return (
        f"{hour:02d}{minute:02d}H",
        f"{hour:02d}:{minute:02d} hrs",
        f"{twelve}:{minute:02d} {half}.m.",
        f"{twelve}:{minute:02d}{half.upper()}M",
        f"{twelve}.{minute:02d}{half}m",
        f"{twelve}:{minute:02d}{half.upper()}" if minute else f"{twelve} {half.upper()}M",
        f"{said} {half}.m.",
    )
