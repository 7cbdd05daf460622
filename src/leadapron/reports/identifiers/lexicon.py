"""What a word is: clinical, English, a name, a part of an eponym, or unknown. A report's words are a small world.

Names cannot all be listed, but nearly all words of radiology can. So a word that no dictionary has, that is not built
like a medical one and is no misspelling of one is taken for a name. Words that are both are left to their context.
"""

from __future__ import annotations

import html
import itertools
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

from leadapron.engine.extras import need
from leadapron.errors import MissingExtraError
from leadapron.reports.identifiers.name_lists import name_lists
from leadapron.reports.identifiers.typos import shortened

PURPOSE = "finding identifiers in reports"


def words_of(file: str, key: str) -> frozenset[str]:
    """One list of words from a file beside this package."""
    return frozenset(_lists(file)[key].split())


def phrases_of(file: str, key: str) -> tuple[str, ...]:
    """A list of phrases from such a file."""
    return tuple(phrase.strip() for phrase in _lists(file)[key].split("|"))


def pairs_of(file: str, key: str) -> tuple[tuple[str, str], ...]:
    """A list of pairs, each written as one=other."""
    return tuple((one, other) for one, _, other in (pair.partition("=") for pair in _lists(file)[key].split()))


@cache
def _lists(file: str) -> dict[str, str]:
    text = resources.files("leadapron.reports").joinpath("words", file).read_text("utf-8")
    found: dict[str, str] = tomllib.loads(text)
    return found


FUNCTION = words_of("rules.toml", "function")
PREFIXES = tuple(sorted(words_of("rules.toml", "prefixes")))
STRONG_ENDINGS = tuple(sorted(words_of("rules.toml", "endings")))
INFLECTIONS = pairs_of("rules.toml", "inflections")
"""Endings of words, and what stands in their place in the form that a dictionary has."""
MISREAD = pairs_of("rules.toml", "misread")
"""What character recognition writes, and what stood there."""
BRITISH = pairs_of("rules.toml", "british")
OWN = (
    ("clinical.toml", "words"),
    ("clinical.toml", "abbreviations"),
    ("clinical.toml", "more"),
    ("medicine.toml", "words"),
)
SUBSTANCES = ("drugs", "herbs", "scanners", "germs", "scores", "techniques")
THINGS = ("devices", "signs")
TERMS = (*SUBSTANCES, *THINGS, "genes", "trials")
"""The lists of `terms.toml`: words that are clinical, and names of people in terms."""
LONG_TYPO = 9
SHORTEST_TYPO = 6
"""Misspelt clinical words shorter than this look like too many names."""


class Lexicon:
    """Words in lower case and what they are; made once, since its lists take a second to read."""

    def __init__(self) -> None:
        common, written, proper = _dictionaries()
        self.names = _names() | proper
        named = {plain(one) for key in THINGS for one in phrases_of("terms.toml", key) if one.isalpha()}
        substances = {plain(one) for key in SUBSTANCES for one in phrases_of("terms.toml", key) if one.isalpha()}
        self.own = frozenset().union(*(words_of(*listed) for listed in OWN)) | _label_words() | substances
        diagnoses, eponyms = _diagnoses()
        self.clinical = self.own | diagnoses | _labeller_words()
        listed = words_of("clinical.toml", "eponyms") | words_of("medicine.toml", "eponyms") | named
        self.alone = words_of("clinical.toml", "alone") | (listed - self.names - common)
        self.eponyms = listed | self.alone | eponyms
        self.sure_heads = words_of("medicine.toml", "sure_heads")
        self.heads = words_of("clinical.toml", "heads") | self.sure_heads
        self.common, self.written = common, written
        self._typos: dict[str, None] | None = None

    def is_clinical(self, word: str) -> bool:
        return word in self.clinical or any(stem in self.clinical for stem in stems(word))

    def is_english(self, word: str) -> bool:
        """In everyday use; not a name that a list of frequent words happens to have."""
        return self._is_common(word) and (word not in self.names or any(stem in self.written for stem in stems(word)))

    def _is_common(self, word: str) -> bool:
        return word in self.common or any(
            british in word and word.replace(british, american) in self.common for british, american in BRITISH
        )

    def is_settled(self, word: str) -> bool:
        """In a dictionary, and not only in a list of frequent words, which has towns and surnames among them."""
        return any(stem in self.written for stem in stems(word)) or any(british in word for british, _ in BRITISH)

    def is_written(self, word: str) -> bool:
        """In a large dictionary, perhaps a rare word."""
        return any(stem in self.written for stem in stems(word))

    def looks_medical(self, word: str) -> bool:
        """By an ending that only medicine has, a beginning before a clinical word, or a slip in a long one."""
        if len(word) > 6 and word.endswith(STRONG_ENDINGS):
            return True
        if any(self.is_clinical(rest) for rest in _rests(word)):
            return True
        return len(word) >= LONG_TYPO and self.is_typo(word)

    def may_be_medical(self, word: str) -> bool:
        """A beginning before any word, or a slip in a short one: so are some names."""
        return any(self.is_english(rest) for rest in _rests(word)) or self.is_typo(word)

    def is_compound(self, word: str) -> bool:
        """Two known words run together, as dictation writes them: leftlower, inthe."""
        return any(
            (self.is_english(word[:at]) or word[:at] in FUNCTION)
            and (self.is_clinical(word[at:]) or self.is_english(word[at:]))
            for at in range(3, len(word) - 3)
        )

    def is_misread(self, word: str) -> bool:
        """An ordinary word in which character recognition took a letter for another: wlth, dlagnosed, norrnal."""
        return any(
            wrong in word
            and any(
                one in FUNCTION or self.is_clinical(one) or (self.is_english(one) and self.is_settled(one))
                for one in _replaced(word, wrong, right)
            )
            for wrong, right in MISREAD
        )

    def is_typo(self, word: str) -> bool:
        """One letter from a clinical word: left out, put in, taken for another, or two exchanged."""
        if len(word) < SHORTEST_TYPO:
            return False
        if self._typos is None:
            long = (one for one in self.clinical if len(one) >= SHORTEST_TYPO)
            self._typos = dict.fromkeys(itertools.chain.from_iterable(shortened(one) for one in long))
        return any(one in self._typos for one in shortened(word))


@cache
def lexicon() -> Lexicon:
    return Lexicon()


def stems(word: str) -> Iterator[str]:
    for ending, stead in INFLECTIONS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            yield word[: len(word) - len(ending)] + stead


def plain(word: str) -> str:
    """In lower case, without accents."""
    if word.isascii():
        return word.lower()
    bare = "".join(one for one in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(one))
    return bare.translate(_UNFOLDED)


_UNFOLDED = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ß": "ss", "æ": "ae", "œ": "oe", "ı": "i", "’": "'"}
)


def _rests(word: str) -> Iterator[str]:
    """What is left of a word behind each medical beginning that it has."""
    for prefix in PREFIXES:
        if word.startswith(prefix) and len(word) - len(prefix) > 3:
            yield word[len(prefix) :]


def _replaced(word: str, wrong: str, right: str) -> Iterator[str]:
    """The word with every such letter replaced, and with each of them alone."""
    yield word.replace(wrong, right)
    at = word.find(wrong)
    while at >= 0:
        yield word[:at] + right + word[at + len(wrong) :]
        at = word.find(wrong, at + 1)


def _dictionaries() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Words in common use with names among them; all written words; and names, of people and places."""
    package = resources.files(need("symspellpy", PURPOSE, "deid"))
    listed = package.joinpath("frequency_dictionary_en_82_765.txt").read_text("utf-8-sig")
    large = need("english_words", PURPOSE, "deid").get_english_words_set(["web2"])
    common = frozenset(line.split(" ", 1)[0] for line in listed.splitlines())
    return (
        common,
        frozenset(one for one in large if one.islower()),
        frozenset(one.lower() for one in large if one.istitle()),
    )


def _diagnoses() -> tuple[frozenset[str], frozenset[str]]:
    """Words of ICD-10-CM, which the United States publish, and the names in it: capitalised within a description."""
    package = find_spec("simple_icd_10_cm")  # not imported: that would build a tree of all codes
    if package is None or package.origin is None:
        raise MissingExtraError("simple-icd-10-cm", "deid", purpose=PURPOSE)
    files = sorted(Path(package.origin).parent.glob("data/*.xml"))
    told = " ".join(
        html.unescape(one) for file in files for one in re.findall(r"<(?:desc|note)>([^<]+)</", file.read_text("utf-8"))
    )
    named = (plain(one) for one in re.findall(r"(?<=[a-z,] )[A-Z][a-zé]{3,}", told))
    words = frozenset(re.findall(r"\b[a-z]{3,}\b", told))
    return words, frozenset(named) - words


def _labeller_words() -> frozenset[str]:
    """All words of the lists by which findings are read: what a label hangs on must stay."""
    files = ("mentions.toml", "statements.toml", "cues.toml")
    folder = resources.files("leadapron.reports").joinpath("words")
    told = " ".join(folder.joinpath(name).read_text("utf-8") for name in files)
    return frozenset(re.findall(r"[a-z]{4,}", told.lower()))


def _label_words() -> frozenset[str]:
    """The words of field labels, which are no names themselves."""
    text = resources.files("leadapron.reports").joinpath("words", "labels.toml").read_text("utf-8")
    return frozenset(re.findall(r"[a-z]{2,}", text))


def _names() -> frozenset[str]:
    """Given names and surnames of every language that faker writes in Latin letters, without accents."""
    listed = itertools.chain.from_iterable(names for lists in name_lists(PURPOSE) for names in lists.values())
    parts = (part for name in listed for part in re.split(r"[^\w'’]+", plain(name)))
    return frozenset(part for part in parts if len(part) > 1 and part.isascii())
