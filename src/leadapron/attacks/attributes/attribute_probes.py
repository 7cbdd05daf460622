"""Probes of attributes: what an attacker says of everybody who learnt from other patients, as chances of each kind.

Of patients under attack it is said by probes that learnt from all others; of the others by probes that learnt from the
rest of them, so that strengths, attackers and thresholds are chosen without a look at anybody under attack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from leadapron.attacks.attributes.attribute_columns import Attribute
from leadapron.cohort.truth import UNKNOWN, Labels
from leadapron.uses.linear_probe import fit_probes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

BASELINE, LINEAR, CURVED, CHOSEN = "findings", "linear", "curved", "chosen"
STRENGTHS = (1e-2, 1e-1, 1.0, 10.0)
FOLDS = 3
LANDMARKS = 128
MOST_LEARNT = 20_000
"""Records of other patients; more teach hardly more, and cost much."""
LEAST = 1e-12


@dataclass(frozen=True)
class Sides:
    """Whose each record is, from 0 on, the rows under attack, and those of other patients that are learnt from."""

    patient: Ints
    attacked: Ints
    others: Ints

    def weights(self, rows: Ints, attribute: Attribute) -> Floats:
        """What each row counts for: every patient of a kind for the same, and all kinds for the same.

        They add up to the number of patients. A row whose kind is unknown counts for nothing.
        """
        known = np.flatnonzero(attribute.kind[rows] >= 0)
        kind = attribute.kind[rows[known]]
        patients = np.unique(self.patient[rows[known]] * len(attribute.kinds) + kind, return_inverse=True)[1]
        each = 1.0 / np.bincount(patients)[patients]
        sizes = np.bincount(kind, weights=each, minlength=len(attribute.kinds))
        balanced = np.zeros(len(rows))
        people = len(np.unique(self.patient[rows[known]]))
        balanced[known] = each * people / (np.count_nonzero(sizes) * sizes[kind])
        return balanced


def make_sides(patient: Ints, attacked: Bools, seed: int) -> Sides:
    """Of very many others some whole patients are learnt from, drawn by the seed."""
    others = np.flatnonzero(~attacked)
    if len(others) > MOST_LEARNT:
        order = np.random.default_rng(seed).permutation(int(patient.max()) + 1)
        rank = np.argsort(order)[patient[others]]
        others = np.sort(others[np.argsort(rank, kind="stable")[:MOST_LEARNT]])
    return Sides(patient, np.flatnonzero(attacked), others)


def what_they_see(vectors: NDArray[np.float32], table: Floats, sides: Sides, seed: int) -> dict[str, Floats]:
    """What each attacker learns from: the table alone, with the vector, and with how near it is to some others' too."""
    values = vectors.astype(np.float64)
    known = values[sides.others]
    spread = known.std(axis=0)
    scaled = (values - known.mean(axis=0)) / np.where(spread > LEAST * np.abs(known).max(), spread, 1.0)
    drawn = np.random.default_rng(seed).permutation(sides.others)[:LANDMARKS]
    marks = scaled[drawn]
    apart = (scaled**2).sum(axis=1)[:, None] + (marks**2).sum(axis=1) - 2 * scaled @ marks.T
    near = np.exp(-apart / max(float(np.median(apart[sides.others])), LEAST))
    linear = np.concatenate([table, scaled], axis=1)
    return {BASELINE: table, LINEAR: linear, CURVED: np.concatenate([linear, near], axis=1)}


def chances_of_kinds(seen: Floats, attributes: Sequence[Attribute], sides: Sides, seed: int) -> dict[str, Floats]:
    """Of every attribute each record's chances of each kind; the rows that were neither attacked nor learnt from are 0.

    All attributes are learnt side by side, by logistic regressions: of a kind against all others, or where the kinds
    stand in an order, of those from a kind on. Of each the strength is taken that says most of the other patients.
    """
    rows = seen.astype(np.float32)
    labels = _labels(attributes)
    said = np.zeros((len(STRENGTHS), len(rows), len(labels.names)))
    deal = np.random.default_rng(seed).permutation(int(sides.patient.max()) + 1) % FOLDS
    fold = deal[sides.patient]
    for held in range(FOLDS):
        own = sides.others[fold[sides.others] == held]
        _say(said, rows, labels, sides.others[fold[sides.others] != held], own)
    _say(said, rows, labels, sides.others, sides.attacked)
    found, place = {}, 0
    for attribute in attributes:
        own = slice(place, place := place + len(_asked(attribute)))
        tried = [_together(logits[:, own], attribute) for logits in said]
        found[attribute.name] = min(tried, key=lambda chances: loss(chances, attribute, sides))
    return found


def loss(chances: Floats, attribute: Attribute, sides: Sides) -> float:
    """How badly it says of other patients what they are, all kinds counting alike: the mean log loss."""
    rows, kind = sides.others, attribute.kind[sides.others]
    known = kind >= 0
    said = evened(chances, attribute, sides)[rows[known], kind[known]]
    return float(np.average(-np.log(np.maximum(said, LEAST)), weights=sides.weights(rows, attribute)[known]))


def evened(chances: Floats, attribute: Attribute, sides: Sides) -> Floats:
    """The chances as they would be, were all kinds as common as each other: nothing is gained by naming the largest."""
    kind = attribute.kind[sides.others]
    common = np.bincount(kind[kind >= 0], minlength=len(attribute.kinds)) / np.count_nonzero(kind >= 0)
    return _summed_to_one(chances / common)


def _say(said: Floats, rows: NDArray[np.float32], labels: Labels, learnt: Ints, asked: Ints) -> None:
    """What probes of every strength say that learnt from some rows, of others."""
    probes = fit_probes(rows[learnt], labels.rows(learnt), STRENGTHS)
    turned = probes[0].axes(rows[asked])  # the same for all strengths
    for place, probe in enumerate(probes):
        said[place, asked] = turned @ probe.weights


def _asked(attribute: Attribute) -> list[Bools]:
    """What is asked of each record: is it of this kind, or of this kind or one behind it?"""
    if _in_order(attribute):
        return [attribute.kind >= place for place in range(1, len(attribute.kinds))]
    return [attribute.kind == place for place in range(len(attribute.kinds))]


def _labels(attributes: Sequence[Attribute]) -> Labels:
    asked = [(one, answer) for one in attributes for answer in _asked(one)]
    columns = [np.where(one.kind < 0, UNKNOWN, answer) for one, answer in asked]
    return Labels(tuple(one.name for one, _ in asked), np.stack(columns, axis=1).astype(np.int8))


def _together(logits: Floats, attribute: Attribute) -> Floats:
    """From answers to questions that were learnt one by one to chances that add up to one."""
    chances: Floats = expit(logits)
    if _in_order(attribute):
        ends = np.ones((len(chances), 1))
        chances = -np.diff(np.minimum.accumulate(np.concatenate([ends, chances, 0 * ends], axis=1), axis=1), axis=1)
    return _summed_to_one(chances)


def _in_order(attribute: Attribute) -> bool:
    """Two kinds always do."""
    return attribute.ordered or len(attribute.kinds) == 2


def _summed_to_one(chances: Floats) -> Floats:
    kept = np.maximum(chances, LEAST)
    one: Floats = kept / kept.sum(axis=1, keepdims=True)
    return one
