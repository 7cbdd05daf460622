"""Which records a model sees in a step: its own members only, by its own coins, whatever the models beside it see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import DataError

Rows = NDArray[np.int64]


class Batches(Protocol):
    """The steps of one model, one after another."""

    def draw(self) -> Rows:
        """The audited rows of the next step."""


class Shuffled:
    """Everybody once in a random order, then everybody once again: batches are whole, also across such rounds."""

    def __init__(self, members: NDArray[np.bool_], size: int, rng: np.random.Generator) -> None:
        self._members, self._size, self._rng = _members(members), size, rng
        self._left: Rows = np.empty(0, dtype=np.int64)

    def draw(self) -> Rows:
        while len(self._left) < self._size:
            self._left = np.concatenate([self._left, self._rng.permutation(self._members)])
        rows, self._left = self._left[: self._size], self._left[self._size :]
        return rows


class Poisson:
    """Every member unit by a coin of its own, and one of its records: what the accountant of a promise asks for.

    The coins are a model's own. Were they shared by all models, an attacker who has reference models would know from
    them when a patient took part, and chance would no longer hide it. So many coins come up as a binomial number says,
    and all sets of so many units are equally likely.
    """

    def __init__(self, members: NDArray[np.bool_], unit: Rows, rate: float, rng: np.random.Generator) -> None:
        own = _members(members)
        self._rows = own[np.argsort(unit[own], kind="stable")]
        _, self._starts, self._counts = np.unique(unit[self._rows], return_index=True, return_counts=True)
        self._rate, self._rng = rate, rng

    def draw(self) -> Rows:
        units = len(self._starts)
        chosen = self._rng.choice(units, self._rng.binomial(units, self._rate), replace=False, shuffle=False)
        place = (self._rng.random(len(chosen)) * self._counts[chosen]).astype(np.int64)
        rows: Rows = self._rows[self._starts[chosen] + place]
        return rows


def _members(members: NDArray[np.bool_]) -> Rows:
    rows = np.flatnonzero(members)
    if not len(rows):
        raise DataError("a model has no member to learn from", got=0, allowed="1 record or more")
    return rows


def padded(batches: Sequence[Rows], size: int) -> tuple[Rows, NDArray[np.bool_]]:
    """Batches below each other, filled up to ``size`` with row 0, and which places are filled with somebody.

    Where one is longer nobody is left out: then all are filled up to that length.
    """
    length = np.array([len(rows) for rows in batches])
    taken = np.arange(max(size, length.max())) < length[:, None]
    rows = np.zeros(taken.shape, dtype=np.int64)
    rows[taken] = np.concatenate(batches)
    return rows, taken
