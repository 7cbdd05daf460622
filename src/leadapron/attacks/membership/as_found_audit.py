"""The attack on one model as it is found: offline RMIA, with one reference or more, and no training planned.

Where the members are known, success is measured. Where they are not, there are scores and ranks and no more.
"""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field
from scipy.stats import rankdata

from leadapron.attacks.membership.as_found_attackers import attack
from leadapron.attacks.membership.as_found_controls import null_control, planted_patients
from leadapron.attacks.membership.as_found_exposed import add_exposed_groups
from leadapron.attacks.membership.as_found_limits import limits_of
from leadapron.attacks.membership.as_found_measures import COORDINATES, MEASURES, PLACE, PLAIN
from leadapron.attacks.membership.as_found_page import PAGE
from leadapron.attacks.membership.as_found_patients import PatientScores, patient_table
from leadapron.attacks.membership.as_found_reading import AsFound, FoundModels
from leadapron.attacks.membership.as_found_scores import SLOPE, Answers, ask
from leadapron.attacks.membership.as_found_shift import PLACEBO, SHIFT
from leadapron.attacks.membership.as_found_slopes import slope_table
from leadapron.attacks.membership.as_found_success import measure_shift, measure_success
from leadapron.attacks.membership.declared import DeclaredConfig, risk_apart
from leadapron.attacks.membership.membership_measures import PATIENT
from leadapron.attacks.membership.membership_rows import where
from leadapron.attacks.membership.signals import Flags
from leadapron.attacks.membership.signals_subject import load_as_found
from leadapron.audits.audit import NOTHING, Audit, Knowledge
from leadapron.audits.gathering import Gathering
from leadapron.engine import Progress, silent
from leadapron.results import Findings, Spot
from leadapron.results.withheld import told, told_in_words
from leadapron.stats import Outcome

Doubles = NDArray[np.float64]

MEASURED = "success of the attack"
HEADLINES = ("tpr@fpr=0.01", "tpr@fpr=0.1", "auc")
"""The first that could be measured."""


class AsFoundConfig(DeclaredConfig):
    """The slope is a constant, since nothing is there to tune it on."""

    target: int = Field(
        default=0, ge=0, description="The row of the model that is attacked; the others are references."
    )
    slope: float = Field(
        default=SLOPE,
        ge=0,
        le=1,
        description="Where other models give p, a model is taken to give its members SLOPE p + 1 - SLOPE.",
    )


def audit_as_found(models: FoundModels, config: AsFoundConfig | None = None) -> Findings:
    """The whole attack. Nothing is drawn but reference records, permutations and controls, by the seed."""
    config = config or AsFoundConfig()
    one = models.target(config.target)
    signals, truth = one.signals, one.patient_truth()
    found = Gathering(AS_FOUND, seed=config.seed)
    with found.stage("scores"):
        answers = ask(signals, one.target, one.references)
        attacked = attack(one, answers, config.slope, config.seed)
        ratio, attacks, patients = attacked.ratio, attacked.records, attacked.patients
    evidence = {
        "records": _record_table(one, answers, ratio, attacks),
        "patients": patient_table(signals, patients, truth),
    }
    outcomes = [_measured(one)]
    if truth is not None:
        with found.stage("success"):
            evidence |= measure_success(found, one, attacks, patients, truth)
        with found.stage("shift"):
            outcomes += measure_shift(found, one, answers, ratio, config.slope)
    else:
        outcomes += [Outcome(check, "not-run", "the members are not known") for check in (SHIFT, PLACEBO)]
    with found.stage("slopes"):
        evidence["slopes"] = slope_table(one, answers, config.slope)
    with found.stage("groups"):
        groups = add_exposed_groups(found, one, ratio)
        if groups.table.height:
            evidence["groups"] = groups.table
    with found.stage("controls"):
        outcomes.append(null_control(one, answers, config.slope, config.seed))
        outcomes.append(planted_patients(one, answers, config.slope, config.seed))
    return Findings(
        audit="as-found",
        headline=_headline(found, signals.models),
        estimates=tuple(found.estimates),
        outcomes=tuple(outcomes),
        counts=_counts(one, patients, truth, evidence),
        group_tests=groups.tests,
        limits=tuple(limits_of(one, evidence["slopes"], config.slope)),
        details={
            "slope": config.slope,
            "alike": patients.alike,
            "risk": risk_apart(found.estimates, config.declared).model_dump(mode="json"),
        },
        timings=found.timings,
    ).with_evidence(evidence)


def _measured(one: AsFound) -> Outcome:
    if one.truth is None:
        reason = "not measured: the members are not known. There are scores and ranks, and how good they are is unknown"
        return Outcome(MEASURED, "not-run", reason)
    members, others = (told_in_words(int(side.sum())) for side in (one.truth, ~one.truth))
    return Outcome(MEASURED, "pass", f"measured on {members} records of members and {others} of others")


def _headline(found: Gathering, models: int) -> Spot:
    at = where(PATIENT, models)
    there = {row.metric for row in found.estimates if row.has(attacker="joint", **at)}
    metric = next((metric for metric in HEADLINES if metric in there), HEADLINES[-1])
    return Spot(metric=metric, attacker="joint", **at)


def _record_table(one: AsFound, answers: Answers, ratio: Doubles, attacks: dict[str, Doubles]) -> pl.DataFrame:
    """A row per record, for the evidence; rank 1 is what the attack is surest to be a member's."""
    table = pl.DataFrame(
        {
            "record_id": one.signals.records["record_id"].cast(pl.String),
            "patient_id": one.signals.records["patient_id"].cast(pl.String),
            "score": attacks["rmia-offline"],
            "rank": rankdata(-ratio, method="min").astype(np.int64),
            "score_500": attacks["rmia-500"],
            "log_ratio": ratio,
            "log_p_target": answers.target,
            "log_p_references": answers.reference,
        }
    )
    return table if one.truth is None else table.with_columns(pl.Series("member", one.truth))


def _counts(
    one: AsFound, patients: PatientScores, truth: Flags | None, evidence: dict[str, pl.DataFrame]
) -> dict[str, int | None]:
    counts: dict[str, int | None] = {
        "models": one.signals.models,
        "targets": 1,
        "references": one.signals.models - 1,
        "records": len(one.signals),
        "patients": one.signals.patients,
        "patients_with_several": told(int((patients.records > 1).sum())),
        "labels": one.signals.outputs,
    }
    if one.truth is None or truth is None:
        return counts
    counts |= {"records_of_members": told(int(one.truth.sum())), "patients_members": told(int(truth.sum()))}
    if "exposed" in evidence:
        widest = evidence["exposed"].filter(attacker="joint").row(0, named=True)
        counts |= {"patients_accused": told(widest["accused"]), "patients_exposed": told(widest["members"])}
    return counts


def _run(
    models: FoundModels, config: AsFoundConfig, _knowledge: Knowledge = NOTHING, _progress: Progress = silent
) -> Findings:
    return audit_as_found(models, config)


AS_FOUND = Audit(
    name="as-found",
    answers="member",
    question="was a patient among those that one published model was trained on?",
    config=AsFoundConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    coordinates=COORDINATES,
    place=PLACE,
    subject="signals",
    takes=frozenset(),
    load=load_as_found,
    policy=files("leadapron.attacks.membership").joinpath("as_found_policy.toml").read_text(),
    page=PAGE,
)
