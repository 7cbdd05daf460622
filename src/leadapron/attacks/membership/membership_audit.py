"""The membership audit: attacks on several models, the risk of records and patients, groups, and what was promised."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import polars as pl

from leadapron.attacks.membership import membership_rows as rows
from leadapron.attacks.membership import record_attackers
from leadapron.attacks.membership.beyond_promise import beyond
from leadapron.attacks.membership.declared import risk_apart
from leadapron.attacks.membership.membership_config import MembershipConfig
from leadapron.attacks.membership.membership_controls import Models, null_control, planted_patients, some_patients
from leadapron.attacks.membership.membership_measures import (
    AGGREGATE,
    COORDINATES,
    EXPOSED,
    MEASURES,
    PATIENT,
    PLACE,
    PLAIN,
)
from leadapron.attacks.membership.membership_page import PAGE
from leadapron.attacks.membership.membership_roc import curve_table, measure
from leadapron.attacks.membership.normality import LEVEL
from leadapron.attacks.membership.patient_aucs import (
    FEW_PATIENTS,
    FEWEST_ON_A_SIDE,
    PatientRisks,
    patient_risks,
    patient_table,
)
from leadapron.attacks.membership.records import RecordRisks, record_risks, record_table
from leadapron.attacks.membership.references import gather
from leadapron.attacks.membership.rmia import tuned_slope
from leadapron.attacks.membership.signals import Flags, Ints, Signals
from leadapron.attacks.membership.signals_subject import load_signals
from leadapron.attacks.membership.survival import survival
from leadapron.attacks.membership.tail import TAIL, in_tail, tail_groups
from leadapron.attacks.membership.true_shares import true_shares
from leadapron.audits.audit import NOTHING, Audit, Effort, Knowledge
from leadapron.audits.gathering import Gathering
from leadapron.audits.groups import holm
from leadapron.engine import Progress, silent
from leadapron.results import Findings, Spot
from leadapron.results.withheld import told
from leadapron.stats import Outcome

NOT_GAUSSIAN = 0.05
"""More records than this share whose signals are not Gaussian, at one in a hundred, are worth a warning."""


def audit_membership(
    signals: Signals, config: MembershipConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """The whole audit. Nothing is drawn but targets, folds, deals of models, permutations and controls, by the seed."""
    config = config or MembershipConfig()
    references, targets = choose_targets(signals.models, config)
    found = Gathering(MEMBERSHIP, seed=config.seed)
    evidence: dict[str, pl.DataFrame] = {}

    with found.stage("reference models"):
        slope = tuned_slope(signals, references, config.seed)
        gathered = gather(signals, references, targets)
    with found.stage("attacks on targets"):
        curves, at = [], rows.where(AGGREGATE, signals.models)
        for name, attack in record_attackers.of(gathered).items():
            figures, tprs = measure(attack(gathered, slope), gathered.truth, signals.patient)
            rows.add_attack(found, name, figures, at)
            curves.append(curve_table(name, tprs))
        evidence["roc"] = pl.concat(curves)
    del gathered
    with found.stage("records"):
        records = record_risks(signals)
        rows.add_records(found, signals, records)
        evidence["records"] = record_table(signals, records)
    with found.stage("patients"):
        patients = patient_risks(signals, records, config.seed, progress)
        evidence["patients"] = patient_table(signals, patients)
    with found.stage("controls"):
        some = some_patients(signals, config.seed)
        null, scatter = null_control(some, Models(references, targets), config.seed)
        planted = planted_patients(some, Models(references, targets), config.seed)
    with found.stage("survival"):
        rows.add_patients(found, patients, scatter)
        evidence["survival"] = _survivals(found, patients, scatter)
    with found.stage("groups"):
        tail = in_tail(records.gaussian.value)
        groups = tail_groups(signals.records, signals.patient, tail, config.seed)
        rows.add_tail(found, groups, tail, signals.patient, attacker="bi-normal", models=signals.models)
        if groups.table.height:
            evidence["groups"] = groups.table
    details: dict[str, object] = {
        "targets": targets.tolist(),
        "rmia_slope": slope,
        "trusted": _trusted(records),
        "risk": risk_apart(found.estimates, config.declared).model_dump(mode="json"),
    }
    if config.promise is not None:
        held = beyond(config.promise, records.gaussian, patients.joint, patients.maximum, patients.records)
        details["promise"] = held.model_dump(mode="json")
    top = f"auc@top={rows.TOPS[0]:g}"
    return Findings(
        audit="membership",
        headline=Spot(metric=top, attacker="joint", **rows.where(PATIENT, signals.models)),
        estimates=tuple(found.estimates),
        outcomes=(null, planted, _gaussian(records, tail), *_too_few_models(patients)),
        counts=_counts(signals, targets, records, patients, tail),
        group_tests=groups.tests,
        limits=_limits(signals, _trusted(records)),
        details=details,
        timings=found.timings,
    ).with_evidence(evidence)


def choose_targets(models: int, config: MembershipConfig) -> tuple[Ints, Ints]:
    """References and targets. At least three quarters of the models stay references, and six."""
    most = max(1, min(models // 4, models - 6))
    order = np.random.default_rng(config.seed).permutation(models) if config.random_targets else np.arange(models)
    count = min(config.targets, most)
    return np.sort(order[:-count]), np.sort(order[-count:])


def _survivals(found: Gathering, patients: PatientRisks, scatter: float) -> pl.DataFrame:
    """All scores one below the other, with chance; the joint attack's once more without the scatter of estimates."""
    scores = {"maximum": patients.maximum, "calibrated": patients.calibrated, "joint": patients.joint.value}
    chances = rows.chances(patients, scatter)
    tables = []
    for name, values in scores.items():
        table = survival(values).insert_column(0, pl.lit(name).alias("score"))
        chance = [chances[name].above(auc) for auc in table["auc"]]
        tables.append(table.with_columns(chance=pl.Series(chance, dtype=pl.Float64)))
    if patients.enough_models:
        truth = true_shares(patients.joint, found.seed)
        rows.add_true_shares(found, patients, truth)
        tables.append(truth.select(pl.lit("joint-true").alias("score"), "*", pl.lit("deconvolved").alias("method")))
    return pl.concat(tables, how="diagonal")


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


def _limits(signals: Signals, trusted: str) -> tuple[str, ...]:
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
    return tuple(limits)


def _run(
    signals: Signals, config: MembershipConfig, _knowledge: Knowledge = NOTHING, progress: Progress = silent
) -> Findings:
    return audit_membership(signals, config, progress=progress)


MEMBERSHIP = Audit(
    name="membership",
    answers="member",
    effort=Effort(4.0, 8.0),
    question="was a patient among those that a model was trained on?",
    config=MembershipConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    coordinates=COORDINATES,
    place=PLACE,
    in_trials=(
        {"metric": "auc", "attacker": "lira", "protocol": AGGREGATE},
        {"metric": EXPOSED, "attacker": "joint", "protocol": PATIENT},
    ),
    placed_by={"metric": EXPOSED, "attacker": "joint", "protocol": PATIENT},
    subject="signals",
    takes=frozenset(),
    load=load_signals,
    policy=files("leadapron.attacks.membership").joinpath("policy.toml").read_text(),
    page=PAGE,
)
