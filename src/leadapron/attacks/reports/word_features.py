"""Words of reports as hashed features: the word, its shape and ends, its neighbours, and where it stands."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint64]

TOKEN = re.compile(r"[^\W_]+|[^\w\s]|_|\n")
WIDTH = 1 << 18
NEIGHBOURS = (-2, -1, 1, 2)
EDGE = "\x02"
"""Stands twice between two reports, so that no word has a neighbour in another one. No report that is read has it."""
ODD = np.uint64(0x9E3779B97F4A7C15)
PLACES_IN_LINE = 6


@dataclass(frozen=True)
class Words:
    """The words of all reports in order, with their characters, and a row of features each."""

    report: Ints
    start: Ints
    end: Ints
    features: sparse.csr_array


def read_words(texts: Sequence[str]) -> Words:
    tokens, report, start, end = [EDGE, EDGE], [-1, -1], [0, 0], [0, 0]
    for at, text in enumerate(texts):
        for match in TOKEN.finditer(text):
            tokens.append(match.group())
            report.append(at)
            start.append(match.start())
            end.append(match.end())
        tokens += [EDGE, EDGE]
        report += [-1, -1]
        start += [0, 0]
        end += [0, 0]
    vocabulary, token = np.unique(np.array(tokens, dtype=object).astype(str), return_inverse=True)
    is_word = np.array([word[:1].isalnum() for word in vocabulary])[token]
    rows = np.flatnonzero(is_word)
    columns = _columns(list(vocabulary), token, rows)
    count = columns.shape[1]
    matrix = sparse.csr_array(
        (np.ones(columns.size), columns.ravel(), np.arange(len(rows) + 1) * count), shape=(len(rows), WIDTH)
    )
    of, first, last = (np.array(column, dtype=np.int64)[rows] for column in (report, start, end))
    return Words(of, first, last, matrix)


def shape_of(word: str) -> str:
    """Aaaa9 for Smith7: upper, lower, digits."""
    return "".join("9" if one.isdigit() else "A" if one.isupper() else "a" if one.islower() else one for one in word)


def _columns(vocabulary: list[str], token: Ints, rows: Ints) -> Ints:
    """By row, the columns in which a word has a one; each kind of feature is hashed with its own name."""
    lower, shape = (_hashed([of(word) for word in vocabulary]) for of in (str.lower, shape_of))
    own = [lower, shape, *(_hashed(values) for values in _endings(vocabulary))]
    found = [_column(hashes[token[rows]], kind) for kind, hashes in enumerate(own)]
    for step in NEIGHBOURS:
        for kind, hashes in (("word", lower), ("shape", shape)):
            found.append(_column(hashes[token[rows + step]], f"{kind}{step}"))
    heading, in_line = _places(vocabulary, token)
    found.append(_column(lower[heading[rows]], "heading"))
    found.append(_column(in_line[rows].astype(np.uint64), "place in line"))
    found.append(_column(np.zeros(len(rows), dtype=np.uint64), "always"))
    return np.stack(found, axis=1)


def _endings(vocabulary: list[str]) -> list[list[str]]:
    short = ["".join(dict.fromkeys(shape_of(word))) for word in vocabulary]
    words = [word.lower() for word in vocabulary]
    cuts = [[word[:size] for word in words] for size in (1, 2, 3)]
    return [vocabulary, short, *cuts, *([word[-size:] for word in words] for size in (1, 2, 3))]


def _places(vocabulary: list[str], token: Ints) -> tuple[Ints, Ints]:
    """The last word before a colon, and how many tokens the line has had so far."""
    colon, line, edge = (np.array([word == sign for word in vocabulary])[token] for sign in (":", "\n", EDGE))
    at = np.arange(len(token))
    headed = np.maximum.accumulate(np.where(colon, at - 1, np.where(edge, at, 0)))
    begun = np.maximum.accumulate(np.where(line | edge, at, 0))
    return token[headed], np.minimum(at - begun, PLACES_IN_LINE)


def _hashed(values: Sequence[str]) -> Hashes:
    return np.array([zlib.crc32(value.encode("utf-8", "replace")) for value in values], dtype=np.uint64)


def _column(hashes: Hashes, kind: object) -> Ints:
    """The hash of a value, mixed with that of its kind."""
    salt = np.uint64(zlib.crc32(str(kind).encode()))
    mixed = (hashes ^ (salt << np.uint64(16))) * ODD
    mixed = (mixed ^ (mixed >> np.uint64(29))) * ODD
    column: Ints = (mixed >> np.uint64(40)).astype(np.int64) % WIDTH
    return column
