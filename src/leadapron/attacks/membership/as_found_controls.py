"""Controls of an attack on one model: a truth that is made up must give chance, planted patients must be found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from leadapron.attacks.membership.as_found_patients import PatientScores, joint_scores
from leadapron.attacks.membership.as_found_scores import Answers, log_ratio
from leadapron.attacks.membership.as_found_shift import auc_of
from leadapron.attacks.membership.controls import ERRORS_APART, LEVEL, PLANTED
from leadapron.attacks.membership.signals import Flags, Signals
from leadapron.attacks.risk import Outcome

Doubles = NDArray[np.float64]

NULL = "null control (made-up members)"
FOUND = "planted patients"
FEWEST = 40
"""Patients, so that the planted few are not a large part of everybody."""


def null_control(signals: Signals, ratio: Doubles, patients: PatientScores, truth: Flags | None, seed: int) -> Outcome:
    """As many members as there are, or half where nobody knows, drawn among patients: whatever is found is an error."""
    everybody = np.arange(signals.patients)
    known = everybody < (len(everybody) + 1) // 2 if truth is None else truth
    drawn = np.random.default_rng(seed).permutation(known)
    records = auc_of(ratio, drawn[signals.patient], signals.patient)
    joint = auc_of(patients.joint, drawn, everybody)
    least = ((1 / int(drawn.sum()) + 1 / int((~drawn).sum())) / 12) ** 0.5  # of as many patients without a leak
    off = any(abs(auc.value - 0.5) > ERRORS_APART * max(auc.sd, least) for auc in (records, joint))
    reason = f"with made-up members the AUC of records is {records.value:.4f}, that of patients {joint.value:.4f}"
    return Outcome(NULL, "error" if off else "pass", reason)


def planted_patients(signals: Signals, answers: Answers, slope: float, seed: int) -> Outcome:
    """The target is made sure of some patients of whom the references are not: an attack must see these.

    Where the references are sure, too, nobody could see it: planted are some of the tenth for whom it would show most.
    """
    if signals.patients < FEWEST:
        return Outcome(FOUND, "not-run", f"fewer than {FEWEST} patients are too few to plant some among them")
    surest = np.maximum(answers.target, np.quantile(answers.target, 0.99))
    would_show = joint_scores(signals, log_ratio(replace(answers, target=surest), slope))[0]
    most = np.argsort(-would_show, kind="stable")[: max(PLANTED, signals.patients // 10)]
    chosen = np.random.default_rng(seed).permutation(most)[:PLANTED]
    rows = np.isin(signals.patient, chosen)
    planted = replace(answers, target=np.where(rows, surest, answers.target))
    p = ndtr(-joint_scores(signals, log_ratio(planted, slope))[0])
    caught = float((p[chosen] < LEVEL).mean())
    reason = f"of {len(chosen)} patients who were planted a share of {caught:.2f} is found, at p < {LEVEL}"
    return Outcome(FOUND, "pass" if caught >= 0.8 else "error", reason)
