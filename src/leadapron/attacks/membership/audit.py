"""The membership audit: attacks on several models, the risk of records and patients, groups, and what was promised."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.groups import groupings, holm
from leadapron.attacks.measurements import Measurements
from leadapron.attacks.membership import attackers, found
from leadapron.attacks.membership.controls import Models, null_control, planted_patients, some_patients
from leadapron.attacks.membership.declared import Declared, risk_apart
from leadapron.attacks.membership.normality import LEVEL
from leadapron.attacks.membership.patients import (
    FEW_PATIENTS,
    FEWEST_ON_A_SIDE,
    PatientRisks,
    patient_risks,
    patient_table,
)
from leadapron.attacks.membership.promise import Promise, beyond
from leadapron.attacks.membership.records import RecordRisks, record_risks, record_table
from leadapron.attacks.membership.references import gather
from leadapron.attacks.membership.rmia import tuned_slope
from leadapron.attacks.membership.roc import curve_table, measure
from leadapron.attacks.membership.signals import Flags, Ints, Signals
from leadapron.attacks.membership.survival import survival
from leadapron.attacks.membership.tail import TAIL, TOLD_APART, in_tail, tail_groups
from leadapron.attacks.membership.true_shares import true_shares
from leadapron.attacks.risk import Outcome, Risk
from leadapron.attacks.withheld import told
from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError

Doubles = NDArray[np.float64]
NOT_GAUSSIAN = 0.05
"""More records than this share whose signals are not Gaussian, at one in a hundred, are worth a warning."""


@dataclass(frozen=True)
class MembershipConfig:
    """What is asked of the audit. Targets are the last models, or drawn by the seed; the others are references."""

    targets: int = 10
    random_targets: bool = False
    promise: Promise | None = None
    seed: int = 0
    declared: Declared = field(default_factory=Declared)


def audit_membership(signals: Signals, config: MembershipConfig | None = None, *, progress: Progress = silent) -> Risk:
    """The whole audit. Nothing is drawn but targets, folds, deals of models, permutations and controls, by the seed."""
    config = config or MembershipConfig()
    references, targets = choose_targets(signals.models, config)
    made = Measurements("membership", by_patient=True, redraws=0, seed=config.seed)
    evidence: dict[str, pl.DataFrame] = {}

    with made.stage("reference models"):
        slope = tuned_slope(signals, references, config.seed)
        gathered = gather(signals, references, targets)
    with made.stage("attacks on targets"):
        curves = []
        for name, attack in attackers.of(gathered).items():
            figures, tprs = measure(attack(gathered, slope), gathered.truth, signals.patient)
            found.add_attack(made, name, signals.models, figures)
            curves.append(curve_table(name, tprs))
        evidence["roc"] = pl.concat(curves)
    del gathered
    with made.stage("records"):
        records = record_risks(signals)
        found.add_records(made, signals, records)
        evidence["records"] = record_table(signals, records)
    with made.stage("patients"):
        patients = patient_risks(signals, records, config.seed, progress)
        evidence["patients"] = patient_table(signals, patients)
    with made.stage("controls"):
        some = some_patients(signals, config.seed)
        null, scatter = null_control(some, Models(references, targets), config.seed)
        planted = planted_patients(some, Models(references, targets), config.seed)
    with made.stage("survival"):
        found.add_patients(made, patients, scatter)
        evidence["survival"] = _survivals(made, patients, scatter, config.seed)
    with made.stage("groups"):
        tail = in_tail(records.gaussian.value)
        groups = tail_groups(signals.records, signals.patient, tail, config.seed)
        found.add_tail(made, signals, tail, groups, _rows_of_groups(signals.records))
        if groups.table.height:
            evidence["groups"] = groups.table
    facts: dict[str, object] = {
        "design": "many-models",
        "counts": _counts(signals, targets, records, patients, tail),
        "headline": {
            "direction": found.DIRECTION,
            "attacker": "joint",
            "protocol": "patient",
            "pool": signals.models,
            "metric": f"auc@top={found.TOPS[0]:g}",
        },
        "group_tests": groups.tests,
        "selective": [],
        "limits": _limits(signals, _trusted(records)),
        "targets": targets.tolist(),
        "rmia_slope": slope,
        "trusted": _trusted(records),
        "risk": risk_apart(made.estimates, config.declared),
    }
    if config.promise is not None:
        facts["promise"] = beyond(config.promise, records.gaussian, patients.joint, patients.maximum, patients.records)
    outcomes = null, planted, _gaussian(records, tail), *_too_few_models(patients)
    return Risk("membership", tuple(made.estimates), outcomes, facts, made.timings, evidence)


def choose_targets(models: int, config: MembershipConfig) -> tuple[Ints, Ints]:
    """References and targets. At least three quarters of the models stay references, and six."""
    most = max(1, min(models // 4, models - 6))
    if config.targets < 1:
        raise ConfigError("somebody must be attacked", where="targets", got=config.targets, allowed=f"1 to {most}")
    order = np.random.default_rng(config.seed).permutation(models) if config.random_targets else np.arange(models)
    count = min(config.targets, most)
    return np.sort(order[:-count]), np.sort(order[-count:])


def _survivals(made: Measurements, patients: PatientRisks, scatter: float, seed: int) -> pl.DataFrame:
    """All scores one below the other, with chance; the joint attack's once more without the scatter of estimates."""
    scores = {"maximum": patients.maximum, "calibrated": patients.calibrated, "joint": patients.joint.value}
    chances = found.chances(patients, scatter)
    tables = []
    for name, values in scores.items():
        table = survival(values).insert_column(0, pl.lit(name).alias("score"))
        chance = [chances[name].above(auc) for auc in table["auc"]]
        tables.append(table.with_columns(chance=pl.Series(chance, dtype=pl.Float64)))
    if patients.enough_models:
        truth = true_shares(patients.joint, seed)
        found.add_true_shares(made, patients, truth)
        tables.append(truth.select(pl.lit("joint-true").alias("score"), "*", pl.lit("deconvolved").alias("method")))
    return pl.concat(tables, how="diagonal")


def _rows_of_groups(records: pl.DataFrame) -> dict[str, Ints]:
    return {
        f"{name}={kind}": np.flatnonzero((column == kind).fill_null(False).to_numpy())
        for name, column in groupings(records, TOLD_APART).items()
        for kind in column.drop_nulls().unique()
    }


def _gaussian(records: RecordRisks, tail: Flags) -> Outcome:
    known = ~np.isnan(records.normal_p)
    if not known.any():
        return Outcome("Gaussian signals", "not-run", "fewer than 20 models on a side are too few to tell")
    share = float((records.normal_p[known] < LEVEL).mean())
    in_the_tail = float((records.normal_p[known & tail] < LEVEL).mean()) if (known & tail).any() else 0.0
    trust = "ranks" if share > NOT_GAUSSIAN else "the bi-normal AUC"
    reason = (
        f"at the level {LEVEL} a share of {share:.3f} of the records has signals that are not Gaussian, "
        f"and {in_the_tail:.3f} in the tail: trust {trust}"
    )
    return Outcome("Gaussian signals", "warn" if share > NOT_GAUSSIAN else "pass", reason)


def _too_few_models(patients: PatientRisks) -> list[Outcome]:
    if patients.enough_models:
        return []
    reason = (
        f"one patient in {round(1 / FEW_PATIENTS)} has fewer than {FEWEST_ON_A_SIDE} models with them or without: how "
        "many are exposed cannot be told from how estimates scatter"
    )
    return [Outcome("share of exposed patients", "not-run", reason)]


def _trusted(records: RecordRisks) -> str:
    return "mann-whitney" if records.ranks_trusted.mean() > NOT_GAUSSIAN else "bi-normal"


def _counts(
    signals: Signals, targets: Ints, records: RecordRisks, patients: PatientRisks, tail: Flags
) -> dict[str, int | None]:
    return {
        "models": signals.models,
        "targets": len(targets),
        "references": signals.models - len(targets),
        "records": len(signals),
        "patients": signals.patients,
        "patients_with_several": told(int((patients.records > 1).sum())),
        "labels": signals.outputs,
        "records_in_tail": told(int(tail.sum())),
        "records_not_gaussian": told(int(records.ranks_trusted.sum())),
        "patients_beyond_chance": told(int((np.array(holm(patients.p.tolist())) < 0.05).sum())),
    }


def _limits(signals: Signals, trusted: str) -> list[str]:
    limits = [
        "The audit speaks of models trained like these. The released one was trained once, on its own patients.",
        "An attacker is taken to hold the record itself and to know how such models are trained.",
        f"The tail is the top {TAIL:.0%} of the records by the bi-normal AUC; with other models it would differ.",
        "A patient's joint AUC is what an attacker reaches who learns from three quarters of these models, or from "
        "half of them where they are fewer than 40.",
    ]
    if trusted != "bi-normal":
        limits.append("Signals are not Gaussian: patients' AUCs, which are bi-normal, may understate the risk.")
    if signals.outputs > 1:
        limits.append("The AUC of a record, and the maximum over them, are of the labels' signals added up.")
    return limits
