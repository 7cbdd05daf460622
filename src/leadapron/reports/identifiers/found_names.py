"""Names that were found somewhere in a patient's reports, found in all of them: Long is a nurse on every page."""

from __future__ import annotations

from collections.abc import Sequence

from leadapron.reports.identifiers.categories import Span
from leadapron.reports.identifiers.lexicon import lexicon, plain
from leadapron.reports.identifiers.tokens import Tokens, sentence_start

SHORTEST = 4
"""Letters of a name that is looked for again."""
PEOPLE = ("name", "staff")


def find_again(reports: Sequence[Tokens], found: Sequence[Sequence[Span]]) -> list[list[Span]]:
    """Words of names that are words of the language, too, where they have their capital in the middle of a sentence.

    All other words of names are found wherever they stand.
    """
    known: dict[str, str] = {}
    for tokens, spans in zip(reports, found, strict=True):
        for span in spans:
            if span.category in PEOPLE:
                known |= dict.fromkeys(_words(tokens, span), span.category)
    return [list(_again(tokens, known)) if known else [] for tokens in reports]


def _words(tokens: Tokens, span: Span) -> list[str]:
    """The words of a name that may be taken for ordinary ones elsewhere."""
    place = tokens.place_of.get(span.start)
    found: list[str] = []
    while place is not None and place < len(tokens.words) and tokens.starts[place] < span.end:
        if tokens.row[place] in "AWC" and _may_be_name(tokens.words[place]):
            found.append(plain(tokens.words[place]))
        place += 1
    return found


def _again(tokens: Tokens, known: dict[str, str]) -> list[Span]:
    row = tokens.row
    return [
        Span(tokens.starts[at], tokens.end(at), known[plain(word)], "found elsewhere")
        for at, word in enumerate(tokens.words)
        if row[at] in "AWC" and plain(word) in known and _may_be_name(word) and not sentence_start(row, at)
    ]


def _may_be_name(word: str) -> bool:
    """A capitalised word that is not plainly medicine."""
    bare = plain(word)
    return len(bare) >= SHORTEST and word.istitle() and (bare not in lexicon().own or bare in lexicon().names)
