"""The words of the labeller: data files read once into a tree of phrases."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files
from itertools import product
from typing import Any

SPELLINGS = (
    ("’", "'"),
    ("can't", "cannot"),
    ("n't", " not"),
    ("oedema", "edema"),
    ("haem", "hem"),
    ("visualis", "visualiz"),
    ("tumour", "tumor"),
    ("favour", "favor"),
)
SHORTEST_MISSPELT, LONGEST_MISSPELT = 8, 24
"""Letters: a shorter word is too like others to be guessed at, and a longer one is none."""
LIKENESS = 0.9
"""Of a misspelt word to the one that is meant: one letter wrong, missing or swapped in ten."""
_TOKEN = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?|,")


@dataclass
class Entry:
    """What a phrase can be: the name of findings, a part of the body, properties of one, a cue."""

    findings: tuple[str, ...] = ()
    part: str = ""
    properties: frozenset[str] = frozenset()
    cues: frozenset[str] = frozenset()


@dataclass
class Node:
    """A word on the way through the phrases: which words may follow, and what the phrase is if it ends here."""

    after: dict[str, Node] = field(default_factory=dict)
    entry: Entry | None = None


@dataclass(frozen=True)
class Vocabulary:
    """All phrases, the words in them, and what is said of the parts of the body."""

    phrases: Node
    openers: frozenset[str]
    positive: Mapping[tuple[str, str], tuple[str, ...]]
    uncertain: Mapping[tuple[str, str], tuple[str, ...]]
    negative: Mapping[str, tuple[str, ...]]
    long_words: Mapping[str, tuple[str, ...]]
    """By first letter, those that a misspelt word may be meant to be."""


def split_words(text: str) -> list[str]:
    """Words and commas of a stretch of lower-case text, each in the one form that the phrases are in."""
    for theirs, ours in SPELLINGS:
        text = text.replace(theirs, ours)
    return [base_form(word) for word in _TOKEN.findall(text)]


@lru_cache(maxsize=1 << 16)
def base_form(word: str) -> str:
    """Without its plural. What this does to other words does no harm: phrases go through it as well."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


@lru_cache(maxsize=1 << 16)
def mend(word: str) -> str:
    """The word that a misspelt one is meant to be, or the word itself."""
    meant = vocabulary().long_words.get(word[:1], ())
    if not SHORTEST_MISSPELT <= len(word) <= LONGEST_MISSPELT or word in meant:
        return word
    return next(iter(get_close_matches(word, meant, n=1, cutoff=LIKENESS)), word)


@cache
def vocabulary() -> Vocabulary:
    """The data files, read when they are first needed."""
    mentions, statements, cues = (_read(name) for name in ("mentions", "statements", "cues"))
    openers = frozenset(base_form(word) for word in cues.pop("openers"))
    root, seen = Node(), set[str]()

    def learn(phrases: Iterable[str]) -> Iterator[Entry]:
        for phrase in phrases:
            for words in product(*([base_form(one) for one in word.split("|")] for word in phrase.split())):
                node = root
                for word in words:
                    node = node.after.setdefault(word, Node())
                seen.update(words)
                node.entry = node.entry or Entry()
                yield node.entry

    for names, phrases in mentions.items():
        for entry in learn(phrases):
            entry.findings = tuple(names.split(" + ")) if names else ()
    for part, phrases in statements["parts"].items():
        for entry in learn(phrases):
            entry.part = part
    for name, phrases in statements["properties"].items():
        for entry in learn(phrases):
            entry.properties |= {name}
    for cue, phrases in cues.items():
        for entry in learn(phrases):
            entry.cues |= {cue}
    by_letter: dict[str, list[str]] = {}
    for word in sorted(seen):
        if len(word) >= SHORTEST_MISSPELT:
            by_letter.setdefault(word[0], []).append(word)
    pairs = {
        status: {tuple(key.split()): tuple(says) for key, says in statements[status].items()}
        for status in ("positive", "uncertain")
    }
    return Vocabulary(
        phrases=root,
        openers=openers,
        positive=pairs["positive"],
        uncertain=pairs["uncertain"],
        negative={part: tuple(says) for part, says in statements["negative"].items()},
        long_words={letter: tuple(words) for letter, words in by_letter.items()},
    )


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((files("leadapron.reports") / "words" / f"{name}.toml").read_text(encoding="utf-8"))
