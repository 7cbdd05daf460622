"""Dates, times, numbers and measurements in many notations, for the gaps of `tagger_sentences.txt`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random

MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
HOLIDAYS = [
    "Christmas",
    "Christmas Day",
    "New Year",
    "New Year's Eve",
    "Easter",
    "Good Friday",
    "Boxing Day",
    "Ramadan",
    "Eid",
    "Hanukkah",
    "Yom Kippur",
    "Holi",
    "Labor Day",
    "Veterans Day",
    "Mother's Day",
    "Father's Day",
    "Valentine's Day",
    "Bonfire Night",
    "Midsummer",
    "Halloween",
    "Pentecost",
    "Lunar New Year",
    "Mardi Gras",
]
ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
TEENS = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
DECADES = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
TENS = ["oh five", "ten", "fifteen", "twenty", "twenty-five", "thirty", "thirty-five", "forty", "forty-five", "fifty"]


def _day(rng: Random) -> date:
    return (
        date(1925, 1, 1) + timedelta(rng.randrange(36500))
        if rng.random() < 0.3
        else date(2005, 1, 1) + timedelta(rng.randrange(7600))
    )


def day(rng: Random) -> str:
    at = _day(rng)
    month, year, short = MONTHS[at.month - 1], at.year, f"{at.year % 100:02d}"
    nth = f"{at.day}{'th' if at.day in (11, 12, 13) else {1: 'st', 2: 'nd', 3: 'rd'}.get(at.day % 10, 'th')}"
    sign = rng.choice("/-./")
    forms = (
        f"{at.month}{sign}{at.day}{sign}{year}", f"{at.month:02d}{sign}{at.day:02d}{sign}{year}", f"{at.day:02d}{sign}{at.month:02d}{sign}{year}",
        f"{at.day}{sign}{at.month}{sign}{short}", f"{at.month}/{at.day}/{short}", f"{at.month}/{at.day}", f"{month} {at.day}, {year}",
        f"{month} {at.day}", f"{month[:3]} {at.day}", f"{month[:3]} {at.day}, {year}", f"{at.day} {month} {year}", f"{at.day} {month[:3]} {year}",
        f"{at.day} {month}", f"{nth} {month}", f"{nth} {month} {year}", f"{month} {nth}", f"{month[:3]} {nth}, {year}", f"{at.day}-{month[:3]}-{year}",
        f"{at.day}{month[:3].upper()}{short}", f"{at.day:02d} {month[:3].upper()} {year}", at.isoformat(), f"{year}/{at.month:02d}/{at.day:02d}", f"{year}{at.month:02d}{at.day:02d}",
        f"{month} {year}", f"{month[:3]} {year}", f"{at.month:02d}/{year}", f"{month[:3]} '{short}", f"{month[:3]} {short}", f"{DAYS[at.weekday()]} {at.day} {month}",
        f"{DAYS[at.weekday()]}, {month} {nth}", f"{DAYS[at.weekday()][:3]} {at.month}/{at.day}", DAYS[at.weekday()], f"{at.day}. {month} {year}", f"the {nth}",
        f"{year}", rng.choice(HOLIDAYS), f"{rng.choice(['spring', 'summer', 'fall', 'winter', 'autumn'])} {year}", f"{at.day} / {at.month} / {short}",
    )  # fmt: skip
    return rng.choice(forms)


def clock(rng: Random) -> str:
    hour, minute = rng.randrange(24), rng.choice((0, 0, 5, 10, 12, 15, 20, 22, 30, 35, 41, 45, 50, 57))
    twelve, half = hour % 12 or 12, "ap"[hour >= 12]
    spoken, part = (
        ONES[twelve - 1],
        rng.choice(
            [
                "in the morning",
                "in the afternoon",
                "in the evening",
                "at night",
                "this morning",
                "this evening",
                "tonight",
            ]
        ),
    )
    forms = (
        f"{hour:02d}:{minute:02d}", f"{hour}:{minute:02d}", f"{twelve}:{minute:02d} {half.upper()}M", f"{twelve}:{minute:02d}{half}m", f"{twelve}:{minute:02d} {half}.m.",
        f"{hour:02d}{minute:02d}", f"{hour:02d}{minute:02d}h", f"{hour:02d}{minute:02d} h", f"{hour:02d}{minute:02d} hrs", f"{hour:02d}{minute:02d} hours", f"{hour:02d}.{minute:02d}",
        f"{hour}.{minute:02d} h", f"{hour}h{minute:02d}", f"{hour}h", f"{twelve}{half}m", f"{twelve} {half}m", f"{twelve} {half.upper()}M", f"{twelve}.{minute:02d} {half}m", f"{twelve}:{minute:02d}{half}",
        f"{hour:02d}:{minute:02d}:{rng.randrange(60):02d}", f"{spoken} {rng.choice(TENS)}", f"{spoken} {part}", f"{spoken} {rng.choice(TENS)} {part}", f"half past {spoken}", f"quarter past {spoken}",
        f"quarter to {spoken}", f"{rng.choice(['ten', 'five', 'twenty'])} {rng.choice(['past', 'to', 'after', 'before'])} {spoken}", f"{spoken} o'clock", f"{twelve} o'clock {part}", f"{twelve} {part}",
        f"{spoken} {half}m", "noon", "midnight", "midday", f"{twelve}{half}", f"{hour:02d}:{minute:02d} {rng.choice(['EST', 'GMT', 'UTC'])}", f"{hour:02d}-{minute:02d}", f"{twelve}:{minute:02d} {part}",
        f"half {spoken}", f"{spoken} hundred hours" if hour < 12 else f"{hour} hundred",
    )  # fmt: skip
    return rng.choice(forms)


def age(rng: Random, least: int, most: int) -> str:
    """In digits, or in words."""
    years = rng.randint(least, most)
    if rng.random() < 0.7:
        return str(years)
    if years > 99:
        return (
            rng.choice(("one hundred and ", "a hundred and ", "one hundred ")) + ONES[years - 100]
            if years > 100
            else "one hundred"
        )
    tens, ones = divmod(years, 10)
    if years < 20:
        return (ONES + TEENS)[years - 1]
    return DECADES[tens - 2] + (rng.choice("- ") + ONES[ones - 1] if ones else "")


def number(rng: Random, shapes: tuple[str, ...]) -> str:
    """In one of these shapes, or in one that no list has: one to four groups of digits and letters."""
    if rng.random() < 0.7 or max(map(len, shapes)) < 6:
        return shaped(rng, *shapes)
    groups = [
        rng.choice(("99", "999", "9999", "99999", "A99", "AA", "AA99", "9A9", "A")) for _ in range(rng.randint(1, 4))
    ]
    grown = rng.choice(("-", "-", "/", " ", ".", "")).join(groups)
    return shaped(rng, grown if sum(one == "9" for one in grown) > 3 else grown + "99999")


def shaped(rng: Random, *shapes: str) -> str:
    signs: dict[str, Callable[[], str]] = {
        "9": lambda: rng.choice("0123456789"),
        "A": lambda: rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ"),
    }
    return "".join(signs[one]() if one in signs else one for one in rng.choice(shapes))


NUMBERS: dict[str, tuple[str, ...]] = {
    "ph": ("555-0199", "(999) 555-0199", "999-555-0199", "999.555.0199", "0799 555 019", "+44 99 7946 0999", "9999", "99999", "9-9999", "999 555 0199 x99", "01999 960999"),
    "mrn": ("9999999", "99999", "A999999", "AA9999", "99-99-99", "999-999", "9999 9999", "H99999A"),
    "acc": ("99-999999", "A99999999", "99999999", "AA-99-9999", "9999.9999", "CR99999"),
    "id": ("A-99999", "99999999", "AA99-999", "999-99-A", "AA 999999", "9999-9999", "Z9999A9"),
    "ssn": ("999-99-9999", "999 99 9999"),
    "veh": ("AAA 9999", "9AAA999", "AA99 AAA", "AAA-999", "A 9999 AA"),
    "dev": ("AAA999999A", "SN9999999", "99-9999-999", "9999-AA99", "AA9999999"),
    "ip": ("192.0.2.99", "10.9.99.9", "198.51.100.9"),
}  # fmt: skip


def level(rng: Random) -> str:
    """A vertebra, a rib, an abbreviation with a digit."""
    letter, one, other = rng.choice("CTLS"), rng.randint(1, 12), rng.randint(1, 12)
    forms = (
        f"{letter}{one}", f"{letter}{one}-{other}", f"{letter}{one}/{other}", f"{letter}{one}-{letter}{other}", f"{letter}{one}/{rng.choice('CTLS')}{other}", f"{one}th rib",
        f"G{one}P{other}", f"SpO2 {rng.randint(80, 99)}%", f"FiO2 0.{one}", "T2", "T1", f"{one}/6", f"{one}Fr", f"{one} Fr", f"h{one}n{one}", f"P{one}", f"M{one}", f"V{one}", f"S{one}",
        f"BI-RADS {one}", f"LI-RADS {one}", f"type {one}", "COVID-19", "CD4", f"x{one}", f"{one}x{other}", f"q{one}h", f"POD{one}", f"POD #{one}", f"DOL {one}", f"pT{one}N{other}M0", "FEV1", "HbA1c",
    )  # fmt: skip
    return rng.choice(forms)


def measure(rng: Random) -> str:
    value = rng.choice(
        (
            f"{rng.randint(1, 99)}",
            f"{rng.randint(1, 99)}",
            f"{rng.randint(0, 30)}.{rng.randint(0, 9)}",
            f"{rng.randint(100, 990)}",
        )
    )
    unit = rng.choice(
        (
            "mm",
            "cm",
            "mL",
            "ml",
            "mg",
            "kg",
            "%",
            "HU",
            "mGy",
            "kVp",
            "mAs",
            "degrees",
            "cc",
            "L",
            "mmHg",
            "bpm",
            "French",
            "F",
            "units",
            "mcg",
            "g",
            "T",
            "MHz",
            "years",
            "days",
            "weeks",
            *(
                "Tesla",
                "gauge",
                "G",
                "Ch",
                "mmol/L",
                "mg/dL",
                "g/dL",
                "mEq",
                "IU",
                "mL/h",
                "mL/min",
                "L/min",
                "mcg/min",
                "Gy",
                "mSv",
                "MBq",
            ),
            *(
                "pack-years",
                "months",
                "hours",
                "minutes",
                "cmH2O",
                "kPa",
                "ms",
                "msec",
                "cm/s",
                "Hz",
                "dB",
                "lb",
                "kg/m2",
                "U/L",
                "ng/mL",
                "views",
            ),
        )
    )
    if rng.random() < 0.15:
        return rng.choice(("{0}/{1} mmHg", "{0}/{1}", "BP {0}/{1}", "{2}/10", "{2}/5", "{2}/6", "{2}:1", "1:{2}", "{1}-{0} mm", "{2} x {2} cm", "{2}.{2} x {2}.{2} x {2} cm", "{2}-{2} weeks")).format(
            rng.randint(95, 190), rng.randint(50, 94), rng.randint(1, 9)
        )  # fmt: skip
    return f"{value}{rng.choice([' ', ' ', '', '-'])}{unit}"
