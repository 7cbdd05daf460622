"""The attack on one model as it is found: offline RMIA, with one reference or more, and nobody's training planned.

Where it is known who the members are, success is measured. Where it is not, there are scores and ranks and no more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import rankdata

from leadapron.attacks.measurements import Measurements
from leadapron.attacks.membership import as_found_exposed as who
from leadapron.attacks.membership.as_found_attackers import attack
from leadapron.attacks.membership.as_found_controls import null_control, planted_patients
from leadapron.attacks.membership.as_found_limits import limits_of
from leadapron.attacks.membership.as_found_patients import PatientScores, patient_table
from leadapron.attacks.membership.as_found_reading import AsFound
from leadapron.attacks.membership.as_found_scores import SLOPE, Answers, ask
from leadapron.attacks.membership.as_found_shift import PLACEBO, SHIFT
from leadapron.attacks.membership.as_found_slopes import slope_table
from leadapron.attacks.membership.as_found_success import measure_shift, measure_success
from leadapron.attacks.membership.declared import Declared, risk_apart
from leadapron.attacks.membership.found import DIRECTION
from leadapron.attacks.membership.signals import Flags
from leadapron.attacks.risk import Outcome, Risk
from leadapron.attacks.withheld import told, told_in_words
from leadapron.errors import ConfigError

Doubles = NDArray[np.float64]

DESIGN = "as-found"
MEASURED = "success of the attack"
HEADLINES = ("tpr@fpr=0.01", "tpr@fpr=0.1", "auc")
"""The first that could be measured."""


@dataclass(frozen=True)
class AsFoundConfig:
    """What is asked. The slope is a constant, since nothing is there to tune it on."""

    slope: float = SLOPE
    declared: Declared = field(default_factory=Declared)
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.slope <= 1:
            raise ConfigError("not a slope", where="slope", got=self.slope, allowed="0 to 1")


def audit_as_found(found: AsFound, config: AsFoundConfig | None = None) -> Risk:
    """The whole attack. Nothing is drawn but reference records, permutations and controls, by the seed."""
    config = config or AsFoundConfig()
    signals, truth = found.signals, found.patient_truth()
    made = Measurements("membership", by_patient=True, redraws=0, seed=config.seed)
    with made.stage("scores"):
        answers = ask(signals, found.target, found.references)
        attacked = attack(found, answers, config.slope, config.seed)
        ratio, attacks, patients = attacked.ratio, attacked.records, attacked.patients
    evidence = {
        "records": _record_table(found, answers, ratio, attacks),
        "patients": patient_table(signals, patients, truth),
    }
    outcomes = [_measured(found)]
    if found.truth is not None and truth is not None:
        with made.stage("success"):
            evidence |= measure_success(made, found, attacks, patients, truth)
        with made.stage("shift"):
            outcomes += measure_shift(made, found, answers, ratio, config.slope)
    else:
        outcomes += [Outcome(check, "not-run", "nobody said who the members are") for check in (SHIFT, PLACEBO)]
    with made.stage("slopes"):
        evidence["slopes"] = slope_table(found, answers, config.slope)
    with made.stage("groups"):
        groups, tail = who.exposed_groups(found, ratio, config.seed)
        if groups.table.height:
            evidence["groups"] = groups.table
        if found.truth is not None:
            who.add_groups(made, found, tail, groups)
    with made.stage("controls"):
        outcomes.append(null_control(found, answers, config.slope, config.seed))
        outcomes.append(planted_patients(found, answers, config.slope, config.seed))
    facts: dict[str, object] = {
        "design": DESIGN,
        "truth": "unknown" if truth is None else "known",
        "counts": _counts(found, patients, truth, evidence),
        "headline": _headline(made, signals.models),
        "group_tests": groups.tests,
        "selective": [],
        "limits": limits_of(found, evidence["slopes"], config.slope),
        "targets": [found.target],
        "rmia_slope": config.slope,
        "alike": patients.alike,
        "risk": risk_apart(made.estimates, config.declared),
    }
    return Risk("membership", tuple(made.estimates), tuple(outcomes), facts, made.timings, evidence)


def _measured(found: AsFound) -> Outcome:
    if found.truth is None:
        reason = "not measured: nobody said who the members are. There are scores and ranks, and no one knows how good"
        return Outcome(MEASURED, "not-run", reason)
    members, others = (told_in_words(int(side.sum())) for side in (found.truth, ~found.truth))
    return Outcome(MEASURED, "pass", f"measured on {members} records of members and {others} of others")


def _headline(made: Measurements, models: int) -> dict[str, object]:
    there = {row.metric for row in made.estimates if (row.attacker, row.protocol) == ("joint", "patient")}
    metric = next((metric for metric in HEADLINES if metric in there), HEADLINES[-1])
    return {"direction": DIRECTION, "attacker": "joint", "protocol": "patient", "pool": models, "metric": metric}


def _record_table(found: AsFound, answers: Answers, ratio: Doubles, attacks: dict[str, Doubles]) -> pl.DataFrame:
    """A row a record, for the evidence; rank 1 is what the attack is surest to be a member's."""
    table = pl.DataFrame(
        {
            "record_id": found.signals.records["record_id"].cast(pl.String),
            "patient_id": found.signals.records["patient_id"].cast(pl.String),
            "score": attacks["rmia-offline"],
            "rank": rankdata(-ratio, method="min").astype(np.int64),
            "score_500": attacks["rmia-500"],
            "log_ratio": ratio,
            "log_p_target": answers.target,
            "log_p_references": answers.reference,
        }
    )
    return table if found.truth is None else table.with_columns(pl.Series("member", found.truth))


def _counts(
    found: AsFound, patients: PatientScores, truth: Flags | None, evidence: dict[str, pl.DataFrame]
) -> dict[str, int | None]:
    counts: dict[str, int | None] = {
        "models": found.signals.models,
        "targets": 1,
        "references": found.signals.models - 1,
        "records": len(found.signals),
        "patients": found.signals.patients,
        "patients_with_several": told(int((patients.records > 1).sum())),
        "labels": found.signals.outputs,
    }
    if found.truth is None or truth is None:
        return counts
    counts |= {"records_of_members": told(int(found.truth.sum())), "patients_members": told(int(truth.sum()))}
    if "exposed" in evidence:
        widest = evidence["exposed"].filter(attacker="joint").row(0, named=True)
        counts |= {"patients_accused": told(widest["accused"]), "patients_exposed": told(widest["members"])}
    return counts
