"""Results of a membership audit that never took place: plausible, deterministic, with every part of the contract."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri

from leadapron.attacks.membership.declared import Declared, risk_apart
from leadapron.results import Findings, Measured, Results
from leadapron.stats import Outcome
from sample_results import estimate, write_risk
from tiny_results import inputs_of

MODELS, TARGETS, RECORDS, PATIENTS, TAIL = 200, 10, 48_000, 20_000, 480
SHIFTS = {"lira": 0.25, "lira-offline": 0.16, "rmia": 0.22, "rmia-offline": 0.14}
"""How far the scores of members lie above the others', in standard deviations; the strongest first."""
EVERYBODY = (*SHIFTS, "bi-normal", "mann-whitney", "joint", "calibrated", "maximum")
MEMORISED = 0.02
"""So much of a member's scores is far out: the curves lift off from guessing where false alarms are rare."""
FPRS = (0.1, 0.01, 0.001, 0.0001)
THRESHOLDS = np.concatenate([np.arange(50, 100) / 100, [0.995, 0.999, 0.9999]])
EXPOSED, AT_RISK, SCATTER = 0.004, 0.05, 0.1
"""Shares of patients who stand near one and somewhat above a half, and the error of a distance."""
GROUPS = {
    "sex=F": (23_500, 1.02), "sex=M": (24_500, 0.98),
    "race=Asian": (2_400, 2.3), "race=Black": (6_000, 1.4), "race=White": (39_194, 0.86),
    "race=Pacific": (400, 1.2),
    "age=20-29": (2_000, 0.5), "age=30-39": (7_000, 0.8), "age=90+": (1_200, 3.1),
    "label_edema=0": (44_000, 0.85), "label_edema=1": (4_000, 2.65),
}  # fmt: skip
ADJUSTED = {"sex": 1.0, "race": 0.0005, "age": 0.012, "label_edema": 0.0004}
SPOT = {"direction": "model-to-record", "pool": MODELS}


def tpr(shift: float, fpr: np.ndarray | float) -> np.ndarray:
    """A ROC curve in closed form: some members far out, the others shifted a little."""
    fpr = np.asarray(fpr, dtype=float)
    return MEMORISED * ndtr(ndtri(fpr) + 20 * shift) + (1 - MEMORISED) * ndtr(ndtri(fpr) + shift)


def auc(shift: float) -> float:
    return float(MEMORISED * ndtr(20 * shift / 2**0.5) + (1 - MEMORISED) * ndtr(shift / 2**0.5))


def share_above(threshold: np.ndarray | float, error: float = 0.02, lifted: float = 0.0) -> np.ndarray:
    """Patients above an AUC: nearly all at a half, some above, a few near one; estimates scatter by the error."""
    distance = ndtri(np.asarray(threshold, dtype=float)) - lifted
    rest = (1 - EXPOSED - AT_RISK) * ndtr(-distance / error)
    return rest + AT_RISK * ndtr((0.35 - distance) / np.hypot(0.15, error)) + EXPOSED * ndtr((2.2 - distance) / 0.6)


def above_by_chance(threshold: np.ndarray | float, lifted: float = 0.0) -> np.ndarray:
    return ndtr(-(ndtri(np.asarray(threshold, dtype=float)) - lifted) / SCATTER)


LIFTED = {"joint": 0.0, "calibrated": 0.0, "maximum": 0.12}


@cache
def estimates() -> list[Measured]:
    rows = []
    for attacker, shift in SHIFTS.items():
        where = {**SPOT, "attacker": attacker, "protocol": "aggregate"}
        rows.append(estimate(auc(shift), 0.5, RECORDS, **where, metric="auc"))
        rows += [estimate(float(tpr(shift, fpr)), fpr, RECORDS, **where, metric=f"tpr@fpr={fpr:g}") for fpr in FPRS]
    for attacker, value in {"bi-normal": 0.508, "mann-whitney": 0.507}.items():
        rows.append(estimate(value, 0.5, RECORDS, **SPOT, attacker=attacker, protocol="record", metric="auc"))
    for attacker, lifted in LIFTED.items():
        where = {**SPOT, "attacker": attacker, "protocol": "patient"}
        if attacker != "maximum":
            rows.append(estimate(0.512, 0.5, PATIENTS, **where, metric="auc"))
        for top in (0.01, 0.001):
            value = float(np.interp(-top, -share_above(THRESHOLDS, SCATTER, lifted), THRESHOLDS))
            chance = float(ndtr(lifted - ndtri(top) * SCATTER))
            rows.append(estimate(value, chance, PATIENTS, **where, metric=f"auc@top={top:g}"))
        for above in (0.7, 0.9, 0.99):
            value, chance = share_above(above, SCATTER, lifted), above_by_chance(above, lifted)
            metric = f"patients-above={above:g}"
            rows.append(estimate(float(value), max(float(chance), 1e-6), PATIENTS, **where, metric=metric))
    where = {**SPOT, "attacker": "joint", "protocol": "patient"}
    for above in (0.7, 0.9, 0.99):
        metric = f"true-patients-above={above:g}"
        rows.append(estimate(float(share_above(above)), 1e-6, PATIENTS, **where, metric=metric))
    where = {**SPOT, "attacker": "bi-normal", "protocol": "record", "metric": "in-tail"}
    overall = TAIL / RECORDS
    rows.append(estimate(overall, overall, RECORDS, **where))
    rows += [estimate(overall * f, overall, n, **where, group=name) for name, (n, f) in GROUPS.items()]
    return rows


@cache
def evidence() -> dict[str, pl.DataFrame]:
    fpr = np.concatenate([[0.0], np.geomspace(1e-5, 1, 101)])
    rocs = [pl.DataFrame({"attacker": name, "fpr": fpr, "tpr": tpr(shift, fpr)}) for name, shift in SHIFTS.items()]
    shares = {name: (share_above(THRESHOLDS, SCATTER, lifted), lifted) for name, lifted in LIFTED.items()}
    survivals = [
        _survival(name, share).with_columns(chance=pl.Series(above_by_chance(THRESHOLDS, lifted)))
        for name, (share, lifted) in shares.items()
    ]
    survivals.append(_survival("joint-true", share_above(THRESHOLDS)))
    groups = {
        "attribute": [name.partition("=")[0] for name in GROUPS],
        "group": [name.partition("=")[2] for name in GROUPS],
        "adjusted_residual": [10 * (factor - 1) for _, factor in GROUPS.values()],
    }
    return {
        "roc": pl.concat(rocs),
        "survival": pl.concat(survivals, how="diagonal"),
        "groups": pl.DataFrame(groups),
        "records": pl.DataFrame({"record_id": ["RECORD-4711"], "auc": [0.99]}),
        "patients": pl.DataFrame({"patient_id": ["PATIENT-0815"], "records": [3], "auc_joint": [0.99]}),
    }


def _survival(name: str, share: np.ndarray) -> pl.DataFrame:
    half = 1.96 * np.sqrt(share * (1 - share) / PATIENTS)
    columns = {"auc": THRESHOLDS, "share": share, "low": np.maximum(share - half, 0), "high": share + half}
    return pl.DataFrame({"score": [name] * len(share), **columns})


def promise() -> dict[str, object]:
    return {
        "unit": "record", "mu": None, "epsilons": [1.0], "deltas": [1e-5],
        "auc_bound_record": 0.731,
        "tpr_bound_record": {"0.1": 0.272, "0.01": 0.0272, "0.001": 0.0027, "0.0001": 0.00028},
        "auc_bound_patient": {"1": 0.731, "2": 0.881, "3": 0.953},
        "tpr_bound_patient": {}, "compared": {},
        "records": {"above": 320, "surely_above": 64}, "patients_by_record_bound": {"above": 410, "surely_above": 90},
        "patients": {"above": 44, "surely_above": 4}, "maxima_above_record_bound": 977,
    }  # fmt: skip


def sample_risk(declared: Declared | None = None) -> Findings:
    tests = [
        {"attribute": name, "groups": sum(group.startswith(f"{name}=") for group in GROUPS), "statistic": 11.2,
         "p": p / 4, "p_adjusted": p, "method": "chi-square of the tail's counts"}
        for name, p in ADJUSTED.items()
    ]  # fmt: skip
    facts = {
        "counts": {"models": MODELS, "targets": TARGETS, "references": MODELS - TARGETS, "records": RECORDS,
                   "patients": PATIENTS, "patients_with_several": 11_000, "labels": 1, "records_in_tail": TAIL,
                   "records_not_gaussian": 7, "patients_beyond_chance": 61},
        "headline": {**SPOT, "attacker": "joint", "protocol": "patient", "metric": "auc@top=0.01"},
        "group_tests": tests,
        "limits": ["The audit speaks of models trained like these."],
        "details": {
            "trusted": "bi-normal",
            "risk": risk_apart(estimates(), declared or Declared()).model_dump(mode="json"),
            "promise": promise(),
        },
    }  # fmt: skip
    outcomes = (
        Outcome(
            "null control (masks of other models)",
            "pass",
            "with masks of other models the mean AUC is 0.5003",
            EVERYBODY,
        ),
        Outcome(
            "planted patients",
            "pass",
            "of 5 patients who were planted a share of 1.00 is found, at p < 0.01",
            EVERYBODY,
        ),
        Outcome("Gaussian signals", "warn", "a share of 0.07 of the records has signals that are not Gaussian"),
    )
    return Findings(
        audit="membership", estimates=tuple(estimates()), outcomes=outcomes, timings={"records": 0.8}, **facts
    ).with_evidence(evidence())


def write_membership(folder: Path, declared: Declared | None = None, **changes: object) -> Results:
    """The sample as a folder, with parts of the content replaced."""
    hashes = {"signals.npy": "ab" * 32}
    inputs = inputs_of(hashes, release="signals", kind="signals", holds=(), mates=None)
    return write_risk(sample_risk(declared), folder, {"targets": TARGETS}, inputs=inputs, **changes)


def write_little(folder: Path) -> Results:
    """A small audit that found next to nothing: no rare alarms, no groups, no promise, nobody surely exposed."""
    results = write_membership(folder)
    nobody = {"value": 0.0, "low": 0.0, "high": 0.012}
    rows = tuple(
        row.model_copy(update=nobody) if row.metric.startswith("true-patients") else row
        for row in results.estimates
        if row.group is None and row.metric not in ("tpr@fpr=0.001", "tpr@fpr=0.0001", "auc@top=0.001")
    )
    counts = {**results.counts, "records": 600, "patients": 300, "records_in_tail": 6}
    risk = risk_apart(rows, Declared(access=0.2, prior=0.01)).model_dump(mode="json")
    return results.updated(
        estimates=rows, counts=counts, group_tests=(), details={"trusted": "bi-normal", "risk": risk}
    )
