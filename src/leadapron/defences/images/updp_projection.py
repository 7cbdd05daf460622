"""Constrained projection (UPDP, eq. 4 to 6, 8 and 9): the nearest tokens, without the banned, the wanted first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from leadapron.defences.images.updp_text_side import Doubles, Ints, TextSide, movable
from leadapron.release.rows import unit_doubles

OWN = 1e-9
"""Tokens with the same vector tie; the token of the start then stays."""


@dataclass(frozen=True)
class Choice:
    """How a vector becomes a token.

    ``soft`` adds ``promotion`` to wanted tokens among the ``top`` nearest (eq. 6); ``hard`` looks at wanted tokens
    alone (algorithm 1, line 18); ``off`` wants nothing. At ``temperature`` 0 the best is taken, above it one is drawn.
    """

    mode: Literal["soft", "hard", "off"] = "soft"
    top: int = 5
    promotion: float = 0.05
    temperature: float = 0.0


class Constrained:
    """A vocabulary with its banned and wanted tokens."""

    def __init__(self, side: TextSide, banned: Ints, wanted: Ints, choice: Choice) -> None:
        self.choice = choice
        self._side = side
        self._table = unit_doubles(side.table)
        self._wanted = np.zeros(len(self._table), dtype=bool)
        self._wanted[wanted] = True
        self.allowed = np.ones(len(self._table), dtype=bool)
        self.allowed[side.unusable] = False
        self.allowed[banned] = False
        if choice.mode == "hard":
            self.allowed &= self._wanted

    def nearest(self, vectors: Doubles, start: Ints) -> tuple[Ints, Doubles]:
        """For each vector its Top-K tokens and their scores after promotion, best first."""
        scores = unit_doubles(vectors) @ self._table.T
        rows = np.arange(len(start))
        scores[rows, start] += OWN
        scores[:, ~self.allowed] = -np.inf
        top = min(self.choice.top, int(self.allowed.sum()))
        best = np.sort(np.argpartition(-scores, top - 1, axis=1)[:, :top], axis=1)  # of a tie the first comes first
        found = np.take_along_axis(scores, best, axis=1)
        if self.choice.mode == "soft":
            found = found + self.choice.promotion * self._wanted[best]
        order = np.argsort(-found, axis=1, kind="stable")
        return np.take_along_axis(best, order, axis=1), np.take_along_axis(found, order, axis=1)

    def tokens(self, vectors: Doubles, start: Ints, seed: Sequence[int]) -> Ints:
        """A token a vector. ``start`` has the tokens that the vectors began as; those without a vector stay."""
        used = movable(self._side, start)
        chosen = start.copy()
        if not used.any():
            return chosen
        best, scores = self.nearest(vectors[used], start[used])
        if self.choice.temperature == 0:
            chosen[used] = best[:, 0]
            return chosen
        weights = np.exp((scores - scores[:, :1]) / self.choice.temperature)
        reached = np.cumsum(weights, axis=1) / weights.sum(axis=1, keepdims=True)
        drawn = np.random.default_rng(seed).random(len(best))[:, None]
        picked = np.minimum((reached < drawn).sum(axis=1), best.shape[1] - 1)
        chosen[used] = best[np.arange(len(best)), picked]
        return chosen
