"""People who do not exist: a name, a birth date, numbers and an address for good, and one study of theirs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from leadapron.phantoms.planted.planted_vocabulary import VOCABULARIES, Vocabulary

_LETTERS, _DIGITS = "ABCDEFGHJKLMNPRSTUVWXYZ", "0123456789"
_RELATIONS = {"F": ("daughter", "wife", "sister", "mother", "niece"), "M": ("son", "husband", "brother", "nephew")}


@dataclass(frozen=True)
class Name:
    given: str
    middle: str
    family: str

    @property
    def full(self) -> str:
        return " ".join(part for part in (self.given, self.middle, self.family) if part)


@dataclass(frozen=True)
class Relative:
    name: Name
    relation: str
    phone: str


@dataclass(frozen=True)
class Person:
    """What stays the same over all studies of a patient."""

    name: Name
    sex: str
    birth_date: date
    mrn: str
    phone: str
    address: str
    town: tuple[str, str]
    hospital: str
    nickname: str
    relative: Relative


@dataclass(frozen=True)
class Visit:
    """A person at one study. ``earlier`` is the day of the study before, if there is one."""

    person: Person
    day: date
    earlier: date | None
    accession: str

    @property
    def age(self) -> int:
        born = self.person.birth_date
        return self.day.year - born.year - ((self.day.month, self.day.day) < (born.month, born.day))


def draw_person(rng: Random, part: str, *, sex: str, birth_date: date) -> Person:
    words = VOCABULARIES[part]
    name, town, other_sex = draw_name(rng, words, sex), rng.choice(words.towns), rng.choice("FM")
    kin = draw_name(rng, words, other_sex)
    if rng.random() < 0.5:
        kin = Name(kin.given, kin.middle, name.family)
    relation = rng.choice([relation for relation in _RELATIONS[other_sex] if (relation, sex) not in _UNLIKELY])
    return Person(
        name=name,
        sex=sex,
        birth_date=birth_date,
        mrn=number(rng, words, "mrn", birth_date),
        phone=number(rng, words, "phone", birth_date),
        address=draw_address(rng, words, town),
        town=town,
        hospital=rng.choice(words.hospitals),
        nickname=rng.choice(words.nicknames),
        relative=Relative(kin, relation, number(rng, words, "phone", birth_date)),
    )


_UNLIKELY = {("wife", "F"), ("husband", "M")}
"""Rarer than a slip of the pen, which is what a reader would take them for."""


def draw_visit(rng: Random, part: str, person: Person, day: date, earlier: date | None) -> Visit:
    return Visit(person, day, earlier, number(rng, VOCABULARIES[part], "accession", day))


def born(day: date, age: float) -> date:
    """The birth date of somebody who is so old on a day."""
    return day - timedelta(round(age * 365.25))


def draw_name(rng: Random, words: Vocabulary, sex: str) -> Name:
    culture = rng.choice(words.cultures)
    givens = culture.women if sex == "F" else culture.men
    given = rng.choice(givens)
    middle = rng.choice([other for other in givens if other != given]) if rng.random() < 0.4 else ""
    return Name(given, middle, rng.choice(culture.families))


def draw_address(rng: Random, words: Vocabulary, town: tuple[str, str]) -> str:
    street = f"{rng.randint(2, 9800)} {rng.choice(words.streets)}"
    if rng.random() < 0.2:
        street += f", Apt. {rng.randint(1, 40)}{rng.choice('ABC')}"
    place = f"{town[0]}, {town[1]}"
    return f"{street}, {place} {shaped(rng, rng.choice(words.shapes['zip']))}" if rng.random() < 0.8 else street


def number(rng: Random, words: Vocabulary, what: str, day: date) -> str:
    """A number of a kind, in one of the part's shapes."""
    return shaped(
        rng, rng.choice(words.shapes[what]).replace("YYYY", f"{day.year}").replace("YY", f"{day.year % 100:02d}")
    )


def shaped(rng: Random, shape: str) -> str:
    drawn = {"#": _DIGITS, "%": _DIGITS[1:], "@": _LETTERS}
    return "".join(rng.choice(drawn[sign]) if sign in drawn else sign for sign in shape)
