"""The words that go into the gaps of a template: who, when, where, which number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import date, timedelta
from random import Random

from leadapron.phantoms.planted.dictated_words import WEEKDAYS, in_words
from leadapron.phantoms.planted.persons import Name, Visit, draw_address, draw_name, number, shaped
from leadapron.phantoms.planted.planted_vocabulary import VOCABULARIES
from leadapron.phantoms.planted.template_pieces import Gap, Piece, parse, with_digits
from leadapron.phantoms.planted.written_dates import DATES, HOLIDAYS, MONTHS_OF_YEARS, YEARLESS, write_time

CATEGORIES = {
    "patient": "name", "nickname": "name", "relative": "name", "staff": "staff", "hospital": "hospital",
    "ward": "hospital", "company": "hospital", "address": "place", "town": "place", "city": "place", "date": "date",
    "prior": "date", "dob": "date", "later": "date", "month": "date", "year": "date", "weekday": "date",
    "holiday": "date", "time": "time", "age": "age", "phone": "phone", "pager": "phone", "fax": "fax",
    "email": "email", "url": "url", "ip": "ip", "ssn": "ssn", "mrn": "mrn", "accession": "accession",
    "account": "account", "plan": "plan", "licence": "licence", "vehicle": "vehicle", "device": "device", "id": "id",
}  # fmt: skip
"""What is in a gap; gaps that are not here hold words that identify nobody."""
OLD = 89
"""Ages above it identify, by the rule that is named Safe Harbor."""


class GapFiller:
    """One report under way: whom it is about, and the choices that were made for it."""

    def __init__(self, visit: Visit, rng: Random, part: str) -> None:
        self.visit, self.rng, self.part, self.words = visit, rng, part, VOCABULARIES[part]
        # one report speaks of one study before, whatever the form of its date
        self.before = visit.earlier or visit.day - timedelta(rng.randint(2, 1500))

    def fill(self, template: str) -> list[Piece]:
        pieces: list[Piece] = []
        for part in parse(template):
            for piece in self._fill_gap(part) if isinstance(part, Gap) else [with_digits(part, self.rng)]:
                if pieces and pieces[-1] == _STOP and piece.text.startswith("."):
                    pieces.pop()  # "J.K." ends its sentence, too
                pieces.append(piece)
        return pieces

    def _fill_gap(self, gap: Gap) -> list[Piece]:
        head, _, tail = gap.what.partition(".")
        if gap.given:
            return [Piece(gap.given, identifier=CATEGORIES[head])]
        if head == "age":
            return self._age(tail)
        if gap.what == "relative.phone":
            return _labelled("phone", self.visit.person.relative.phone)
        if head not in CATEGORIES:
            return [Piece(self._plain_words(head))]
        if head == "time":
            text = write_time(self.part, self.rng)
            unit = " hrs" * text.endswith(" hrs")
            return [*_tight("time", text.removesuffix(unit)), *[Piece(unit)] * bool(unit)]
        return _labelled(CATEGORIES[head], self._words(head, tail))

    def _age(self, tail: str) -> list[Piece]:
        years = self.rng.randint(90, 101) if tail == "old" else self.visit.age
        spelled = self.rng.random() < 0.25 and years < 100 and tail != "figures"
        text = in_words(years) if spelled else str(years)
        return [Piece(text, identifier="age") if years > OLD else Piece(text, term="age")]

    def _plain_words(self, head: str) -> str:
        person = self.visit.person
        woman = person.sex == "F"
        titles = ("Mrs.", "Ms.", "Ms", "Miss") if woman else ("Mr.", "Mr.", "Mr")
        words: dict[str, Callable[[], str]] = {
            "title": lambda: self.rng.choice(titles),
            "man": lambda: "woman" if woman else "man",
            "sex": lambda: person.sex,
            "relation": lambda: person.relative.relation,
        }
        return words[head]()

    def _words(self, head: str, tail: str) -> str:
        person = self.visit.person
        if head in ("patient", "staff", "relative"):
            if head == "patient":
                return self._name(person.name, tail)
            if head == "relative":
                return person.relative.name.full if tail else person.relative.name.given
            return self._name(draw_name(self.rng, self.words, self.rng.choice("FM")), tail)
        if head in ("date", "prior", "dob", "later", "month", "year", "weekday", "holiday"):
            return self._date(head, tail)
        others: dict[str, Callable[[], str]] = {
            "nickname": lambda: person.nickname,
            "hospital": lambda: self._hospital(tail),
            "ward": lambda: self.rng.choice(self.words.wards),
            "company": lambda: self.rng.choice(self.words.companies),
            "address": lambda: self._house_address() if tail else person.address,
            "town": lambda: self.rng.choice(self.words.towns)[0],
            "city": lambda: ", ".join(person.town),
            "email": lambda: self._email(house=bool(tail)),
            "url": self._url,
            "mrn": lambda: self._number("mrn") if tail else person.mrn,
            "accession": lambda: self._number("accession") if tail else self.visit.accession,
            "phone": lambda: self._number("phone") if tail else person.phone,
        }
        return others[head]() if head in others else self._number(head)

    def _number(self, what: str) -> str:
        return number(self.rng, self.words, what, self.visit.day)

    def _name(self, name: Name, form: str) -> str:
        """The name in a form, or in one that comes to mind."""
        middle = f" {name.middle[0]}." if name.middle else ""
        initials = [part[0] for part in (name.given, name.middle, name.family.split()[-1]) if part]
        forms: dict[str, Callable[[], str]] = {
            "full": lambda: name.full,
            "short": lambda: f"{name.given} {name.family}",
            "initial": lambda: f"{name.given}{middle} {name.family}",
            "listed": lambda: f"{name.family}, {name.given}{middle}",
            "family": lambda: name.family,
            "given": lambda: name.given,
            "upper": lambda: self.rng.choice((name.full, f"{name.family}, {name.given}")).upper(),
            "signed": lambda: f"{name.given[0]}.{middle} {name.family}",
            "clipped": lambda: f"{name.given} {name.family[0].upper()}.",
            "passport": lambda: f"{name.family.upper()} {name.given}",
            "underscored": lambda: f"{name.family}_{name.given}".replace(" ", "_"),
            "initials": lambda: (
                "".join(initials).upper() if self.rng.random() < 0.3 else ".".join([*initials, ""]).upper()
            ),
            "typist": lambda: "".join(initials).lower(),
            "cited": lambda: f"{name.family} {name.given[0]}{name.middle[:1]}",
            "login": lambda: _ascii(name.given)[0] + _ascii(name.family),
            "small": lambda: f"{name.given} {name.family}".lower(),
            "spaced": lambda: " ".join(f"{name.given} {name.family}".upper()),
            "other": lambda: draw_name(self.rng, self.words, self.rng.choice("FM")).full,
            "torn": lambda: f"{name.given} {_torn(name.family)}",
        }
        if not form:
            form = self.rng.choice(("full", "short", "short", "initial", "listed"))
        return forms[form]()

    def _date(self, head: str, tail: str) -> str:
        rng, visit, before = self.rng, self.visit, self.before
        if head == "weekday":
            return WEEKDAYS[before.weekday()][: 3 if tail == "short" else None]
        if head == "holiday":
            holiday = rng.choice(HOLIDAYS[self.part])
            return f"{holiday} {before.year}" if rng.random() < 0.4 else holiday
        if head == "year":
            return str(visit.day.year - rng.randint(1, 20))
        if head == "month":
            return rng.choice(MONTHS_OF_YEARS[self.part])(before)
        days = {
            "date": visit.day + timedelta(1 if tail == "next" else 0),
            "prior": before - timedelta(rng.randint(20, 900)) if tail else before,
            "later": visit.day + timedelta(rng.randint(5, 200)),
            "dob": visit.person.birth_date,
        }
        return self._write(days[head], full=head == "dob")

    def _write(self, day: date, *, full: bool) -> str:
        ways = DATES[self.part]
        return ways[self.rng.choice([way for way in ways if not (full and way in YEARLESS)])](day)

    def _hospital(self, tail: str) -> str:
        own = self.visit.person.hospital
        return self.rng.choice([other for other in self.words.hospitals if other != own]) if tail else own

    def _house_address(self) -> str:
        return draw_address(self.rng, self.words, self.rng.choice(self.words.towns))

    def _email(self, *, house: bool) -> str:
        domain = self.rng.choice(self.words.domains)
        if house:
            return f"{self.rng.choice(('frontdesk', 'radiology', 'xray.records'))}@{domain}"
        name = self.visit.person.name
        words = {"given": _ascii(name.given), "family": _ascii(name.family), "initial": _ascii(name.given)[:1]}
        return shaped(self.rng, self.rng.choice(self.words.mailboxes)).format(**words) + "@" + domain

    def _url(self) -> str:
        # shaped first, lest a sign of the domain be taken for one of the shape
        return shaped(self.rng, self.rng.choice(self.words.paths)).format(self.rng.choice(self.words.domains))


_STOP = Piece(".")


def _labelled(category: str, text: str) -> list[Piece]:
    """The characters before ``|`` are a label."""
    label, bar, rest = text.rpartition("|")
    return [*[Piece(label)] * bool(bar), *_tight(category, rest)]


def _tight(category: str, text: str) -> list[Piece]:
    """A stop at the end is not part of what identifies."""
    bare = text.removesuffix(".")
    return [Piece(bare, identifier=category), *[_STOP] * (bare != text)]


def _torn(word: str) -> str:
    """Divided at the end of a line, if it is long enough."""
    half = len(word) // 2
    return f"{word[:half]}-\n{word[half:]}" if len(word) > 5 and word.isalpha() else word


def _ascii(word: str) -> str:
    folded = unicodedata.normalize("NFKD", word.replace("ø", "o").replace("ł", "l").replace("đ", "d"))
    return re.sub("[^a-z]", "", folded.encode("ascii", "ignore").decode().lower()) or "anon"
