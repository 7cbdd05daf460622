"""A small network that reads words in their context and says which of them identify someone.

Rules know words; what tells that Long is a nurse and Lakeview a hospital is the sentence. Two layers look at a word, at
four neighbours on either side and at two neighbours of these. The first layer is a sum over words, so its share of
every word is computed once and kept; a report costs a few additions a word. `make tagger` trains the weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open

from leadapron.reports.identifiers.lexicon import plain
from leadapron.reports.identifiers.token_features import KINDS, kinds_of
from leadapron.reports.identifiers.tokens import Tokens

WEIGHTS = "tagger.safetensors"
CLASSES = ("", "name", "staff", "hospital", "place", "date", "time", "id")
"""What a token may be; the first is nothing, the last all numbers."""
KEPT = 12_000
"""Words whose share is kept; then it is begun anew."""

Floats = NDArray[np.float32]


class Tagger:
    """Weights, and the share of every word that was met."""

    def __init__(self, arrays: dict[str, Floats], words: Sequence[str]) -> None:
        self.words = {word: KINDS + at for at, word in enumerate(words)}
        self.table = arrays["table"]
        self.first, self.first_bias = arrays["first"], arrays["first_bias"]  # (window, in, out)
        self.second, self.second_bias = arrays["second"], arrays["second_bias"]
        self.last, self.last_bias = arrays["last"], arrays["last_bias"]
        self._second = np.concatenate(list(self.second), axis=1)
        self._forget()

    def _forget(self) -> None:
        self._place: dict[tuple[str, str], int] = {}
        self._shares = np.zeros((1024, *self.first.shape[::2]), dtype=np.float32)
        self._used = 1  # the first row is that of no word

    def chances(self, reports: Sequence[Tokens]) -> list[Floats]:
        """For each token of each report how likely it is of each class."""
        gap = len(self.first) // 2 + len(self.second) // 2
        if self._used > KEPT:
            self._forget()
        places, begins = [0] * gap, []
        for tokens in reports:
            begins.append(len(places))
            try:
                places += [self._place[key] for key in zip(tokens.words, tokens.row, strict=True)]
            except KeyError:  # a new word
                places += [self._at(*key) for key in zip(tokens.words, tokens.row, strict=True)]
            places += [0] * gap
        found = self._read(np.array(places))
        return [found[at : at + len(tokens.words)] for at, tokens in zip(begins, reports, strict=True)]

    def _at(self, word: str, letter: str) -> int:
        key = (word, letter)
        place = self._place.get(key)
        if place is None:
            place = self._place[key] = self._used
            self._used += 1
            if place == len(self._shares):
                self._shares = np.concatenate([self._shares, np.zeros_like(self._shares)])
            self._shares[place] = self.embedded(word, letter) @ self.first
        return place

    def embedded(self, word: str, letter: str) -> Floats:
        kinds, spelling = kinds_of(word, letter)
        known = self.words.get(plain(word))
        vector: Floats = self.table[kinds + spelling + ([] if known is None else [known])].sum(0)
        return vector

    def _read(self, places: NDArray[np.int64]) -> Floats:
        hidden = np.tile(self.first_bias, (len(places), 1))
        for at, shift in enumerate(_shifts(len(self.first))):
            to, of = _overlap(len(places), shift)
            hidden[to] += self._shares[places[of], at]
        np.maximum(hidden, 0, out=hidden)
        parts = hidden @ self._second
        width = self.second.shape[2]
        more = np.tile(self.second_bias, (len(places), 1))
        for at, shift in enumerate(_shifts(len(self.second))):
            to, of = _overlap(len(places), shift)
            more[to] += parts[of, at * width : (at + 1) * width]
        np.maximum(more, 0, out=more)
        scores = more @ self.last + self.last_bias
        scores -= scores.max(1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(1, keepdims=True)
        chances: Floats = scores
        return chances


@cache
def tagger() -> Tagger:
    """The one that ships with the package."""
    with (
        resources.as_file(resources.files("leadapron.reports").joinpath("words", WEIGHTS)) as path,
        safe_open(path, "numpy") as file,
    ):
        arrays = {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}  # noqa: SIM118
        return Tagger(arrays, file.metadata()["words"].split())


def _shifts(window: int) -> range:
    return range(-(window // 2), window // 2 + 1)


def _overlap(length: int, shift: int) -> tuple[slice, slice]:
    """Where a token is written to, and where its neighbour is read."""
    if shift < 0:
        return slice(-shift, length), slice(0, length + shift)
    return slice(0, length - shift), slice(shift, length)
