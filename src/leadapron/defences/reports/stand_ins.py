"""Stand-ins: what is written instead of an identifier, the same for the same one in all reports of a patient.

Everything is computed from the key, the patient and the identifier, so no table from one to the other is kept anywhere.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable
from datetime import date
from itertools import count

from leadapron.defences.reports.date_shift import cased, shift_date
from leadapron.defences.reports.key_file import days_moved, drawn
from leadapron.defences.reports.name_pools import pool_of, same_names
from leadapron.defences.reports.time_shift import shift_time
from leadapron.reports.identifiers.calendar_words import ONES
from leadapron.reports.identifiers.field_labels import labels
from leadapron.reports.identifiers.lexicon import FUNCTION, lexicon, plain, words_of
from leadapron.reports.identifiers.place_rules import STATES, STREET

WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+(?:['’](?:[^\W_][\u0300-\u036f]*)+)*")
MINUTES = tuple(range(37, 700, 7))
ENDINGS = ("ton", "field", "ville", "bury", "ford", "wood", "dale", "haven")
PARTICLES = words_of("people.toml", "particles")
ADDRESSES = frozenset({"dr", "mr", "mrs", "ms", "prof", "md", "rn", "np", "phd", "jr", "sr", "ii", "iii", "iv"})
"""Titles and endings that may be found as a part of the name."""
KINDS = words_of("rules.toml", "heads") | words_of("rules.toml", "generic") | {"st", "saint"}
"""What an institution is; the rest of its name says which one."""
STATE_CODES = tuple(STATES.split("|"))
SPOKEN = frozenset(ONES[:10]) | {"oh", "double"}
SEVERAL = re.compile(r"(\s+[/|]\s+|[,;]\s+)")
LABELLED_DATE = re.compile(r"([A-Za-z]+)([\s:.]+)(\d{1,2}([/.-])\d{1,2}\4(?:\d{4}|\d{2})|\d{4}([/-])\d{1,2}\5\d{1,2})")
"""A date that was taken for a code together with the label before it: DOB 3/2/1931."""
NO_INITIALS = frozenset({"ng"})
"""A name without a vowel."""
GONE = "\0"
ATTEMPTS = 50
SHORT = 3
"""Letters of initials at most."""
VOWELS = frozenset("aeiouy")
LEAST = 5
"""Letters or digits of a number that may stand beside another one."""
CHUNK = 30
"""Letters or digits that one drawn number of 256 bits is good for."""


class StandIns:
    """The stand-ins of one patient. ``names`` are all words of names in the reports, each with its category."""

    def __init__(self, key: bytes, patient: str, names: Iterable[tuple[str, str]] = ()) -> None:
        self.key, self.patient = key, patient
        names = list(names)
        self.initials = initials_among(word for _, word in names)
        named = Counter((category, plain(word)) for category, word in names)
        counted: Counter[str] = Counter()
        for (_, word), often in named.items():
            counted[word] += often
        self.same, self.used = same_names(counted), frozenset(counted)
        self.begins: dict[tuple[str, str], str] = {}
        for category, word in sorted(named, key=lambda one: (-named[one], one)):
            if word not in self.initials:
                self.begins.setdefault((category, word[0]), word)
        self.days = days_moved(key, patient)
        self.minutes = MINUTES[self._draw("minutes") % len(MINUTES)]

    def of(self, category: str, text: str, *, initials: bool = False, near: date | None = None) -> str:
        """What to write instead of an identifier of this category.

        ``initials`` says that all letters are initials; ``near`` is a date in the same report, for those without a
        year.
        """
        match category:
            case "name" | "staff" if initials or plain(text) in self.initials:
                return "".join(self._letter(category, one) if one.isalpha() else one for one in text)
            case "name" | "staff":
                return self._person(category, text)
            case "date":
                return shift_date(text, self.days, near) or self._shaped(text)
            case "time":
                return shift_time(text, self.minutes)
            case "age":
                return "90"
            case "hospital" | "place" if self._is_person(text):
                return self._person("name", text)
            case "hospital" | "place":
                return self._somewhere(text, street=category == "place")
            case "email":
                return f"{self._name(f'local {plain(text)}').lower()}@example.org"
            case "url":
                return f"www.example.org/{self._draw('url', plain(text)) % 10**6:06d}"
            case "ip":
                return f"192.0.2.{self._draw('ip', text) % 254 + 1}"
            case "demographic":
                return "[DEMOGRAPHIC]"
        return self._code(text)

    def _draw(self, *said: str) -> int:
        return drawn(self.key, self.patient, *said)

    def _person(self, category: str, text: str) -> str:
        """Word by word. Particles go: in a stand-in they would not fit, and some are rare."""
        several = len(WORD.findall(text)) > 1

        def other(found: re.Match[str]) -> str:
            word, bare = found.group(), plain(found.group())
            if len(bare) == 1:
                return self._letter(category, word)
            if several and bare in ADDRESSES:
                return word
            if bare in PARTICLES and word.islower():
                return GONE
            return self._shaped(word) if word.isdigit() else cased(word, self._name(bare))

        new = re.sub(rf"{GONE}[-'’ \t]*", "", WORD.sub(other, text)).strip()
        return new or self._letter(category, "x")

    def _name(self, bare: str) -> str:
        """Another name, with another initial; not one that somebody in the patient's reports has."""
        bare = self.same.get(bare, bare)
        pool = pool_of(bare)
        drawn_names = (pool[self._draw("name", bare, str(attempt)) % len(pool)] for attempt in range(ATTEMPTS))
        fit = (one for one in drawn_names if plain(one)[0] != bare[0] and plain(one) not in self.used)
        return next(fit, pool[0])

    def _letter(self, category: str, letter: str) -> str:
        """The initial of the stand-in of the name that begins with this letter, if there is one, or another letter."""
        bare = plain(letter)[:1]
        places = ((one, bare) for one in (category, "name", "staff"))
        whose = next((self.begins[place] for place in places if place in self.begins), None)
        others = string.ascii_uppercase.replace(bare.upper(), "")
        new = self._name(whose)[0] if whose else others[self._draw("initial", bare) % len(others)]
        return new.upper() if letter.isupper() else new.lower()

    def _is_person(self, text: str) -> bool:
        """Whether it is a name that somebody in the reports has, and no institution or street is called so."""
        words = {plain(word) for word in WORD.findall(text)}
        somewhere = any(word in KINDS or re.fullmatch(STREET, word) or lexicon().is_clinical(word) for word in words)
        return not somewhere and not any(map(str.isdigit, text)) and not words.isdisjoint(self.used)

    def _code(self, text: str) -> str:
        """Each of several numbers by itself, so that it is the same where it stands alone; a date in it moves."""
        parts = SEVERAL.split(text)
        if len(parts) > 1 and all(sum(map(str.isalnum, part)) >= LEAST for part in parts[::2]):
            return "".join(part if at % 2 else self._code(part) for at, part in enumerate(parts))
        dated = LABELLED_DATE.fullmatch(text)
        if dated is not None and dated[1].lower() in labels() and (moved := shift_date(dated[3], self.days)):
            return f"{dated[1]}{dated[2]}{moved}"
        return self._shaped(text)

    def _shaped(self, text: str) -> str:
        """Other digits and letters in the same places; spaces and signs that are only writing do not matter."""
        words = re.findall(r"[^\W_]+", text)
        if len(words) > 1 and all(word.lower() in SPOKEN for word in words):
            return re.sub(r"[^\W_]+", lambda one: self._digit_word(one.start(), text), text)
        bare = "".join(words).upper()
        for attempt in count():
            signs = iter(self._signs(bare, attempt))
            new = "".join(_like(one, next(signs, 0)) if one.isalnum() else one for one in text)
            if new.upper() != text.upper() or not bare:
                break
        return new

    def _signs(self, bare: str, attempt: int) -> Iterable[int]:
        """A number for every letter or digit."""
        for at in range(0, len(bare), CHUNK):
            number = self._draw("code", bare, str(attempt), str(at))
            for _ in range(CHUNK):
                number, sign = divmod(number, 26 * 10)
                yield sign

    def _digit_word(self, at: int, text: str) -> str:
        return ONES[self._draw("digit", plain(text), str(at)) % 10]

    def _somewhere(self, text: str, *, street: bool) -> str:
        """The kind of institution or street stays; every word of its name and every number changes."""

        def other(found: re.Match[str]) -> str:
            word, bare = found.group(), plain(found.group())
            if street and found.start() and word in STATE_CODES:
                return self._state(word)
            if any(one.isdigit() for one in word) or len(bare) == 1:
                return self._shaped(word)
            kind = bool(found.start()) and re.fullmatch(STREET, bare) is not None if street else bare in KINDS
            return word if kind or (word.islower() and bare in FUNCTION) else self._place(word)

        new = WORD.sub(other, text)
        return new if new != text else WORD.sub(lambda found: self._place(found.group()), text, count=1)

    def _place(self, word: str) -> str:
        bare = plain(word)
        return cased(word, self._name(f"place {bare}").lower() + ENDINGS[self._draw("ending", bare) % len(ENDINGS)])

    def _state(self, state: str) -> str:
        others = [one for one in STATE_CODES if one != state]
        return others[self._draw("state", state) % len(others)]


def initials_among(words: Iterable[str]) -> frozenset[str]:
    """Two or three letters, in one case, that no vowel makes a name; or capitals that each begin another name.

    >>> sorted(initials_among(["Amara", "Okafor", "AOO", "kjt", "Lee", "NG"]))
    ['aoo', 'kjt']
    """
    words = set(words)
    begin = {plain(word)[0] for word in words if len(word) > SHORT}
    short = {word for word in words if 1 < len(word) <= SHORT and (word.isupper() or word.islower())}
    return frozenset(
        plain(word)
        for word in short
        if plain(word) not in lexicon().names | NO_INITIALS
        and (not set(plain(word)) & VOWELS or (word.isupper() and begin.issuperset(plain(word))))
    )


def _like(one: str, sign: int) -> str:
    if one.isdigit():
        return str(sign % 10)
    return string.ascii_uppercase[sign % 26] if one.isupper() else string.ascii_lowercase[sign % 26]
