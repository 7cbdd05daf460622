"""A report as a row of letters, one a token, that say what the token is: rules about names are read off that row.

    T title    P credential  R relative  V telling verb  p patient   b with, by, to …  f function word  o particle
    U u unknown word   N n name   A a word that is a name, too   W w English word   C k clinical word   E e eponym
    H h institution    M month    D weekday    I i single letter    X short capitals   # digits   Z letters with digits
    | end of a line    _ wide gap     punctuation stands for itself

Capitals stand for capitalised words; in a line that is all capitals they tell nothing, and small letters are used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from leadapron.reports.identifiers.lexicon import FUNCTION, lexicon, plain, words_of

TOKEN = re.compile(r"[^\W_]+(?:['’](?!s\b)[^\W_]+)*|\n|[ \t]{3,}|[^\w\s]|_")
BESIDE = words_of("rules.toml", "beside")
PATIENT = words_of("rules.toml", "patient")
MONTHS = words_of("rules.toml", "months")
WEEKDAYS = words_of("rules.toml", "weekdays")
INSTITUTIONS = words_of("rules.toml", "institutions")
"""Words that names of institutions end in, or have before their end."""
ROMAN = re.compile(r"(?=[IVX]{2})X{0,2}(?:IX|IV|V?I{0,3})[a-c]?")
COUNTED = words_of("rules.toml", "counted")
SAID = COUNTED | MONTHS | WEEKDAYS | {f"{day}s" for day in WEEKDAYS} | {"weds"}
AROUND = 40
"""Characters around a number in which the rest of a date, an address or a telephone number may stand."""
NOT_MISREAD = re.compile(
    r"(?i)(?:f[il]o|sp[o0]|sa[o0]|pa[o0]|fev|fvc|hba|mag|covid|quadr|ttf|nct|bnp|abc|pgy|kvp|mas|cd|il|tnf|hla|p[ao]co)\d{1,3}[a-z]?|[a-z]{3,}\d{2,}|[2-9]\d*[a-z]+|\d+(?:mm|cm|ml|mg|kg|fr|yo|yof|yom|yrs?|th|st|nd|rd|am|pm|hrs?|mins?|cc|mas|kvp?|hu|mgy|mcg|wks?|mos?|days?|years?)|t\d[a-z]*"
)
MISREAD_DIGITS = re.compile(r"[OoIlSB]{1,4}")
ABBREVIATION = 4
"""Unknown words of so many capitals are taken for abbreviations, unless something says that they are a name."""
MOSTLY = 0.9


@dataclass(frozen=True)
class Tokens:
    """The tokens of a report: what they are, where they stand, and the row of letters."""

    text: str
    words: list[str]
    starts: list[int]
    row: str

    def end(self, at: int) -> int:
        return self.starts[at] + len(self.words[at])

    @cached_property
    def lowered(self) -> frozenset[str]:
        return frozenset(word.lower() for word in self.words)

    @cached_property
    def place_of(self) -> dict[int, int]:
        """The token that begins at a character."""
        return {start: at for at, start in enumerate(self.starts)}

    @cached_property
    def windows(self) -> list[tuple[int, int]]:
        """The parts of the text around numbers, months and the like: dates and codes are looked for only there."""
        found: list[tuple[int, int]] = []
        for at, letter in enumerate(self.row):
            if letter in "#ZMD" or self.words[at].lower() in COUNTED:
                start, end = max(0, self.starts[at] - AROUND), min(len(self.text), self.end(at) + AROUND)
                if found and start <= found[-1][1]:
                    found[-1] = (found[-1][0], end)
                else:
                    found.append((start, end))
        return found

    @cached_property
    def openers(self) -> list[int]:
        """The characters at which a date, a time or a telephone number may begin."""
        found: list[int] = []
        row, words, text = self.row, self.words, self.text
        for at, start in enumerate(self.starts):
            if row[at] in "#ZMD" or _counts(words[at]):
                if at and words[at - 1] in ("the", "The", "THE"):
                    found.append(self.starts[at - 1])
                if (start and text[start - 1] in "(+") or text[start - 2 : start] in ("( ", "+ "):
                    found.append(self.starts[at - 1])
                    if at > 1 and words[at - 2] == "1" and text[start - 1] == "(":
                        found.append(self.starts[at - 2])
                found.append(start)
        return sorted(set(found))

    def begun(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Where a pattern that begins with a number, a month or a weekday is found."""
        match, done = pattern.match, 0
        for start in self.openers:
            if start >= done and (found := match(self.text, start)) is not None:
                done = found.end()
                yield found

    def scan(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Where a pattern that has a number or a month in it is found."""
        for start, end in self.windows:
            yield from pattern.finditer(self.text, start, end)


def tokenise(text: str) -> Tokens:
    found = [(match.group(), match.start()) for match in TOKEN.finditer(text)]
    words, starts = [word for word, _ in found], [start for _, start in found]
    row = "".join([code(word) for word in words])
    if _shouts(text):
        row = _lowered(words, row)
    row = _with_eponyms(words, row)
    return Tokens(text, words, starts, row)


def sentence_start(row: str, at: int) -> bool:
    """Whether a word stands where any word would have a capital."""
    before = row[:at].rstrip("\"'(*_")
    return not before or before[-1] in ".!?:|;-•" or (before[-1] == ")" and len(before) > 1 and before[-2] in "#i")


@lru_cache(maxsize=200_000)
def _counts(word: str) -> bool:
    """Whether a word is a number in letters, or what character recognition makes of digits."""
    return word.lower() in SAID or MISREAD_DIGITS.fullmatch(word) is not None


@lru_cache(maxsize=200_000)
def code(word: str) -> str:
    """The letter of a token, wherever it stands."""
    first = word[0]
    if not first.isalnum():
        return _SIGNS.get(first, first)
    if word.isdigit():
        return "#"
    bare = word.replace("'", "").replace("’", "")
    if not bare.isalpha():
        return "U" if is_misread_name(bare) and bare[0].isupper() else "u" if is_misread_name(bare) else "Z"
    if len(bare) == 1:
        return "I" if bare.isupper() else "f" if bare == "a" else "i"
    if ROMAN.fullmatch(word):
        return "k"
    kind = kind_of(plain(word))
    if kind in "TPRVpbfoMD":
        return _marked(word, kind)
    if kind in "un" and word.isupper() and len(word) <= ABBREVIATION:
        return "X"
    if kind in "rcm":  # a rare word, two in one, a slip: with a capital more likely a name
        return "U" if first.isupper() else {"r": "a", "c": "w", "m": "k"}[kind]
    if not first.isupper():
        return kind
    return "C" if kind == "k" else kind.upper()


def is_misread_name(word: str) -> bool:
    """Letters with a digit that character recognition put there, and no word if that is undone."""
    letters = sum(one.isalpha() for one in word)
    if letters < 3 or letters < 0.7 * len(word) or NOT_MISREAD.fullmatch(word):
        return False
    words = lexicon()
    mended = [word.lower().translate(str.maketrans("0158", other)) for other in ("olsb", "oisb")]
    return not any(
        one in FUNCTION or words.is_clinical(one) or words.is_english(one) or one in words.alone for one in mended
    )


def _marked(word: str, kind: str) -> str:
    """Words with a role. A month that is a verb as well has it by its capital or not at all."""
    if kind == "M" and plain(word) in ("may", "mar", "march", "sun", "sat", "wed", "dec", "mon"):
        return "M" if word[0].isupper() else "f" if plain(word) == "may" else "w"
    if kind == "D" and not word[0].isupper() and len(word) <= 4:
        return "w"
    return kind


@lru_cache(maxsize=200_000)
def kind_of(word: str) -> str:
    words = lexicon()
    for kind, listed in _ROLES.items():
        if word in listed:
            return kind
    if word in words.alone:
        return "e"
    if word in words.own:
        return "k"
    named = word in words.names
    if words.is_clinical(word) and not (named and not words.is_english(word)):
        return "k"
    if words.is_english(word):
        return "a" if named else "w" if words.is_settled(word) else "r"
    if named:
        return "n"
    if words.looks_medical(word):
        return "k"
    if words.is_written(word):
        return "r"
    if words.may_be_medical(word):
        return "m"
    if words.is_misread(word):
        return "w"
    return "c" if len(word) > 7 and words.is_compound(word) else "u"


def _with_eponyms(words: list[str], row: str) -> str:
    """The row with E where a name has its head behind it: Hampton hump, Bjork-Shiley valve, St. Jude valve."""
    listed, heads = lexicon().eponyms, lexicon().heads
    for at, word in enumerate(words):
        if _is_eponym(word) and row[at] not in "Ee":
            then = at + 1
            while then < len(words) and (words[then] in "-'’s./" or plain(words[then]) in listed):
                then += 1
            joined = row[at + 1 : at + 2] == "-" and at + 2 < len(words) and plain(words[at + 2]) in listed
            if joined:
                row = f"{row[:at]}E-E{row[at + 3 :]}"
            elif then < len(words) and plain(words[then]) in heads and not row[at + 1 : then].count("."):
                row = row[:at] + "E" + row[at + 1 :]
    return row


@lru_cache(maxsize=200_000)
def _is_eponym(word: str) -> bool:
    return word[0].isalpha() and plain(word).removesuffix("'s") in lexicon().eponyms


def _shouts(text: str) -> bool:
    return any(line.isupper() and sum(map(str.isalpha, line)) > 3 for line in text.split("\n"))


def _lowered(words: list[str], row: str) -> str:
    """The row with small letters in lines that are all capitals."""
    lines, at = [], 0
    for part in re.split(r"(\|)", row):
        line = words[at : at + len(part)]
        letters = [word for word in line if len(word) > 1 and word[0].isalpha()]
        shouted = len(letters) > 1 and sum(word.isupper() for word in letters) >= MOSTLY * len(letters)
        lines.append("".join(code(word.lower()) if len(word) > 1 else code(word) for word in line) if shouted else part)
        at += len(part)
    return "".join(lines)


_SIGNS = {"\n": "|", " ": "_", "\t": "_", "#": "=", "№": "=", "_": "-"}
_ROLES: dict[str, frozenset[str]] = {
    "M": MONTHS,
    "D": WEEKDAYS,
    "T": words_of("people.toml", "titles_staff") | words_of("people.toml", "titles_other"),
    "R": words_of("people.toml", "relatives"),
    "p": PATIENT,
    "b": BESIDE,
    "f": FUNCTION,
    "P": frozenset(one.lower().replace(".", "") for one in words_of("people.toml", "credentials").__iter__())
    - {"pa", "do"},
    "V": words_of("people.toml", "telling"),
    "h": INSTITUTIONS,
    "o": words_of("people.toml", "particles"),
}
