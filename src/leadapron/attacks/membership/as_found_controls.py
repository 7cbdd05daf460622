"""Controls of an attack on one model: a truth that is made up must give chance, planted patients must be found.

Both let every attacker loose again, so that each is vouched for, or not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.membership.as_found_attackers import attack
from leadapron.attacks.membership.as_found_patients import joint_scores
from leadapron.attacks.membership.as_found_reading import AsFound
from leadapron.attacks.membership.as_found_scores import Answers, log_ratio
from leadapron.attacks.membership.as_found_shift import auc_of
from leadapron.attacks.membership.membership_controls import BEYOND_DOUBT, PLANTED
from leadapron.attacks.membership.membership_roc import place
from leadapron.audits.vouching import ERRORS_APART, planted_outcome
from leadapron.stats import Estimate, Outcome

Doubles = NDArray[np.float64]

NULL = "null control (made-up members)"
FOUND = "planted patients (one model)"
FEWEST = 40
"""Patients, so that the planted few are not a large part of everybody."""


def null_control(found: AsFound, answers: Answers, slope: float, seed: int) -> Outcome:
    """As many members as there are, or half where nobody knows, drawn among patients: whatever is found is an error."""
    patient, truth = found.signals.patient, found.patient_truth()
    everybody = np.arange(found.signals.patients)
    known = everybody < (len(everybody) + 1) // 2 if truth is None else truth
    drawn = np.random.default_rng(seed).permutation(known)
    attacked = attack(replace(found, truth=drawn[patient]), answers, slope, seed)
    aucs: dict[str, Estimate] = {
        **{name: auc_of(scores, drawn[patient], patient) for name, scores in attacked.records.items()},
        **{name: auc_of(scores, drawn, everybody) for name, scores in attacked.patients.attacks.items()},
    }
    least = ((1 / int(drawn.sum()) + 1 / int((~drawn).sum())) / 12) ** 0.5  # of as many patients without a leak
    off = [name for name, auc in aucs.items() if abs(auc.value - 0.5) > ERRORS_APART * max(auc.sd, least)]
    told = ", ".join(f"{name} {auc.value:.4f}" for name, auc in aucs.items() if not off or name in off)
    covered = tuple(name for name in aucs if name not in off)
    return Outcome(NULL, "error" if off else "pass", f"with made-up members the AUC is, by attack: {told}", covered)


def planted_patients(found: AsFound, answers: Answers, slope: float, seed: int) -> Outcome:
    """The target is made sure of some patients of whom the references are not: an attack must see these.

    Where the references are sure, too, nobody could see it: planted are some of the tenth for whom it would show most.
    """
    signals = found.signals
    if signals.patients < FEWEST:
        return Outcome(FOUND, "not-run", f"fewer than {FEWEST} patients are too few to plant some among them", ())
    surest = np.maximum(answers.target, np.quantile(answers.target, 0.99))
    would_show = joint_scores(signals, log_ratio(replace(answers, target=surest), slope))[0]
    most = np.argsort(-would_show, kind="stable")[: max(PLANTED, signals.patients // 10)]
    chosen = np.random.default_rng(seed).permutation(most)[:PLANTED]
    rows = np.isin(signals.patient, chosen)
    planted = replace(answers, target=np.where(rows, surest, answers.target))
    attacked = attack(found, planted, slope, seed)
    theirs = np.isin(np.arange(signals.patients), chosen)
    places = {
        **{name: _placed(scores, theirs) for name, scores in attacked.patients.attacks.items()},
        **{name: _placed(scores, rows) for name, scores in attacked.records.items()},
    }
    world = f"the target was made sure of {len(chosen)} patients"
    return planted_outcome(FOUND, places, "joint", world, least=BEYOND_DOUBT)


def _placed(scores: Doubles, theirs: NDArray[np.bool_]) -> float:
    """Above which share of all others the planted stand, on average."""
    return float(place(np.sort(scores[~theirs]), scores[theirs]).mean())
