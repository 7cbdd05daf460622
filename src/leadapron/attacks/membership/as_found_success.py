"""How well the attack on one model does where its members are known, and how much of that is not membership."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.measurements import Measurements
from leadapron.attacks.membership.as_found_exposed import add_precision, exposed
from leadapron.attacks.membership.as_found_patients import PatientScores
from leadapron.attacks.membership.as_found_reading import AsFound
from leadapron.attacks.membership.as_found_scores import Answers
from leadapron.attacks.membership.as_found_shift import auc_of, matched, placebo, shift_outcome
from leadapron.attacks.membership.found import DIRECTION, add_attack
from leadapron.attacks.membership.roc import Figure, curve_table, measure
from leadapron.attacks.membership.signals import Flags
from leadapron.attacks.risk import Outcome

Doubles = NDArray[np.float64]


def measure_success(
    made: Measurements, found: AsFound, attacks: dict[str, Doubles], patients: PatientScores, truth: Flags
) -> dict[str, pl.DataFrame]:
    """Of records and of patients; the intervals are over patients, for this one model and these references."""
    assert found.truth is not None
    models, everybody = found.signals.models, np.arange(len(truth))
    by_record, by_patient, accused = [], [], []
    for name, scores in attacks.items():
        figures, curves = measure(scores[:, None], found.truth[:, None], found.signals.patient)
        add_attack(made, name, models, figures)
        by_record.append(curve_table(name, curves))
    for name, scores in patients.attacks.items():
        figures, curves = measure(scores[:, None], truth[:, None], everybody)
        for figure in figures:
            made.add(DIRECTION, name, models, figure.metric, figure.chance, figure.estimate, protocol="patient")
        by_patient.append(curve_table(name, curves))
        accused.append(exposed(name, scores, truth, figures))
        add_precision(made, models, accused[-1])
    tables = {"roc": pl.concat(by_record), "roc_patients": pl.concat(by_patient)}
    at_few_alarms = pl.concat(accused)
    return {**tables, "exposed": at_few_alarms} if at_few_alarms.height else tables


def measure_shift(made: Measurements, found: AsFound, answers: Answers, ratio: Doubles, slope: float) -> list[Outcome]:
    """The references alone, the attack among records that are alike to them, and the attack on one of them."""
    assert found.truth is not None
    patient, models = found.signals.patient, found.signals.models
    alone = auc_of(answers.reference, found.truth, patient)
    like = auc_of(matched(ratio, answers.reference, found.truth), found.truth, patient)
    on_reference, outcome = placebo(found, slope)
    rows = {"reference-alone": alone, "rmia-matched": like, "rmia-placebo": on_reference}
    for name, auc in rows.items():
        if auc is not None:
            add_attack(made, name, models, [Figure("auc", 0.5, auc)])
    return [shift_outcome(alone, auc_of(ratio, found.truth, patient), like), outcome]
