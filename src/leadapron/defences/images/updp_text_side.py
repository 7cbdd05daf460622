"""A text side that can be optimised: token vectors in, the cosine with an image and its slope out."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leadapron.encoders.phantom_network import BUCKETS, TEXT_LENGTH, word_groups

Ints = NDArray[np.int64]
Doubles = NDArray[np.float64]
Floats = NDArray[np.float32]

NOTHING = -1
"""Stands in a row of tokens behind the last."""

Objective = Callable[[Doubles], tuple[Doubles, Doubles]]
"""Token vectors (rows x places x width) -> the cosine a row, and its slope, of the shape of the vectors."""


class TextSide(Protocol):
    """The text encoder of a vision-language model, from its tokens on."""

    tokens: Sequence[str]
    """The vocabulary."""
    table: Floats
    """A vector a token."""
    unusable: Ints
    """Tokens that are no words: ends, padding, places that are not in use."""
    longest: int
    """How many tokens of a text it reads."""

    def read(self, text: str) -> list[int]:
        """The tokens of a text, however long."""

    def write(self, tokens: Sequence[int]) -> str:
        """The text of tokens."""

    def objective(self, tokens: Ints, images: Floats) -> Objective:
        """Cosines with these image embeddings (of length one), as token vectors move away from ``tokens``."""


class PhantomTextSide:
    """The phantom clinic's bag of word groups. Its words are those of the texts that it is given.

    Pairs and triples of words have vectors of their own, which no vector of a word can reach: they stay as they are in
    the text that the search starts from. So the start is exact, and so is the slope; what the words of the end are
    worth, pairs and triples included, the encoder says itself. It does not read the ends of sentences; they are tokens
    without a vector, which stay where they are: a generator needs them to tell what a "no" denies.
    """

    longest = TEXT_LENGTH

    def __init__(self, weights: Mapping[str, Floats], texts: Iterable[str]) -> None:
        self.tokens: Sequence[str] = sorted({word for text in texts for word in _words(text)})
        self._places = {word: place for place, word in enumerate(self.tokens)}
        self._bucket = np.array([_bucket(word) for word in self.tokens], dtype=np.int64)
        ends = [not token.isalnum() for token in self.tokens]
        self.unusable: Ints = np.flatnonzero(ends)
        self.table = np.where(np.array(ends, dtype=bool)[:, None], np.float32(0), weights["words.weight"][self._bucket])
        self._dense, self._bias = weights["text.weight"].astype(np.float64), weights["text.bias"].astype(np.float64)
        self._head = weights["text_head.weight"].astype(np.float64)
        self._vectors = weights["words.weight"].astype(np.float64)

    def read(self, text: str) -> list[int]:
        return [self._places[word] for word in _words(text) if word in self._places]

    def write(self, tokens: Sequence[int]) -> str:
        words = (self.tokens[token] for token in tokens)
        return "".join(f" {word}" if word.isalnum() else word for word in words).strip()

    def objective(self, tokens: Ints, images: Floats) -> Objective:
        shares, fixed, counts = self._start(tokens)
        towards = images.astype(np.float64)

        def run(values: Doubles) -> tuple[Doubles, Doubles]:
            total = (np.einsum("bl,bld->bd", shares, values) + fixed) / counts
            hidden = total @ self._dense.T + self._bias
            embedded = np.maximum(hidden, 0) @ self._head.T
            length = np.sqrt(np.square(embedded).sum(axis=1, keepdims=True))
            length = np.where(length > 0, length, 1)
            cosine = (embedded / length * towards).sum(axis=1)
            slope = (towards - cosine[:, None] * embedded / length) / length
            slope = (slope @ self._head) * (hidden > 0) @ self._dense / counts
            return cosine, shares[:, :, None] * slope[:, None, :]

        return run

    def _start(self, tokens: Ints) -> tuple[Doubles, Doubles, Doubles]:
        """For each place its share (a word that comes twice counts once), the groups that stay, the root of all."""
        shares = np.zeros(tokens.shape)
        fixed, counts = np.zeros((len(tokens), self.table.shape[1])), np.ones((len(tokens), 1))
        for row, line in enumerate(tokens):
            places = np.flatnonzero((line != NOTHING) & ~np.isin(line, self.unusable))
            if not len(places):
                continue
            words, seen = self._bucket[line[places]], word_groups(self.write(line[places].tolist()))
            alone, times = np.unique(words, return_counts=True)
            shares[row, places] = 1 / times[np.searchsorted(alone, words)]
            fixed[row] = self._vectors[sorted(set(seen) - set(alone.tolist()))].sum(axis=0)
            counts[row] = np.sqrt(len(seen))
        return shares, fixed, counts


def _words(text: str) -> list[str]:
    """As the network reads them, and the ends of sentences and headings."""
    return re.findall(r"[a-z]+|\d+|[.;:](?=\s|$)", text.lower())


def _bucket(word: str) -> int:
    return zlib.crc32(word.encode()) % BUCKETS


def movable(side: TextSide, tokens: Ints) -> NDArray[np.bool_]:
    """Where a token with a vector stands: all others stay as they are."""
    found: NDArray[np.bool_] = (tokens != NOTHING) & (side.table[np.maximum(tokens, 0)] != 0).any(axis=-1)
    return found


def padded(rows: Sequence[Sequence[int]], width: int | None = None) -> Ints:
    """Rows of tokens as one array, with ``NOTHING`` behind the last."""
    array = np.full((len(rows), max(1, width or max(map(len, rows), default=1))), NOTHING, dtype=np.int64)
    for place, row in enumerate(rows):
        array[place, : len(row)] = row
    return array
