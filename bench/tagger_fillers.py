"""Invented words for the gaps of `tagger_sentences.txt`: names of every kind, houses, places.

A name may be any word: what a tagger learns from these must be the sentence around a name, not the name.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect
from collections.abc import Callable
from functools import cache
from importlib import resources
from itertools import accumulate
from pathlib import Path
from random import Random

from tagger_formats import DAYS, MONTHS, NUMBERS, age, clock, day, level, measure, number

from leadapron.reports.identifiers.lexicon import lexicon, phrases_of

WORDS = tomllib.loads(Path(__file__).with_name("tagger_words.toml").read_text("utf-8"))


@cache
def words(key: str) -> list[str]:
    """A list of `tagger_words.toml`, or of the terms that the package knows."""
    return [one.strip() for one in WORDS[key].split("|")] if key in WORDS else list(phrases_of("terms.toml", key))


FIRST_HALF = words("first_half")
SECOND_HALF = words("second_half")
KINDS = words("kinds")
VIRTUES = words("virtues")
FIRMS = words("firms")
STREETS = words("streets")
STATES = words("states")
COUNTRIES = words("countries")
CODAS = words("codas")
ONSETS = words("onsets")
VOWELS = words("vowels")


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
    known = lexicon()
    return sorted(one for one in known.written & known.common if 2 < len(one) < 9 and one not in known.own)


@cache
def _frequent() -> tuple[list[str], list[float]]:
    import symspellpy

    listed = resources.files(symspellpy).joinpath("frequency_dictionary_en_82_765.txt").read_text("utf-8-sig")
    counts = [line.split() for line in listed.splitlines()]
    known = lexicon()
    found = [(one, float(count)) for one, count in counts if len(one) > 2 and known.is_settled(one)]
    return [one for one, _ in found], list(accumulate(count**0.5 for _, count in found))


def common_word(rng: Random) -> str:
    """A word of the language, frequent ones more often."""
    known, sums = _frequent()
    return known[bisect(sums, rng.random() * sums[-1])]


@cache
def named_words() -> list[str]:
    """Words that are names of people, too: Long, Price, Rose."""
    known = lexicon()
    return sorted(one for one in known.names & known.common & known.written if 2 < len(one) < 10)


@cache
def eponyms() -> list[str]:
    return sorted(one for one in lexicon().eponyms if one.isalpha() and len(one) > 3)


@cache
def heads() -> list[str]:
    return sorted(one for one in lexicon().heads if len(one) > 3)


@cache
def _sure_heads() -> list[str]:
    return sorted(lexicon().sure_heads)


def thing(rng: Random) -> str:
    """What is named after someone: a sign, a valve, a syndrome."""
    if rng.random() < 0.25:  # after someone whom no list knows
        return f"{rng.choice(rng.choice((family_names(), plain_words()))).capitalize()} {rng.choice(_sure_heads())}"
    first, second = rng.choice(eponyms()).capitalize(), rng.choice(eponyms()).capitalize()
    whose = rng.choice((first, first, first, f"{first}'s", f"{first}-{second}"))
    return f"{whose} {rng.choice(heads())}"


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
        name = rng.choice(
            ["van der ", "de ", "de la ", "al-", "bin ", "O'", "Mc", "Mac", "von ", "di ", "El-", "Ó "]
        ) + (rng.choice(family_names()) if rng.random() < 0.5 else syllables(rng))
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
        return (
            rng.choice(("St. ", "St ", "Saint ", "Mount ", "Mt. ", "Our Lady of "))
            + given(rng)
            + rng.choice(("", "'s", "'s", " " + rng.choice(KINDS)))
        )
    if drawn < 0.59:
        return "".join(rng.choice("ABCGHJKLMNRSTUW") for _ in range(rng.choice((3, 3, 4))))
    if drawn < 0.61:
        return f"{rng.choice(words('foreign_kinds'))} {house_word(rng)}"
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
    if drawn < 0.18:
        return rng.choice(COUNTRIES)
    if drawn < 0.25:
        return rng.choice(words("odd_towns"))
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
            street += " " + rng.choice(
                (f"{rng.randint(10000, 99999)}", f"{rng.choice(STATES)} {rng.randint(10000, 99999)}", "AB1 2CD")
            )
    return street


def email(rng: Random) -> str:
    return re.sub(r"[^a-z.@]", "", f"{given(rng)}.{family(rng)}@{house_word(rng)}.example".lower())


def site(rng: Random) -> str:
    return re.sub(
        r"[^a-z./:]",
        "",
        f"{rng.choice(['www.', 'https://', 'portal.'])}{house_word(rng)}.example/{syllables(rng)}".lower(),
    )


FILLERS: dict[str, tuple[str, Callable[[Random], str]]] = {
    "n": ("name", person), "n.f": ("name", family), "n.g": ("name", given), "n.i": ("name", initials),
    "s": ("staff", lambda rng: initials(rng) if rng.random() < 0.1 else person(rng)), "s.i": ("staff", initials), "s.g": ("staff", given),
    "s.f": ("staff", lambda rng: rng.choice((family, family, family, family, person, given))(rng)),
    "h": ("hospital", hospital), "w": ("hospital", ward), "c": ("hospital", company), "p": ("place", town), "p.a": ("place", address),
    "d": ("date", day), "d.y": ("date", lambda rng: str(rng.randint(1955, 2024))), "d.w": ("date", lambda rng: rng.choice(DAYS)),
    "d.m": ("date", lambda rng: rng.choice((rng.choice(MONTHS), f"{rng.choice(MONTHS)} {rng.randint(1990, 2024)}"))), "t": ("time", clock),
    "a": ("age", lambda rng: age(rng, 90, 104)), "em": ("email", email), "u": ("url", site),
    **{name: ("phone" if name == "ph" else "id", lambda rng, of=shapes: number(rng, of)) for name, shapes in NUMBERS.items()},
}  # fmt: skip


PLAIN: dict[str, Callable[[Random], str]] = {
    "#": lambda rng: str(rng.randint(1, 9)), "no": lambda rng: str(rng.randint(10, 88)), "y": lambda rng: age(rng, 1, 89), "v": common_word,
    "v.c": lambda rng: common_word(rng).capitalize(), "e.c": thing, "z": level, "m": measure,
}  # fmt: skip
"""Gaps whose words identify nobody."""
