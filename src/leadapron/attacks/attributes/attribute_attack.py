"""The attack on attributes: every attacker, and the one who chose among them on other patients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.attributes.attribute_columns import Attribute
from leadapron.attacks.attributes.attribute_probes import (
    BASELINE,
    CHOSEN,
    CURVED,
    LINEAR,
    Sides,
    chances_of_kinds,
    evened,
    loss,
    what_they_see,
)

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

ATTACKERS = (CHOSEN, LINEAR, CURVED)
VIEW = "view"


@dataclass(frozen=True)
class Said:
    """What one attacker says of one attribute: every record's chances of each kind."""

    attribute: Attribute
    sides: Sides
    chances: Floats

    @property
    def right(self) -> Bools:
        """Where the likeliest kind is the right one, kinds being as common as they are."""
        found: Bools = self.chances.argmax(axis=1) == self.attribute.kind
        return found

    def told_right(self, rows: Ints) -> Floats:
        """1 where the likeliest kind is the right one, were all as common as each other; else 0."""
        likeliest = evened(self.chances, self.attribute, self.sides)[rows].argmax(axis=1)
        right: Floats = (likeliest == self.attribute.kind[rows]).astype(np.float64)
        return right

    def share_of_others(self) -> float:
        """Of the other patients, by probes that had not seen them: how many are told right, all kinds alike."""
        rows = self.sides.others
        return float(np.average(self.told_right(rows), weights=self.sides.weights(rows, self.attribute)))

    def surely(self, certainty: float) -> Bools:
        """Of the rows under attack, those of which the attacker dares to say the kind.

        It is as sure of them as of so many of the other patients that, one more error granted, ``certainty`` of the
        answers were right. Without any error that takes 99 patients, for a certainty of 99 %.
        """
        rows, attacked = self.sides.others, self.sides.attacked
        sure, right = self.chances.max(axis=1), self.right
        weight = by_patient(rows, self.attribute, self.sides)
        order = np.argsort(-sure[rows], kind="stable")
        ordered, given = sure[rows][order], np.cumsum(weight[order])
        wrong = np.cumsum((weight * ~right[rows])[order])
        may_stop = np.append(ordered[1:] != ordered[:-1], True)
        good = np.flatnonzero(may_stop & (wrong + 1 <= (1 - certainty) * (given + 1) + 1e-9))
        least = ordered[good[-1]] if len(good) else np.inf
        dared: Bools = sure[attacked] >= least
        return dared


def by_patient(rows: Ints, attribute: Attribute, sides: Sides) -> Floats:
    """What each row counts for where kinds are as common as they are: a patient for one; unknown ones for nothing."""
    known = np.flatnonzero(attribute.kind[rows] >= 0)
    patient = np.unique(sides.patient[rows[known]], return_inverse=True)[1]
    weights = np.zeros(len(rows))
    weights[known] = 1.0 / np.bincount(patient)[patient]
    return weights


@dataclass(frozen=True)
class Attack:
    """What everybody says of every attribute, and which attacker the choice fell on."""

    sides: Sides
    said: Mapping[tuple[str, str], Said]
    """By attribute and attacker; that who sees the table alone is among them."""
    choice: Mapping[str, str]

    def advantage_on_others(self, attribute: str) -> float:
        """By how many more of the other patients are told right than by the table alone."""
        return self.said[attribute, CHOSEN].share_of_others() - self.said[attribute, BASELINE].share_of_others()


def run_attack(
    vectors: NDArray[np.float32],
    findings: Floats,
    views: Floats,
    attributes: Sequence[Attribute],
    sides: Sides,
    seed: int,
) -> Attack:
    """Every attribute by every attacker. The view is not told by the view."""
    said: dict[tuple[str, str], Said] = {}
    choice = {}
    of_view = [one for one in attributes if one.name == VIEW]
    rest = [one for one in attributes if one.name != VIEW]
    with threadpool_limits(1, user_api="blas"):  # the same bytes, however many cores there are
        for some, table in ((rest, np.concatenate([findings, views], axis=1)), (of_view, findings)):
            if not some:
                continue
            for attacker, seen in what_they_see(vectors, table, sides, seed).items():
                for name, chances in chances_of_kinds(seen, some, sides, seed).items():
                    attribute = next(one for one in some if one.name == name)
                    said[name, attacker] = Said(attribute, sides, chances)
            for one in some:
                best = min((LINEAR, CURVED), key=lambda name: loss(said[one.name, name].chances, one, sides))
                choice[one.name], said[one.name, CHOSEN] = best, said[one.name, best]
    return Attack(sides, said, choice)
