"""Invented words for the gaps of `tagger_sentences.txt`: names of every kind, houses, places, dates, times, numbers.

A name may be any word: what a tagger learns from these must be the sentence around a name, not the name.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable
from datetime import date, timedelta
from functools import cache
from importlib import resources
from itertools import accumulate
from random import Random

from leadapron.reports.identifiers.lexicon import Lexicon, lexicon

MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
HOLIDAYS = (
    "Christmas|Christmas Day|New Year|New Year's Eve|Easter|Good Friday|Boxing Day|Ramadan|Eid|Hanukkah|Yom Kippur|Holi|Labor Day|"
    "Veterans Day|Mother's Day|Father's Day|Valentine's Day|Bonfire Night|Midsummer|Halloween|Pentecost|Lunar New Year|Mardi Gras"
).split("|")
ONES = "one two three four five six seven eight nine ten eleven twelve".split()
TENS = ["oh five", "ten", "fifteen", "twenty", "twenty-five", "thirty", "thirty-five", "forty", "forty-five", "fifty"]
FIRST_HALF = (
    "Ash Bay Beech Birch Black Blue Bridge Brook Castle Cedar Clear Cliff Cold Crest Deer Dove East Elm Ever Fair Fern Fox Glen Gold Green Grey Haven "
    "Hazel Heath High Hill Holly Iron Lake Lark Little Long Maple Marsh Mill Moor New North Oak Old Park Pine Quarry Raven Red River Rock Rose Salt Sand "
    "Silver South Spring Stan Stone Sunny Swan Thorn Up Wal West White Wild Willow Win Wood York"
).split()
SECOND_HALF = (
    "bank beck borough bourne bridge brook bury by cliff combe cote creek crest croft dale den down end fell field ford gate glade grove ham harbor haven "
    "head heath hill holme hurst land lea leigh ley low mead mere mill mont moor mount park point port pool ridge shore side stead stoke stone ton vale view ville "
    "water way well wick wood worth"
).split()
KINDS = (
    "General|Memorial|Community|County|Regional|Infirmary|Clinic|Hospital|Medical Center|Medical Centre|Imaging|Health|Orthopaedics|Diagnostics|Hospice|Lodge|"
    "House|Manor|Court|Surgery|Children's|Heart Institute|Cancer Center|Urgent Care|Health Centre|Family Practice|Rehab|Nursing Home|Eye Hospital|Women's|"
    "University Hospital|Maternity|Day Surgery|Pavilion|District|Trust|Polyclinic|Radiology|Medical Group|Associates|Minor Injuries|Walk-in|Veterans|Gardens"
).split("|")
VIRTUES = "Mercy Providence Unity Trinity Harmony Grace Hope Beacon Summit Liberty Pioneer Cornerstone Heritage Horizon Legacy Compass Sanctuary Royal Queen's King's Victoria Princess Infirmary General Baptist Methodist Sacred-Heart Good-Samaritan Holy-Cross".split()
FIRMS = "Steel|Foods|Logistics|Freight|Mills|Textiles|Motors|Shipyard|Quarry|Rail|Brewery|& Sons|Ltd|Inc|Cement|Paper|Glass|Farms|Bakery|Airways|Transit|Mining|Roofing|Foundry|Cannery|United|Rovers|Chemicals".split("|")
STREETS = "Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Close|Crescent|Way|Court|Terrace|Boulevard|Blvd|Place|Row|Hill|Square".split("|")
STATES = "AL AZ CA CO FL GA IA IL IN KS KY LA MA MI MN MO NC ND NE NJ NM NV NY OH OK OR PA SC TN TX UT VA VT WA WI WV NSW QLD VIC ON BC AB".split()
COUNTRIES = (
    "Kenya Ghana Peru Chile Norway Poland Romania Turkey Jordan Chad Mali Cuba Laos Nepal India Pakistan Vietnam Cambodia Ireland Wales Scotland Spain Portugal "
    "Greece Cyprus Malta Egypt Sudan Somalia Ethiopia Zambia Brazil Bolivia Panama Mexico Guatemala Haiti Jamaica Barbados Canada Alaska Texas Ohio Kansas "
    "Georgia Manila Lagos Cairo Delhi Lima Quito Oslo Bergen Turin Porto Cork Perth Hobart Fiji Samoa Yemen Iraq Iran Syria Lebanon Oman Qatar Bali Java"
).split()
CODAS = "a an ar as e el en er es i ia ic in is o on or os u us".split()
ONSETS = "b br c ch d dr f g gr h j k kl l m n p pr r s sh st t th tr v w y z zh".split()
VOWELS = "a e i o u ai ee ou ya io".split()


def _faker() -> tuple[list[str], list[str]]:
    """Given and family names of every language in Latin letters, with accents."""
    import pkgutil
    from importlib import import_module

    import faker.providers.person as person

    given: set[str] = set()
    family: set[str] = set()
    for module in pkgutil.iter_modules(person.__path__):
        provider = import_module(f"{person.__name__}.{module.name}").Provider
        for into, attributes in (
            (given, ("first_names", "first_names_female", "first_names_male")),
            (family, ("last_names",)),
        ):
            for attribute in attributes:
                listed = getattr(provider, attribute, ())
                into.update(str(one) for one in (() if isinstance(listed, property) else listed))
    return tuple(
        sorted(one for one in names if 1 < len(one) < 20 and one[0].isalpha() and ord(max(one)) < 0x250)
        for names in (given, family)
    )  # type: ignore[return-value]


@cache
def given_names() -> list[str]:
    return _faker()[0]


@cache
def family_names() -> list[str]:
    return _faker()[1]


@cache
def plain_words() -> list[str]:
    """English words that anyone might be called, or a house."""
    words: Lexicon = lexicon()
    return sorted(one for one in words.written & words.common if 2 < len(one) < 9 and one not in words.own)


@cache
def _frequent() -> tuple[list[str], list[float]]:
    import symspellpy

    listed = resources.files(symspellpy).joinpath("frequency_dictionary_en_82_765.txt").read_text("utf-8-sig")
    counts = [line.split() for line in listed.splitlines()]
    words = lexicon()
    found = [(one, float(count)) for one, count in counts if len(one) > 2 and words.is_settled(one)]
    return [one for one, _ in found], list(accumulate(count**0.5 for _, count in found))


def common_word(rng: Random) -> str:
    """A word of the language, frequent ones more often."""
    words, sums = _frequent()
    return words[bisect(sums, rng.random() * sums[-1])]


@cache
def named_words() -> list[str]:
    """Words that are names of people, too: Long, Price, Rose."""
    words = lexicon()
    return sorted(one for one in words.names & words.common & words.written if 2 < len(one) < 10)


@cache
def eponyms() -> list[str]:
    return sorted(one for one in lexicon().eponyms if one.isalpha() and len(one) > 3)


def syllables(rng: Random) -> str:
    return (
        "".join(rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(rng.randint(1, 3))) + rng.choice(CODAS)
    ).capitalize()


def family(rng: Random) -> str:
    drawn = rng.random()
    if drawn < 0.36:
        name = rng.choice(family_names())
    elif drawn < 0.54:
        name = rng.choice(named_words()).capitalize()
    elif drawn < 0.66:
        name = rng.choice(plain_words()).capitalize()
    elif drawn < 0.82:
        name = syllables(rng)
    elif drawn < 0.89:
        name = rng.choice(eponyms()).capitalize()
    elif drawn < 0.92:
        name = rng.choice(MONTHS + DAYS)
    else:
        name = rng.choice(["van der ", "de ", "de la ", "al-", "bin ", "O'", "Mc", "Mac", "von ", "di ", "El-", "Ó "]) + (
            rng.choice(family_names()) if rng.random() < 0.5 else syllables(rng)
        )
    return f"{name}-{family(rng)}" if rng.random() < 0.05 and "-" not in name else name


def given(rng: Random) -> str:
    drawn = rng.random()
    if drawn < 0.55:
        return rng.choice(given_names())
    if drawn < 0.75:
        return rng.choice(named_words()).capitalize()
    if drawn < 0.83:
        return rng.choice(plain_words()).capitalize()
    return syllables(rng) if drawn < 0.97 else rng.choice(MONTHS[3:8])


def initials(rng: Random) -> str:
    letters = [rng.choice("ABCDEFGHIJKLMNOPRSTVWYZ") for _ in range(rng.choice((2, 2, 3)))]
    return rng.choice(("".join(letters), "".join(letters), ".".join([*letters, ""]), "".join(letters).lower()))


def person(rng: Random) -> str:
    one, middle, last = given(rng), given(rng), family(rng)
    forms = (
        f"{one} {last}", f"{one} {last}", f"{one} {middle[0]}. {last}", f"{one} {middle} {last}", f"{last}, {one}",
        f"{last}, {one} {middle[0]}", f"{one[0]}. {last}", f"{one[0]} {last}", f"{one[0]}.{middle[0]}. {last}",
        f"{last} {one}", f"{last.upper()}, {one.upper()}", f"{last.upper()} {one}", last, f"{last}, {one[0]}.",
        f"{one} {last} Jr.", f"{one} {last} III", f"{last} {one[0]}", f"{last.upper()}, {one}",
    )  # fmt: skip
    return rng.choice(forms)


def house_word(rng: Random) -> str:
    drawn = rng.random()
    if drawn < 0.4:
        return rng.choice(FIRST_HALF) + rng.choice(SECOND_HALF)
    if drawn < 0.52:
        return rng.choice(VIRTUES).replace("-", " ")
    if drawn < 0.64:
        return rng.choice(plain_words()).capitalize()
    return rng.choice(family_names()) if drawn < 0.8 else syllables(rng)


def hospital(rng: Random) -> str:
    drawn = rng.random()
    if drawn < 0.36:
        return house_word(rng)
    if drawn < 0.45:
        two = f"{rng.choice(FIRST_HALF)} {rng.choice(SECOND_HALF).capitalize()}"
        return two if rng.random() < 0.6 else f"{two} {rng.choice(KINDS)}"
    if drawn < 0.54:
        return rng.choice(("St. ", "St ", "Saint ", "Mount ", "Mt. ", "Our Lady of ")) + given(rng) + rng.choice(("", "'s", "'s", " " + rng.choice(KINDS)))
    if drawn < 0.6:
        return "".join(rng.choice("ABCGHJKLMNRSTUW") for _ in range(rng.choice((3, 3, 4))))
    if drawn < 0.64:
        return f"University of {house_word(rng)}"
    return f"{house_word(rng)} {rng.choice(KINDS)}"


def ward(rng: Random) -> str:
    forms = (
        f"Ward {rng.randint(1, 30)}", f"{rng.randint(2, 12)} {rng.choice(['West', 'East', 'North', 'South', 'Tower'])}",
        f"{house_word(rng)} Ward", f"{rng.randint(2, 12)}{rng.choice('ABCDEW')}", f"{house_word(rng)}", f"the {house_word(rng)} Unit",
        f"{house_word(rng)} {rng.randint(1, 9)}", f"Tower {rng.randint(1, 9)}", f"room {rng.randint(101, 999)}",
    )  # fmt: skip
    return rng.choice(forms)


def company(rng: Random) -> str:
    return rng.choice((f"{house_word(rng)} {rng.choice(FIRMS)}", f"{family(rng)} {rng.choice(FIRMS)}", f"{family(rng)} & {family(rng)}", house_word(rng)))  # fmt: skip


def town(rng: Random) -> str:
    drawn = rng.random()
    if drawn < 0.25:
        return rng.choice(COUNTRIES)
    if drawn < 0.35:
        return f"{rng.choice(['San', 'Santa', 'Fort', 'Port', 'New', 'Upper', 'Lake', 'Mount', 'Saint'])} {house_word(rng)}"
    name = syllables(rng) if drawn < 0.55 else house_word(rng)
    return f"{name}, {rng.choice(STATES)}" if rng.random() < 0.2 else name


def address(rng: Random) -> str:
    street = f"{rng.randint(1, 2400)}{rng.choice(['', '', '', 'A', 'b'])} {house_word(rng)} {rng.choice(STREETS)}"
    if rng.random() < 0.2:
        street = rng.choice(("Flat ", "Apt ", "Unit ")) + f"{rng.randint(1, 40)}, {street}"
    if rng.random() < 0.7:
        street += rng.choice((", ", "\n", " ")) + town(rng)
        if rng.random() < 0.6:
            street += " " + rng.choice((f"{rng.randint(10000, 99999)}", f"{rng.choice(STATES)} {rng.randint(10000, 99999)}", "AB1 2CD"))
    return street


def _day(rng: Random) -> date:
    return date(1925, 1, 1) + timedelta(rng.randrange(36500)) if rng.random() < 0.3 else date(2005, 1, 1) + timedelta(rng.randrange(7600))


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
    spoken, part = ONES[twelve - 1], rng.choice(["in the morning", "in the afternoon", "in the evening", "at night", "this morning", "this evening", "tonight"])
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


def shaped(rng: Random, *shapes: str) -> str:
    signs: dict[str, Callable[[], str]] = {"9": lambda: rng.choice("0123456789"), "A": lambda: rng.choice("ABCDEFGHJKLMNPRSTUVWXYZ")}
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


def email(rng: Random) -> str:
    return re.sub(r"[^a-z.@]", "", f"{given(rng)}.{family(rng)}@{house_word(rng)}.example".lower())


def site(rng: Random) -> str:
    return re.sub(r"[^a-z./:]", "", f"{rng.choice(['www.', 'https://', 'portal.'])}{house_word(rng)}.example/{syllables(rng)}".lower())


FILLERS: dict[str, tuple[str, Callable[[Random], str]]] = {
    "n": ("name", person), "n.f": ("name", family), "n.g": ("name", given), "n.i": ("name", initials),
    "s": ("staff", lambda rng: initials(rng) if rng.random() < 0.1 else person(rng)), "s.i": ("staff", initials), "s.g": ("staff", given),
    "s.f": ("staff", lambda rng: rng.choice((family, family, family, family, person, given))(rng)),
    "h": ("hospital", hospital), "w": ("hospital", ward), "c": ("hospital", company), "p": ("place", town), "p.a": ("place", address),
    "d": ("date", day), "d.y": ("date", lambda rng: str(rng.randint(1955, 2024))), "d.w": ("date", lambda rng: rng.choice(DAYS)),
    "d.m": ("date", lambda rng: rng.choice((rng.choice(MONTHS), f"{rng.choice(MONTHS)} {rng.randint(1990, 2024)}"))), "t": ("time", clock),
    "a": ("age", lambda rng: str(rng.randint(90, 104))), "em": ("email", email), "u": ("url", site),
    **{name: ("phone" if name == "ph" else "id", lambda rng, of=shapes: shaped(rng, *of)) for name, shapes in NUMBERS.items()},
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
    value = rng.choice((f"{rng.randint(1, 99)}", f"{rng.randint(1, 99)}", f"{rng.randint(0, 30)}.{rng.randint(0, 9)}", f"{rng.randint(100, 990)}"))
    unit = rng.choice(("mm", "cm", "mL", "ml", "mg", "kg", "%", "HU", "mGy", "kVp", "mAs", "degrees", "cc", "L", "mmHg", "bpm", "French", "F", "units", "mcg", "g", "T", "MHz", "years", "days", "weeks"))
    return f"{value}{rng.choice([' ', ' ', ''])}{unit}"


PLAIN: dict[str, Callable[[Random], str]] = {
    "#": lambda rng: str(rng.randint(1, 9)), "no": lambda rng: str(rng.randint(10, 88)), "v": common_word,
    "v.c": lambda rng: common_word(rng).capitalize(), "z": level, "m": measure,
}  # fmt: skip
"""Gaps whose words identify nobody."""
