"""A template cut into pieces: plain words, gaps for identifiers, clinical terms that must survive."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from random import Random

TERMS = {
    "e": "eponym", "m": "measurement", "l": "level", "d": "device", "f": "finding", "a": "anatomy", "s": "laterality",
    "g": "age", "w": "word",
}  # fmt: skip
"""What a clinical term is; a "word" is one that is taken for a name, a date or a number with ease."""
_SIGNS = re.compile(r"\{(?P<gap>[a-z.]+)(?:=(?P<given>[^}]+))?\}|\[(?P<kind>[a-z]):(?P<term>[^\]]+)\]")


@dataclass(frozen=True)
class Gap:
    """Where an identifier goes; ``given`` if the template says which."""

    what: str
    given: str | None


@dataclass(frozen=True)
class Piece:
    """Characters of a report. ``identifier`` or ``term`` is their category, if they are one."""

    text: str
    identifier: str | None = None
    term: str | None = None


@cache
def parse(template: str) -> tuple[Gap | Piece, ...]:
    found: list[Gap | Piece] = []
    at = 0
    for sign in _SIGNS.finditer(template):
        if sign.start() > at:
            found.append(Piece(template[at : sign.start()]))
        if sign["gap"]:
            found.append(Gap(sign["gap"], sign["given"]))
        else:
            found.append(Piece(sign["term"], term=TERMS[sign["kind"]]))
        at = sign.end()
    return (*found, Piece(template[at:])) if at < len(template) else tuple(found)


def with_digits(piece: Piece, rng: Random) -> Piece:
    """A term with its open digits drawn."""
    if piece.term is None or "#" not in piece.text:
        return piece
    return Piece(re.sub("#", lambda _: str(rng.randint(2, 9)), piece.text), term=piece.term)
