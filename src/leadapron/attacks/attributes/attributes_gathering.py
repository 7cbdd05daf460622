"""The numbers of an attribute audit: told right, by area, known for certain, each beside what the table alone tells."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.attributes.attribute_attack import ATTACKERS, Attack, Said, by_patient
from leadapron.attacks.attributes.attribute_columns import Attribute
from leadapron.attacks.attributes.attribute_probes import BASELINE, CHOSEN, evened
from leadapron.attacks.attributes.attributes_measures import AUC, KNOWN, RIGHT, TOLD
from leadapron.audits.gathering import Gathering
from leadapron.audits.record_gathering import key_of
from leadapron.cohort.truth import Labels
from leadapron.results import Measured
from leadapron.stats import Estimate, Outcome, share_differences, shares
from leadapron.uses.auroc import count_redraws, draw, spread

Floats = NDArray[np.float64]

REDRAWS = 1000
NEXT_TO_NONE = 1e-6
"""What guessing gives where the table alone tells nobody: a multiple of nothing would mean nothing."""
CERTAINTY = "certainty"


@dataclass
class AttributesGathering(Gathering):
    """``advantage`` is by how many more the vector tells than the table, pair by pair, by attribute and attacker."""

    records: pl.DataFrame = field(default_factory=pl.DataFrame)
    units: list[pl.DataFrame] = field(default_factory=list)
    advantage: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    outcomes: list[Outcome] = field(default_factory=list)

    def add_share(
        self, metric: str, said: Said, values: Floats, weights: Floats, chance: float, attacker: str
    ) -> Measured:
        """A share of patients. What each row got is kept, so that two audits can be paired."""
        sides, counted = said.sides, np.flatnonzero(weights)
        rows = sides.attacked[counted]
        estimate = shares(values[counted][:, None], sides.patient[rows], weights[counted])[0]
        guess = max(chance, NEXT_TO_NONE)
        row = self.add(metric, estimate, attacker=attacker, chance=guess, **said.attribute.place)
        whose = "patient_id" if "patient_id" in self.records.columns else "record_id"
        named = self.records[rows.tolist()].select(record_id="record_id", patient_id=pl.col(whose).cast(pl.String))
        own = {"value": pl.Series(values[counted]), "weight": pl.Series(weights[counted])}
        self.units.append(named.with_columns(row=pl.lit(key_of(row)), **own))
        return row


def add_attribute(found: AttributesGathering, attack: Attack, attribute: Attribute, certainty: float) -> None:
    """All numbers of an attribute; guessing is what findings and view tell without the vector."""
    name, sides = attribute.name, attack.sides
    rows = sides.attacked
    blind = attack.said[name, BASELINE]
    even, natural = sides.weights(rows, attribute), by_patient(rows, attribute, sides)
    told_blind = blind.told_right(rows)
    found.advantage[name] = {}
    guess = float(np.average(told_blind, weights=even))
    for attacker in ATTACKERS:
        said = attack.said[name, attacker]
        told = said.told_right(rows)
        found.add_share(TOLD, said, told, even, guess, attacker)
        found.advantage[name][attacker] = _advantage(told_blind, told, even, said, found.seed)
    said = attack.said[name, CHOSEN]
    found.add(AUC, _areas(found, said), attacker=CHOSEN, chance=_areas(found, blind).value, **attribute.place)
    known_blind = float(np.average(_known(blind, certainty), weights=natural))
    found.add_share(f"{KNOWN}={certainty:g}", said, _known(said, certainty), natural, known_blind, CHOSEN)
    _add_precision(found, said, told_blind, natural, certainty)
    _add_kinds(found, attack, attribute, even)


def _add_precision(
    found: AttributesGathering, said: Said, told_blind: Floats, natural: Floats, certainty: float
) -> None:
    """How many of the certain answers are right; a warning where they are surely fewer than they should be."""
    counted = np.flatnonzero(said.surely(certainty) & (natural > 0))
    if not len(counted):
        return
    rows = said.sides.attacked[counted]
    estimate = shares(said.right[rows].astype(np.float64)[:, None], said.sides.patient[rows], natural[counted])[0]
    guess = max(float(np.average(told_blind[counted], weights=natural[counted])), NEXT_TO_NONE)
    found.add_of_some(f"{RIGHT}={certainty:g}", estimate, attacker=CHOSEN, chance=guess, **said.attribute.place)
    if estimate.high < certainty:
        reason = (
            f"of answers about {said.attribute.name} that should be right for {certainty:g}, {estimate.value:.4f} are"
        )
        found.outcomes.append(Outcome(CERTAINTY, "warn", reason))


def _known(said: Said, certainty: float) -> Floats:
    """1 where the attacker is certain and right."""
    known: Floats = (said.surely(certainty) & said.right[said.sides.attacked]).astype(np.float64)
    return known


def _advantage(blind: Floats, told: Floats, even: Floats, said: Said, seed: int) -> dict[str, float]:
    """Pair by pair: the same patients with the vector and without it."""
    counted = np.flatnonzero(even)
    patient = said.sides.patient[said.sides.attacked[counted]]
    sides = blind[counted][:, None], told[counted][:, None]
    gained = share_differences(*sides, patient, weights=even[counted], seed=seed)[0]
    return {"value": gained.difference, "low": gained.low, "high": gained.high, "p": gained.p}


def _areas(found: Gathering, said: Said) -> Estimate:
    """The mean over kinds of the area between a kind and all others, with its interval over redraws of patients."""
    rows, attribute = said.sides.attacked, said.attribute
    known = rows[attribute.kind[rows] >= 0]
    kind = attribute.kind[known]
    truth = np.stack([kind == place for place in range(len(attribute.kinds))], axis=1).astype(np.int8)
    redraws = draw(said.sides.patient[known], REDRAWS, found.seed)
    scores = np.log(evened(said.chances, attribute, said.sides)[known])
    areas = np.nanmean(count_redraws(scores, Labels(attribute.kinds, truth), redraws).auroc(), axis=1)
    return Estimate(float(areas[0]), *spread(areas[1:]), len(known), redraws.weights.shape[1])


def _add_kinds(found: AttributesGathering, attack: Attack, attribute: Attribute, even: Floats) -> None:
    """Who is told: within every kind, the share that the chosen attacker tells right."""
    sides = attack.sides
    said, blind = (attack.said[attribute.name, name] for name in (CHOSEN, BASELINE))
    for number, kind in enumerate(attribute.kinds):
        own = np.flatnonzero(attribute.kind[sides.attacked] == number)
        rows = sides.attacked[own]
        weights = even[own] * len(np.unique(sides.patient[rows])) / even[own].sum()
        estimate = shares(said.told_right(rows)[:, None], sides.patient[rows], weights)[0]
        guess = max(float(np.average(blind.told_right(rows), weights=weights)), NEXT_TO_NONE)
        group = f"{attribute.name}={kind}"
        found.add_of_some(TOLD, estimate, attacker=CHOSEN, chance=guess, group=group, **attribute.place)
