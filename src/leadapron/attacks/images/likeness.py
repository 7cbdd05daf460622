"""Likeness: how alike an attacker finds any two images, or an image and a report, as an inner product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import logsumexp

from leadapron.attacks.identity.plda import Plda

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_QUERIES = 600
"""Images that methods are weighed on."""


@dataclass(frozen=True)
class Likeness:
    """``left[i] @ right[j]`` and a summand of either: ``i`` is what is looked for, ``j`` what is held."""

    left: Doubles
    right: Doubles
    of_left: Doubles
    of_right: Doubles

    def between(self, left: Ints, right: Ints) -> Doubles:
        scores: Doubles = self.left[left] @ self.right[right].T + self.of_left[left, None] + self.of_right[right]
        return scores

    def times(self, factor: float) -> Likeness:
        return Likeness(factor * self.left, self.right, factor * self.of_left, factor * self.of_right)

    def with_left(self, order: Ints) -> Likeness:
        """The same with other images looked for in the place of each."""
        return Likeness(self.left[order], self.right, self.of_left[order], self.of_right)


def added(parts: Sequence[Likeness]) -> Likeness:
    """The sum of several, which is an inner product again."""
    return Likeness(
        np.concatenate([part.left for part in parts], axis=1),
        np.concatenate([part.right for part in parts], axis=1),
        np.sum([part.of_left for part in parts], axis=0),
        np.sum([part.of_right for part in parts], axis=0),
    )


def by_angle(left: Floats, right: Floats) -> Likeness:
    """The cosine of rows that have length one."""
    return Likeness(left.astype(np.float64), right.astype(np.float64), np.zeros(len(left)), np.zeros(len(right)))


def by_plda(model: Plda, left: Floats, right: Floats) -> Likeness:
    """The log-likelihood ratio of "one patient" by a model of what varies within patients; rows are centred already."""
    cross = np.sqrt(model.between / (2 * model.between + 1))
    square = -(model.between**2) / (2 * (model.between + 1) * (2 * model.between + 1))
    mine, theirs = ((rows - model.centre) @ model.axes for rows in (left, right))
    return Likeness(mine * cross, theirs * cross, mine**2 @ square, theirs**2 @ square)


@dataclass(frozen=True)
class Mates:
    """What is looked for, each with one mate that is held: rows; a query stands as often as it has mates."""

    query: Ints
    mate: Ints


def weigh(parts: Mapping[str, Likeness], mates: Mates, owner: tuple[Ints, Ints], seed: int) -> dict[str, float]:
    """How much each method counts, none of them against itself: the weights by which mates come first most often.

    ``owner`` tells the patients of what is looked for and of what is held. The likelihood of "the mate is the one"
    among it and all strangers is made as large as it gets; it has no other maxima.
    """
    order = np.random.default_rng(seed).permutation(len(mates.query))[:MOST_QUERIES]
    query, mate = mates.query[order], mates.mate[order]
    held = np.unique(mates.mate)
    stranger = owner[0][query][:, None] != owner[1][held]
    scores, spread = [], []
    for part in parts.values():
        own = _of_pairs(part, query, mate)[:, None]
        apart = np.where(stranger, part.between(query, held) - own, -np.inf)
        spread.append(float(np.std(apart[stranger])) or 1.0)
        scores.append(apart / spread[-1])
    stacked = np.stack(scores)
    filled = np.where(stranger, stacked, 0.0)

    def loss(weights: Doubles) -> tuple[float, Doubles]:
        total = np.where(stranger, np.tensordot(weights, filled, axes=1), -np.inf)
        whole = logsumexp(np.concatenate([total, np.zeros((len(total), 1))], axis=1), axis=1)
        share = np.exp(total - whole[:, None])
        slope = np.array([(share * column).sum(axis=1).mean() for column in filled])
        return float(whole.mean()) + 1e-4 * float(weights @ weights), slope + 2e-4 * weights

    start = np.full(len(parts), 0.5)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * len(parts))
    weights = found.x / np.array(spread)
    return dict(zip(parts, weights.tolist(), strict=True))


def _of_pairs(part: Likeness, left: Ints, right: Ints) -> Doubles:
    own: Doubles = (part.left[left] * part.right[right]).sum(axis=1) + part.of_left[left] + part.of_right[right]
    return own


def weighed(parts: Mapping[str, Likeness], weights: Mapping[str, float]) -> Likeness:
    """The sum by these weights; where none counts, all do alike."""
    counted = [parts[name].times(weight) for name, weight in weights.items() if weight > 0]
    return added(counted or list(parts.values()))
