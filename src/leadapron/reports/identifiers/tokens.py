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
from functools import cached_property
from itertools import accumulate

from leadapron.reports.identifiers.lexicon import words_of
from leadapron.reports.identifiers.memo import Memo
from leadapron.reports.identifiers.token_letters import LETTER_OF, MONTHS, WEEKDAYS, with_terms

TOKEN = re.compile(r"([^\W_]+(?:['’](?!s\b)[^\W_]+)*|\n|[ \t]{3,}|[^\w\s]|_)")
COUNTED = words_of("rules.toml", "counted")
SAID = COUNTED | MONTHS | WEEKDAYS | {f"{day}s" for day in WEEKDAYS} | {"weds"}
AROUND = 40
"""Characters around a number in which the rest of a date, an address or a telephone number may stand."""
MISREAD_DIGITS = re.compile(r"[OoIlSB]{1,4}")
MOSTLY = 0.9
NUMBERED, OPENS = 1, 2
"""Of a token: it is a number or stands in dates; a date or a time may begin with it."""


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
    def small(self) -> list[str]:
        """The words in small letters."""
        return list(map(str.lower, self.words))

    @cached_property
    def lowered(self) -> frozenset[str]:
        return frozenset(self.small)

    @cached_property
    def place_of(self) -> dict[int, int]:
        """The token that begins at a character."""
        return {start: at for at, start in enumerate(self.starts)}

    @cached_property
    def windows(self) -> list[tuple[int, int]]:
        """The parts of the text around numbers, months and the like: dates and codes are looked for only there."""
        found: list[tuple[int, int]] = []
        for at in [at for at, kind in enumerate(self._counting) if kind & NUMBERED]:
            start, end = max(0, self.starts[at] - AROUND), min(len(self.text), self.end(at) + AROUND)
            if found and start <= found[-1][1]:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        return found

    @cached_property
    def _counting(self) -> list[int]:
        return list(map(_COUNTING.__getitem__, self.words))

    @cached_property
    def openers(self) -> list[int]:
        """The characters at which a date, a time or a telephone number may begin."""
        found: list[int] = []
        words, text = self.words, self.text
        for at in [at for at, kind in enumerate(self._counting) if kind & OPENS]:
            start = self.starts[at]
            if at and words[at - 1] in ("the", "The", "THE"):
                found.append(self.starts[at - 1])
            if (start and text[start - 1] in "(+") or text[start - 2 : start] in ("( ", "+ "):
                found.append(self.starts[at - 1])
                if at > 1 and words[at - 2] == "1" and text[start - 1] == "(":
                    found.append(self.starts[at - 2])
            found.append(start)
        return sorted(set(found))

    def begun(self, pattern: re.Pattern[str], hint: re.Pattern[str] | None = None) -> Iterator[re.Match[str]]:
        """Where a pattern that begins with a number, a month or a weekday is found; ``hint`` is one that is quicker and
        matches wherever the pattern does."""
        text, match, done = self.text, pattern.match, 0
        for start in self.openers:
            if (
                start >= done
                and (hint is None or hint.match(text, start) is not None)
                and (found := match(text, start)) is not None
            ):
                done = found.end()
                yield found

    def headed(self, pattern: re.Pattern[str], first: frozenset[str]) -> Iterator[re.Match[str]]:
        """Where a pattern is found that begins with one of some words; in no order."""
        for word in self.lowered & first:
            at = -1
            for _ in range(self.small.count(word)):
                at = self.small.index(word, at + 1)
                if (found := pattern.match(self.text, self.starts[at])) is not None:
                    yield found

    def scan(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Where a pattern that has a number or a month in it is found."""
        for start, end in self.windows:
            yield from pattern.finditer(self.text, start, end)

    def around(self, hint: re.Pattern[str], pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Where a pattern is found near what hints at it, which is quicker to find."""
        done = 0
        for near in hint.finditer(self.text):
            start = max(done, near.start() - AROUND)
            for found in pattern.finditer(self.text, start, near.end() + AROUND):
                done = found.end()
                yield found


def tokenise(text: str) -> Tokens:
    parts = TOKEN.split(text)  # what lies between tokens, and the tokens, in turn
    words, starts = parts[1::2], list(accumulate(map(len, parts)))[:-1:2]
    row = "".join(map(LETTER_OF.__getitem__, words))
    if _shouts(text):
        row = _lowered(words, row)
    return Tokens(text, words, starts, with_terms(words, row))


def sentence_start(row: str, at: int) -> bool:
    """Whether a word stands where any word would have a capital."""
    before = row[:at].rstrip("\"'(*_")
    return not before or before[-1] in ".!?:|;-•" or (before[-1] == ")" and len(before) > 1 and before[-2] in "#i")


def _counting(word: str) -> int:
    """Whether a word is a number or a part of a date, and whether one may begin with it; character recognition makes
    letters of digits."""
    if LETTER_OF[word] in "#ZMD":
        return NUMBERED | OPENS
    opens = word.lower() in SAID or MISREAD_DIGITS.fullmatch(word) is not None
    return NUMBERED * (word.lower() in COUNTED) | OPENS * opens


def _shouts(text: str) -> bool:
    return any(line.isupper() and sum(map(str.isalpha, line)) > 3 for line in text.split("\n"))


def _lowered(words: list[str], row: str) -> str:
    """The row with small letters in lines that are all capitals."""
    lines, at = [], 0
    for part in re.split(r"(\|)", row):
        line = words[at : at + len(part)]
        letters = [word for word in line if len(word) > 1 and word[0].isalpha()]
        shouted = len(letters) > 1 and sum(word.isupper() for word in letters) >= MOSTLY * len(letters)
        lines.append("".join(LETTER_OF[word.lower() if len(word) > 1 else word] for word in line) if shouted else part)
        at += len(part)
    return "".join(lines)


_COUNTING = Memo(_counting)
