"""Results of an audit that never took place: plausible, deterministic, and with every part of the contract."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from leadapron.results import Findings, Measured, Results, read_results, save_results
from leadapron.stats import Outcome
from tiny_results import inputs_of

REPORTS, RECORDS, PATIENTS = 3_000, 3_412, 1_204
POOLS = (100, 1_000, REPORTS)
HARD_POOL = 1_000
STRENGTHS = {"csls": 2.12, "cosine": 1.95, "pooled": 2.0, "realigned": 1.7}
EVERYBODY = (*STRENGTHS, "assignment")
DIRECTIONS = ("image-to-report", "report-to-image")
GROUPS = {
    "sex=F": (1_590, 1.05), "sex=M": (1_822, 0.95),
    "age=18-39": (402, 0.8), "age=40-59": (1_031, 0.9), "age=60-79": (1_514, 1.05), "age=80+": (465, 1.3),
    "view=AP": (2_104, 1.15), "view=PA": (1_308, 0.75),
    "race=Asian": (240, 1.1), "race=Black": (702, 1.0), "race=White": (2_464, 1.0), "race=Other": (6, 3.0),
    "label_enlarged_cardiomediastinum=1": (604, 1.4), "label_no_finding=1": (1_120, 0.35),
    "label_pneumothorax=1": (88, 2.4),
    "label_support_devices=1": (911, 1.8), "label_support_devices=0": (2_501, 0.7), "label_fracture=1": (9, 2.0),
}  # fmt: skip
ADJUSTED = {"sex": 0.42, "age": 0.031, "view": 0.004, "race": 0.88,
            "label_enlarged_cardiomediastinum": 0.012, "label_no_finding": 0.0004,
            "label_pneumothorax": 0.0008, "label_support_devices": 0.0004, "label_fracture": 1.0}  # fmt: skip


def recall(strength: float, pool: np.ndarray | int) -> np.ndarray:
    """Recall@1 of an attacker to whom a share u**strength of the candidates looks better than the true one."""
    better = (np.arange(1_000) + 0.5) / 1_000
    return np.mean((1 - better[:, None] ** strength) ** (np.atleast_1d(pool)[None, :] - 1), axis=0)


def estimate(value, chance, n, **keys) -> Measured:
    sd = float(np.sqrt(value * (1 - value) / n))
    fixed = {"group": None, "protocol": "random", "metric": "recall@1", **keys}
    low, high = max(value - 1.96 * sd, 0.0), min(value + 1.96 * sd, 1.0)
    numbers = {"value": float(value), "low": low, "high": high, "sd": sd, "chance": float(chance), "n": n}
    patients = n * 6 // 17 if n >= 30 else None  # as in the sample itself; fewer than ten are not counted out
    return Measured(**fixed, **numbers, patients=patients)


@cache
def estimates() -> list[Measured]:
    rows = []
    for direction, weaker in zip(DIRECTIONS, (1.0, 0.9), strict=True):
        for attacker, strength in STRENGTHS.items():
            spot = {"direction": direction, "attacker": attacker}
            for protocol, pools in (("random", POOLS), ("hard", (HARD_POOL,))):
                for pool in pools:
                    one = weaker * recall(strength, pool)[0] * (0.68 if protocol == "hard" else 1)
                    for metric, times in (("recall@1", 1), ("recall@5", 3.4), ("recall@10", 5.3), ("mrr", 2.3)):
                        k = int(metric.partition("@")[2] or 0)
                        chance = k / pool if k else sum(1 / i for i in range(1, pool + 1)) / pool
                        value = min(one * times, 0.97)
                        where = {"protocol": protocol, "pool": pool, "metric": metric}
                        rows.append(estimate(value, chance, RECORDS, **spot, **where))
        whole = {"direction": direction, "attacker": "assignment", "pool": REPORTS}
        rows.append(estimate(weaker * 0.022, 1 / REPORTS, RECORDS, **whole))
    spot = {"direction": "image-to-report", "attacker": "csls", "pool": HARD_POOL}
    value = recall(STRENGTHS["csls"], HARD_POOL)[0]
    rows.append(estimate(value * 2.1, 0.0028, PATIENTS, **spot, metric="patient-linked"))
    rows.append(estimate(value * 1.6, 0.0026, PATIENTS, **spot, metric="patient-report"))
    rows += [estimate(value * f, 1 / HARD_POOL, n, **spot, group=name) for name, (n, f) in GROUPS.items()]
    return rows


@cache
def evidence() -> dict[str, pl.DataFrame]:
    every, some = np.arange(2, REPORTS + 1), np.unique(np.geomspace(2, REPORTS, 25).round().astype(int))
    curve, bands, answers = [], [], []
    for direction, weaker in zip(DIRECTIONS, (1.0, 0.9), strict=True):
        for attacker, strength in STRENGTHS.items():
            keys = {"direction": direction, "attacker": attacker}
            curve.append(pl.DataFrame({"pool": every, "recall": weaker * recall(strength, every)}).with_columns(
                **{key: pl.lit(name) for key, name in keys.items()}))  # fmt: skip
            value = weaker * recall(strength, some)
            half = 1.96 * np.sqrt(value * (1 - value) / RECORDS)
            columns = {"pool": some, "value": value, "low": value - half, "high": value + half, "chance": 1 / some}
            bands.append(pl.DataFrame(columns).with_columns(**{key: pl.lit(name) for key, name in keys.items()}))
            coverage = np.unique((np.geomspace(1, RECORDS, 300)).round()) / RECORDS
            precision = 1 / (1 + (coverage / (0.05 * (strength - 1))) ** 1.5) * 0.97 + 0.03 * recall(strength, 1_000)[0]
            answers.append(pl.DataFrame({"coverage": coverage, "precision": weaker * precision}).with_columns(
                **{key: pl.lit(name) for key, name in keys.items()}))  # fmt: skip
    risk = np.linspace(0, 1, 101)
    share = np.exp(-4.6 * risk**0.55)
    half = 1.96 * np.sqrt(share * (1 - share) / PATIENTS)
    survival = {"risk": risk, "share": share, "low": np.maximum(share - half, 0), "high": np.minimum(share + half, 1)}
    secret = {"record_id": ["RECORD-4711"], "patient_id": ["PATIENT-0815"], "direction": ["image-to-report"],
              "attacker": ["csls"], "above": [0], "ties": [0], "recall": [1.0]}  # fmt: skip
    return {
        "curve": pl.concat(curve),
        "bands": pl.concat(bands),
        "precision_coverage": pl.concat(answers),
        "survival": pl.DataFrame(survival),
        "records": pl.DataFrame(secret),
        "patients": pl.DataFrame({"patient_id": ["PATIENT-0815"], "images": [3], "risk": [0.9]}),
    }


def sample_risk() -> Findings:
    tests = [
        {"attribute": name, "groups": sum(group.startswith(f"{name}=") for group in GROUPS) or 1, "statistic": 3.2,
         "p": p / 9, "p_adjusted": p, "method": "permutation of patients"}
        for name, p in ADJUSTED.items()
    ]  # fmt: skip
    facts = {
        "counts": {"records": RECORDS, "patients": PATIENTS, "reports": REPORTS, "distinct_reports": 2_871},
        "headline": {"direction": "image-to-report", "attacker": "csls", "protocol": "random", "pool": 1_000,
                     "metric": "recall@1"},
        "group_tests": tests,
        "details": {"selective": [
            {"direction": "image-to-report", "attacker": "csls", "precision": 0.9, "patients": 14,
             "share": 14 / PATIENTS, "low": 0.007, "high": 0.019},
            {"direction": "image-to-report", "attacker": "cosine", "precision": 0.9, "patients": None,
             "share": None, "low": None, "high": None},
        ]},
        "limits": [
            "The attackers are those that are known today; a stronger one may link more.",
            "The pools are drawn from this release: an attacker with other reports may do better or worse.",
        ],
    }  # fmt: skip
    outcomes = (
        Outcome(
            "null control (shuffled pairs)",
            "pass",
            "recall@1 is 0.11 %, chance is 0.10 % (interval 0.02–0.21 %)",
            EVERYBODY,
        ),
        Outcome("planted leak", "pass", "98 of 100 planted pairs were found", EVERYBODY),
        Outcome("hard pool", "warn", "12 label vectors occur once: their pools hold candidates at a distance"),
    )
    timings = {"ranking": 1.84, "pools": 0.41, "bootstrap": 0.93}
    return Findings(
        audit="linkage", estimates=tuple(estimates()), outcomes=outcomes, timings=timings, **facts
    ).with_evidence(evidence())


def write_sample(folder: Path, **changes: object) -> Results:
    """The sample as a folder, with parts of the content replaced."""
    config = {"pools": list(POOLS), "hard_pool": HARD_POOL, "resample": "patient", "known_pairs": 0.01}
    return write_risk(sample_risk(), folder, config, **changes)


def write_risk(risk: Findings, folder: Path, config: dict[str, object], **changes: object) -> Results:
    """A risk as an audit of the phantom clinic leaves it, with parts of the content replaced."""
    results = Results.of(
        risk,
        title="Phantom clinic, encoder “phantom-reports”",
        command=f"leadapron audit {risk.audit} out/demo/phantom-reports --out out/audit --seed 7",
        seed=7,
        config=config,
        inputs=inputs_of(release="out/demo/phantom-reports", encoder="phantom-reports", cohort="phantom clinic"),
        versions={"leadapron": "0.1.0", "python": "3.11.7", "numpy": "2.1.0", "polars": "1.30.0"},
    )  # fmt: skip
    save_results(results, folder)
    file = folder / "results.json"
    content = {**json.loads(file.read_text()), "created": "2026-01-02T03:04:05+00:00", **changes}
    file.write_text(json.dumps(content, indent=1))
    return read_results(folder)
