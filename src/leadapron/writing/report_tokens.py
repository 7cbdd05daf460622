"""Reports as rows of numbers, a word each, and back again without loss."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

TOKEN = re.compile(r"\s?(?:[^\W\d_]+|\d|[^\w\s]|_)")
"""A word, a digit or a sign, with the space or line break before it."""
PAD, START, END, STRANGE = 0, 1, 2, 3
SPECIAL = 4
MOST = 20_000
"""Words that a vocabulary holds; rarer ones are strange to it."""
_SPACES, _BREAKS = re.compile(r"[^\S\n]+"), re.compile(r"\s*\n\s*")


def pieces_of(report: str) -> list[str]:
    """The words of a report; line breaks are kept, and runs of them are one."""
    return TOKEN.findall(_BREAKS.sub("\n", _SPACES.sub(" ", report.strip())))


@dataclass(frozen=True)
class Vocabulary:
    """The words of training reports, the most frequent first."""

    words: tuple[str, ...]
    places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {word: place for place, word in enumerate(self.words, start=SPECIAL)}
        object.__setattr__(self, "places", places)

    def __len__(self) -> int:
        return SPECIAL + len(self.words)

    @classmethod
    def of(cls, reports: Iterable[str], known: tuple[str, ...] = ()) -> Vocabulary:
        """``known`` words keep their places, and new ones follow."""
        counted = Counter(piece for report in reports for piece in pieces_of(report))
        for word in known:
            counted.pop(word, None)
        order = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
        return cls((*known, *(word for word, _ in order))[:MOST])

    def numbers(self, report: str) -> list[int]:
        return [self.places.get(piece, STRANGE) for piece in pieces_of(report)]

    def text(self, numbers: Sequence[int]) -> str:
        """Up to the end; what is no word is left out."""
        upto = numbers.index(END) if END in numbers else len(numbers)
        return "".join(self.words[number - SPECIAL] for number in numbers[:upto] if number >= SPECIAL).strip()
