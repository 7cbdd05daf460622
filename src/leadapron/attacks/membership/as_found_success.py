"""How well the attack on one model does where its members are known, and how much of that is not membership."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.membership.as_found_exposed import add_precision, exposed
from leadapron.attacks.membership.as_found_patients import PatientScores
from leadapron.attacks.membership.as_found_reading import AsFound
from leadapron.attacks.membership.as_found_scores import Answers
from leadapron.attacks.membership.as_found_shift import auc_of, matched, placebo, shift_outcome
from leadapron.attacks.membership.membership_measures import AGGREGATE, PATIENT
from leadapron.attacks.membership.membership_roc import curve_table, measure
from leadapron.attacks.membership.membership_rows import add_attack, where
from leadapron.attacks.membership.signals import Flags
from leadapron.audits.gathering import Gathering
from leadapron.stats import Outcome

Doubles = NDArray[np.float64]


def measure_success(
    found: Gathering, one: AsFound, attacks: dict[str, Doubles], patients: PatientScores, truth: Flags
) -> dict[str, pl.DataFrame]:
    """Of records and of patients; the intervals are over patients, for this one model and these references."""
    assert one.truth is not None
    everybody = np.arange(len(truth))
    of_records, of_patients = (where(level, one.signals.models) for level in (AGGREGATE, PATIENT))
    by_record, by_patient, accused = [], [], []
    for name, scores in attacks.items():
        figures, curves = measure(scores[:, None], one.truth[:, None], one.signals.patient)
        add_attack(found, name, figures, of_records)
        by_record.append(curve_table(name, curves))
    for name, scores in patients.attacks.items():
        figures, curves = measure(scores[:, None], truth[:, None], everybody)
        add_attack(found, name, figures, of_patients)
        by_patient.append(curve_table(name, curves))
        accused.append(exposed(name, scores, truth, figures))
        add_precision(found, accused[-1], of_patients)
    tables = {"roc": pl.concat(by_record), "roc_patients": pl.concat(by_patient)}
    at_few_alarms = pl.concat(accused)
    return {**tables, "exposed": at_few_alarms} if at_few_alarms.height else tables


def measure_shift(found: Gathering, one: AsFound, answers: Answers, ratio: Doubles, slope: float) -> list[Outcome]:
    """The references alone, the attack among records that are alike to them, and the attack on one of them."""
    assert one.truth is not None
    patient, at = one.signals.patient, where(AGGREGATE, one.signals.models)
    alone = auc_of(answers.reference, one.truth, patient)
    like = auc_of(matched(ratio, answers.reference, one.truth), one.truth, patient)
    on_reference, outcome = placebo(one, slope)
    for name, auc in {"reference-alone": alone, "rmia-matched": like, "rmia-placebo": on_reference}.items():
        if auc is not None:
            found.add("auc", auc, attacker=name, chance=0.5, **at)
    return [shift_outcome(alone, auc_of(ratio, one.truth, patient), like), outcome]
