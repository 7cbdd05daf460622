"""Names for stand-ins, and which words of names are one name with a slip of the finger."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache

from leadapron.engine.extras import need
from leadapron.reports.identifiers.lexicon import PURPOSE, lexicon, plain
from leadapron.reports.identifiers.name_lists import FAMILIES, MEN, WOMEN, name_lists
from leadapron.reports.identifiers.typos import one_edit_apart, shortened

LEAST = 5
"""Letters of a word of which a misspelling is taken for the same name."""


def same_names(counted: Counter[str]) -> dict[str, str]:
    """Misspellings, each with the more frequent name that it is one letter from.

    >>> same_names(Counter({"okafor": 3, "okafro": 1, "adams": 1}))
    {'okafro': 'okafor'}
    """
    found: dict[str, str] = {}
    seen: dict[str, list[str]] = {}
    for word in sorted(counted, key=lambda one: (-counted[one], one)):
        if len(word) < LEAST:
            continue
        near = (one for short in shortened(word) for one in seen.get(short, ()) if one_edit_apart(word, one))
        best = min(near, key=lambda one: (-counted[one], one), default=None)
        if best is not None:
            found[word] = found.get(best, best)
        for short in shortened(word):
            seen.setdefault(short, []).append(word)
    return found


def pool_of(bare: str) -> tuple[str, ...]:
    """The names that may stand for a name: women's for a woman's, men's for a man's, surnames for all others.

    Of a name that several kinds have, the kind that most languages know it as; one that is a surname far more often
    is a surname.
    """
    women, men, families = (often[bare] for often in _known())
    if women == men or 2 * (women + men) <= families:
        return _pools()["family"]
    return _pools()["female" if women > men else "male"]


@cache
def _pools() -> dict[str, tuple[str, ...]]:
    """None of them is a word that a report may have, or a reader would stumble."""
    person = need("faker.providers.person.en_US", PURPOSE, "deid").Provider

    def fit(names: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted({one for one in names if one.isalpha() and not _is_word(one.lower())}))

    return {
        "female": fit(person.first_names_female),
        "male": fit(person.first_names_male),
        "family": fit(person.last_names),
    }


def _is_word(word: str) -> bool:
    words = lexicon()
    return words.is_clinical(word) or words.is_english(word) or word in words.eponyms


@cache
def _known() -> tuple[Counter[str], Counter[str], Counter[str]]:
    """In how many languages a name is a woman's, a man's and a family's."""
    women, men, families = Counter[str](), Counter[str](), Counter[str]()
    for lists in name_lists(PURPOSE):
        for kind, often in ((WOMEN, women), (MEN, men), (FAMILIES, families)):
            often.update({plain(name) for name in lists[kind]})
    return women, men, families
