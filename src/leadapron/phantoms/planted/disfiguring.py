"""What typing, dictating and scanning do to words: letter case, slips, line breaks, digits read as letters."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from random import Random

from leadapron.phantoms.planted.template_pieces import Piece

_MISREAD = {"1": "l", "0": "O", "m": "rn", "5": "S", "8": "B", "l": "1", "O": "0", "rn": "m", ",": "."}
_BREAKABLE = ("name", "staff", "hospital", "place", "date")


def in_case(pieces: list[Piece], rng: Random, upper: float, lower: float) -> list[Piece]:
    """All in capitals, all in small letters, or mostly as it is."""
    drawn = rng.random()
    if drawn < upper:
        return [replace(piece, text=piece.text.upper()) for piece in pieces]
    if drawn < upper + lower:
        return [replace(piece, text=piece.text.lower()) for piece in pieces]
    return [replace(piece, text=_recased(piece, rng)) for piece in pieces]


def _recased(piece: Piece, rng: Random) -> str:
    if piece.identifier not in ("name", "staff"):
        return piece.text
    drawn = rng.random()
    return piece.text.upper() if drawn < 0.08 else piece.text.lower() if drawn < 0.12 else piece.text


def without_accents(pieces: list[Piece]) -> list[Piece]:
    """As a keyboard without them would have it."""
    return [replace(piece, text=_plain(piece.text)) if piece.identifier else piece for piece in pieces]


def _plain(text: str) -> str:
    letters = str.maketrans({"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ı": "i", "Þ": "Th",
                             "þ": "th", "ð": "d", "æ": "ae", "ə": "e", "Ə": "E", "ʻ": "'", "ħ": "h"})  # fmt: skip
    folded = unicodedata.normalize("NFKD", text.translate(letters))
    return "".join(sign for sign in folded if not unicodedata.combining(sign))


def with_slips(pieces: list[Piece], rng: Random, chance: float = 0.05) -> list[Piece]:
    """A letter of a name doubled, dropped, or changed for its neighbour."""
    return [
        replace(piece, text=_slip(piece.text, rng))
        if piece.identifier in ("name", "staff") and len(piece.text) > 5 and rng.random() < chance
        else piece
        for piece in pieces
    ]


def _slip(text: str, rng: Random) -> str:
    places = [at for at in range(1, len(text) - 1) if text[at : at + 2].isalpha()]
    if not places:
        return text
    at = rng.choice(places)
    slips = (text[:at] + text[at] + text[at:], text[:at] + text[at + 1 :],
             text[:at] + text[at + 1] + text[at] + text[at + 2 :])  # fmt: skip
    return rng.choice(slips)


def with_breaks(pieces: list[Piece], rng: Random, chance: float = 0.08) -> list[Piece]:
    """An identifier of several words that goes on in the next line."""
    broken = []
    for piece in pieces:
        spaces = [match.start() for match in re.finditer(" ", piece.text)]
        if piece.identifier in _BREAKABLE and spaces and rng.random() < chance:
            at = rng.choice(spaces)
            piece = replace(piece, text=piece.text[:at] + "\n" + piece.text[at + 1 :])
        broken.append(piece)
    return broken


def scanned(pieces: list[Piece], rng: Random) -> list[Piece]:
    """As a character recogniser reads a poor copy. Clinical terms are spared: they must be recognised afterwards."""
    read = []
    for piece in pieces:
        if piece.identifier and rng.random() < 0.5:
            piece = replace(piece, text=_misread(piece.text, rng))
        elif not piece.identifier and not piece.term and rng.random() < 0.2:
            piece = replace(piece, text=piece.text.replace(":", ";").replace("i", "l", 1))
        read.append(piece)
    return read


def _misread(text: str, rng: Random) -> str:
    spots = [(match.start(), signs) for signs in _MISREAD for match in re.finditer(re.escape(signs), text)]
    gaps = [at for at in range(1, len(text)) if text[at - 1 : at + 1].isalnum()]
    if gaps and (not spots or rng.random() < 0.3):
        at = rng.choice(gaps)
        return text[:at] + " " + text[at:]
    if not spots:
        return text
    at, signs = rng.choice(spots)
    return text[:at] + _MISREAD[signs] + text[at + len(signs) :]
