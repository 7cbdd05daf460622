"""Controls that run with every audit: attributes dealt to other patients tell nothing, and a planted one is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.attributes.attribute_attack import ATTACKERS, Attack, Said
from leadapron.attacks.attributes.attribute_columns import Attribute
from leadapron.attacks.attributes.attribute_probes import CHOSEN, Sides
from leadapron.attacks.attributes.attributes_measures import TOLD
from leadapron.audits.vouching import ERRORS_APART, null_outcome, planted_outcome
from leadapron.results import Measured
from leadapron.results.withheld import told
from leadapron.stats import Estimate, Outcome, shares

Floats = NDArray[np.float32]
Run = Callable[[Sequence[Attribute], Floats], Attack]
"""The whole attack on these attributes, by these vectors."""

NULL, PLANTED = "null control (attributes dealt at random)", "planted attribute"
FOUND = 0.9


def run_controls(run: Run, attributes: Sequence[Attribute], vectors: Floats, sides: Sides, seed: int) -> list[Outcome]:
    dealt = [deal_anew(one, sides, seed) for one in attributes]
    coin, marked = plant(vectors, sides, seed)
    return [_null(run(dealt, vectors), dealt), _planted(run([coin], marked), coin)]


def deal_anew(attribute: Attribute, sides: Sides, seed: int) -> Attribute:
    """Every patient is given the kind of another one, on either side by itself; kinds stay as common as they were."""
    kind = np.full(len(attribute.kind), -1)
    for rows in (sides.attacked, sides.others):
        known = rows[attribute.kind[rows] >= 0]
        _, first, place = np.unique(sides.patient[known], return_index=True, return_inverse=True)
        order = np.random.default_rng([seed, len(known)]).permutation(len(first))
        kind[known] = attribute.kind[known][first][order][place]
    return replace(attribute, kind=kind)


def plant(vectors: Floats, sides: Sides, seed: int) -> tuple[Attribute, Floats]:
    """A coin for every patient, written into one direction, as far as vectors lie from their mean on average."""
    rng = np.random.default_rng(seed)
    coin = rng.permutation(int(sides.patient.max()) + 1) % 2
    direction = rng.normal(size=(vectors.shape[1],))
    direction = direction / np.linalg.norm(direction)
    values = vectors.astype(np.float64)
    far = float(np.sqrt(((values - values.mean(axis=0)) ** 2).sum(axis=1).mean())) or 1.0
    marked = values + np.outer((2.0 * coin - 1.0)[sides.patient] * far, direction)
    return Attribute("coin", ("heads", "tails"), coin[sides.patient]), marked.astype(np.float32)


def _null(attack: Attack, dealt: Sequence[Attribute]) -> Outcome:
    """With kinds dealt at random, as many are told right as there are kinds to one, whatever an attacker says."""
    rows, off = [], []
    for one in dealt:
        for name in ATTACKERS:
            estimate = _told(attack.said[one.name, name])
            chance = 1 / len(one.kinds)
            row = _row(one, name, estimate, chance)
            rows.append(row)
            error = max(estimate.sd, (chance * (1 - chance) / (estimate.tries or 1.0)) ** 0.5)
            if abs(estimate.value - chance) > ERRORS_APART * error:
                off.append(row)
    return null_outcome(NULL, rows, off, "every patient with the attributes of another one")


def _planted(attack: Attack, coin: Attribute) -> Outcome:
    told_right = {name: _told(attack.said[coin.name, name]) for name in ATTACKERS}
    found = {name: estimate.value for name, estimate in told_right.items()}
    few = any(told(estimate.patients) is None for estimate in told_right.values())
    world = "a coin for every patient, written into the vectors"
    return planted_outcome(PLANTED, found, CHOSEN, world, least=FOUND, few=few)


def _told(said: Said) -> Estimate:
    rows = said.sides.attacked
    weights = said.sides.weights(rows, said.attribute)
    counted = np.flatnonzero(weights)
    return shares(said.told_right(rows)[counted][:, None], said.sides.patient[rows[counted]], weights[counted])[0]


def _row(attribute: Attribute, attacker: str, estimate: Estimate, chance: float) -> Measured:
    return Measured(
        metric=TOLD,
        attacker=attacker,
        value=estimate.value,
        low=estimate.low,
        high=estimate.high,
        sd=estimate.sd,
        chance=chance,
        n=estimate.n,
        patients=told(estimate.patients),
        **attribute.place,
    )
