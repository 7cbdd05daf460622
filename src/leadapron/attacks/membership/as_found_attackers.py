"""Attackers of one model as it is found: each gives every record a score, higher for whom it takes for a member."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.membership.as_found_patients import PatientScores, score_patients
from leadapron.attacks.membership.as_found_reading import AsFound
from leadapron.attacks.membership.as_found_scores import Answers, among_random, log_ratio
from leadapron.attacks.membership.rmia import placed

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """What was found, what the models answer, and how much surer the target is than usual."""

    found: AsFound
    answers: Answers
    ratio: Doubles
    seed: int


ATTACKERS: dict[str, Callable[[Asked], Doubles]] = {
    "rmia-offline": lambda asked: placed(asked.ratio[:, None])[:, 0],
    "rmia-500": lambda asked: among_random(asked.ratio, asked.seed),
    "target-alone": lambda asked: asked.answers.target,
}


@dataclass(frozen=True)
class Attacked:
    """The scores of all attackers: of records by name, and of patients."""

    ratio: Doubles
    records: dict[str, Doubles]
    patients: PatientScores


def attack(found: AsFound, answers: Answers, slope: float, seed: int) -> Attacked:
    ratio = log_ratio(answers, slope)
    asked = Asked(found, answers, ratio, seed)
    records = {name: attacker(asked) for name, attacker in ATTACKERS.items()}
    return Attacked(ratio, records, score_patients(found.signals, ratio))
