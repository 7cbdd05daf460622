"""Lists of terms and the tokens that they mean. A list is a text file, one term a line; # starts a comment."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import resources
from pathlib import Path

import numpy as np

from leadapron.defences.images.updp_text_side import Ints, TextSide
from leadapron.errors import DataError
from leadapron.reports.identifiers.lexicon import FUNCTION

BLACKLIST, WHITELIST = "blacklist.txt", "whitelist.txt"


def read_list(file: Path | None, default: str) -> tuple[str, ...]:
    """The terms of a file, in lower case; without one, those of the list that comes with the package."""
    try:
        if file is None:
            text = resources.files("leadapron.defences.images").joinpath("lists", default).read_text("utf-8")
        else:
            text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"the list cannot be read ({type(error).__name__})", where=file) from error
    lines = (line.partition("#")[0].strip().lower() for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in lines if line))


def words_of_terms(terms: Iterable[str]) -> list[str]:
    """The words of terms. In one of several words, such as "date of birth", little words are not what is meant."""
    found: dict[str, None] = {}
    for term in terms:
        words = term.split()
        found.update((word, None) for word in words if len(words) == 1 or word not in FUNCTION)
    return list(found)


def banned_tokens(side: TextSide, terms: Iterable[str], *, pieces: bool = False, numbers: bool = False) -> Ints:
    """Tokens that must not come out: each word of a term that is one token.

    A word that the encoder writes in several pieces can only be banned with its ``pieces``, which other words share.
    """
    spelled = [side.read(word) for word in words_of_terms(terms)]
    found = {token for tokens in spelled for token in tokens if pieces or len(tokens) == 1}
    if numbers:
        found |= {place for place, token in enumerate(side.tokens) if any(c.isdigit() for c in token or "")}
    return np.array(sorted(found), dtype=np.int64)


def wanted_tokens(side: TextSide, terms: Iterable[str]) -> Ints:
    """Tokens of which wanted words are made."""
    found = {token for word in " ".join(terms).split() for token in side.read(word)}
    return np.array(sorted(found), dtype=np.int64)
