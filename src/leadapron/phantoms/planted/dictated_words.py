"""Numbers, months and weekdays as they are said aloud."""

from __future__ import annotations

from datetime import date

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


def ordinal_word(number: int) -> str:
    *front, last = in_words(number).split("-")
    return "-".join([*front, _ORDINALS.get(last, f"{last}th")])


def year_words(year: int) -> str:
    """As it is dictated: nineteen forty-one, two thousand nineteen."""
    century, rest = divmod(year, 100)
    if century == 20:
        return f"two thousand {in_words(rest)}" if rest else "two thousand"
    return f"{in_words(century)} {in_words(rest) if rest > 9 else 'oh ' + in_words(rest) if rest else 'hundred'}"


def year_pairs(year: int) -> str:
    """The other way to dictate it: twenty nineteen."""
    return f"{in_words(year // 100)} {in_words(year % 100)}" if year % 100 > 9 else year_words(year)


def ordinal(number: int) -> str:
    ending = "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def month_name(day: date) -> str:
    return MONTHS[day.month - 1]


def weekday_name(day: date) -> str:
    return WEEKDAYS[day.weekday()]
