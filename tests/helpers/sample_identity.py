"""Results of an identity audit that never took place: plausible, deterministic, with every part of the contract."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from leadapron.results import Findings, Measured, Results
from leadapron.stats import Outcome
from sample_results import estimate, write_risk

RECORDS, PATIENTS, WITH_TWO, ALONE = 4_210, 1_350, 1_010, 340
PAIRS, SAME_DAY, SAME_PICTURE = 6_400, 512, 37
QUERIES = RECORDS - ALONE
POOLS = (10, 100, 1_000, RECORDS - 1)
SPREADS = {"learned": 2.4, "whitened": 1.8, "cosine": 1.5, "euclidean": 1.45}
"""How far the scores of one patient's pairs lie above strangers', in standard deviations; the strongest first."""
EVERYBODY = tuple(SPREADS)
WEAKER = {"all-pairs": 1.0, "apart": 0.95, "matched": 0.8}
FPRS = (0.01, 0.001, 0.0001)
STRATA = {
    "years=0": (2_900, 0.93), "years=1": (1_800, 0.88), "years=2": (900, 0.83), "years=10": (40, 0.7),
    "years=11": (7, 0.6),
    "view=changed": (1_700, 0.79), "view=same": (4_690, 0.92),
    "devices=in both": (800, 0.84), "devices=in neither": (4_000, 0.91), "devices=in one": (1_600, 0.86),
    "new_edema=appears": (310, 0.72), "new_enlarged_cardiomediastinum=appears": (150, 0.78),
}  # fmt: skip
GROUPS = {
    "sex=F": (1_850, 0.99), "sex=M": (2_020, 1.01), "view=AP": (2_400, 0.97), "view=PA": (1_470, 1.04),
    "label_edema=0": (3_500, 1.01), "label_edema=1": (370, 0.9),
    "label_fracture=0": (3_861, 1.0), "label_fracture=1": (9, 1.1),
}  # fmt: skip
KNOWN = {1: 0.52, 2: 0.61, 3: 0.66, 5: 0.71}
RANKS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)
SPOT = {"direction": "image-to-image"}
_NORMAL = (np.arange(4_000) + 0.5) / 4_000


def normal_scores() -> np.ndarray:
    """Quantiles of a distribution close to a normal one."""
    return np.log(_NORMAL / (1 - _NORMAL)) / 1.702


def share_above(threshold: np.ndarray | float, shift: float) -> np.ndarray:
    """The share of scores above a threshold, where they are shifted by so much."""
    return 1 / (1 + np.exp(1.702 * (np.asarray(threshold) - shift)))


def tpr(shift: float, fpr: np.ndarray | float) -> np.ndarray:
    """A ROC curve in closed form."""
    fpr = np.asarray(fpr, dtype=float)
    return share_above(np.log((1 - fpr) / fpr) / 1.702, shift)


def auc(shift: float) -> float:
    return float(share_above(normal_scores(), shift).mean())


def found_first(shift: float, pool: np.ndarray | int) -> np.ndarray:
    """The chance that a mate comes ahead of so many strangers but one."""
    above = share_above(normal_scores() + 2.5 * shift, 0.0)
    return np.mean((1 - above[:, None]) ** (np.atleast_1d(pool)[None, :] - 1), axis=0)


def chance_first(pool: np.ndarray | int) -> np.ndarray:
    return 3.8 / (3.8 + np.asarray(pool) - 1)


@cache
def estimates() -> list[Measured]:
    rows = []
    for attacker, spread in SPREADS.items():
        spot = {**SPOT, "attacker": attacker}
        for protocol, weaker in WEAKER.items():
            shift, n = weaker * spread, PAIRS if protocol != "apart" else PAIRS - SAME_DAY - SAME_PICTURE
            where = {**spot, "protocol": protocol, "pool": RECORDS}
            error = float(share_above(shift / 2, 0.0))
            rows.append(estimate(auc(shift), 0.5, n, **where, metric="auc"))
            rows.append(estimate(error, 0.5, n, **where, metric="eer"))
            rows += [estimate(tpr(shift, fpr), fpr, n, **where, metric=f"tpr@fpr={fpr}") for fpr in FPRS]
            if protocol == "all-pairs":
                for metric in ("accuracy", "specificity", "recall", "precision", "f1"):
                    rows.append(estimate(1 - error, 0.5, n, **where, metric=metric))
        for pool in POOLS:
            where = {**spot, "pool": pool, "metric": "precision@1"}
            rows.append(estimate(found_first(spread, pool)[0], chance_first(pool), QUERIES, **where))
        where = {**spot, "pool": POOLS[-1]}
        rows.append(estimate(0.2 * spread, 0.0005, QUERIES, **where, metric="map@r"))
        rows.append(estimate(0.22 * spread, 0.0009, QUERIES, **where, metric="r-precision"))
        first = {**spot, "metric": "precision@1"}
        rows.append(
            estimate(found_first(0.95 * spread, 4_209)[0], 0.0008, 3_600, **first, protocol="apart", pool=4_209)
        )
        rows.append(estimate(found_first(0.8 * spread, 100)[0], 0.02, 2_900, **first, protocol="matched", pool=100))
    spot = {**SPOT, "attacker": "learned"}
    value = found_first(SPREADS["learned"], 1_000)[0]
    rows.append(estimate(0.93, 0.013, WITH_TWO, **spot, pool=1_000, metric="patient-recognised"))
    where = {**spot, "pool": 1_000, "metric": "precision@1"}
    rows += [estimate(value * f, 0.0037, n, **where, group=name) for name, (n, f) in GROUPS.items()]
    where = {**spot, "pool": RECORDS, "metric": "tpr", "protocol": "all-pairs"}
    rows += [estimate(share, 0.11, n, **where, group=name) for name, (n, share) in STRATA.items()]
    where = {**spot, "pool": 1_000, "metric": "precision@1", "protocol": "fused"}
    rows += [estimate(v, 0.001, 900, **where, group=f"known_images={number}") for number, v in KNOWN.items()]
    return rows


@cache
def evidence() -> dict[str, pl.DataFrame]:
    strangers = {"all-pairs": 8_000_000, "matched": 40_000}
    sizes = np.unique(np.geomspace(2, POOLS[-1], 25).round().astype(int))
    rocs, galleries, cmcs = [], [], []
    for attacker, spread in SPREADS.items():
        for protocol, number in strangers.items():
            fpr = np.geomspace(1 / number, 1 - 1e-9, 300)
            columns = {"fpr": fpr, "tpr": tpr(WEAKER[protocol] * spread, fpr)}
            keys = {"attacker": pl.lit(attacker), "protocol": pl.lit(protocol)}
            rocs.append(pl.DataFrame(columns).with_columns(**keys))
        value = found_first(spread, sizes)
        galleries.append(_banded(attacker, value, pool=sizes, chance=chance_first(sizes)))
        within = found_first(spread, 4_209)[0] ** (1 / (1 + np.log(np.array(RANKS))))
        cmcs.append(_banded(attacker, within, rank=np.array(RANKS)))
    risk = np.linspace(0, 1, 101)
    share = 1 - 0.2 * risk**0.5
    secret = {"record_id": ["RECORD-4711"], "patient_id": ["PATIENT-0815"], "direction": ["image-to-image"],
              "attacker": ["learned"], "above": [0], "ties": [0], "recall": [1.0]}  # fmt: skip
    return {
        "roc": pl.concat(rocs),
        "gallery": pl.concat(galleries),
        "cmc": pl.concat(cmcs),
        "survival": pl.DataFrame({"risk": risk, "share": share, "low": share - 0.02, "high": share}),
        "records": pl.DataFrame(secret),
        "patients": pl.DataFrame({"patient_id": ["PATIENT-0815"], "images": [3], "risk": [0.9]}),
    }


def _banded(attacker: str, value: np.ndarray, **columns: np.ndarray) -> pl.DataFrame:
    half = 1.96 * np.sqrt(value * (1 - value) / QUERIES)
    table = pl.DataFrame({**columns, "value": value, "low": value - half, "high": np.minimum(value + half, 1)})
    return table.with_columns(attacker=pl.lit(attacker))


def sample_risk() -> Findings:
    tests = [
        {"attribute": name, "groups": 2, "statistic": 0.002, "p": p / 4, "p_adjusted": p, "method": "permutation"}
        for name, p in {"sex": 0.42, "view": 0.012, "label_edema": 0.0004, "label_fracture": 1.0}.items()
    ]
    facts = {
        "counts": {"records": RECORDS, "patients": PATIENTS, "patients_with_two": WITH_TWO, "without_mate": ALONE,
                   "same_patient_pairs": PAIRS, "same_day_pairs": SAME_DAY, "same_picture_pairs": SAME_PICTURE,
                   "strangers_same_picture": 3},
        "headline": {"direction": "image-to-image", "attacker": "learned", "protocol": "random", "pool": 1_000,
                     "metric": "precision@1"},
        "group_tests": tests,
        "details": {"matched_on": ["sex", "view", "age", "findings"], "threshold": "validation patients"},
        "limits": ["The audit speaks of this release and these attackers."],
    }  # fmt: skip
    outcomes = (
        Outcome("null control (patients at random)", "pass", "AUC is 0.5003 ± 0.0020", EVERYBODY),
        Outcome(
            "planted copies", "pass", "of 800 images that have a near copy a share of 1.000 finds it first", EVERYBODY
        ),
    )
    return Findings(
        audit="identity", estimates=tuple(estimates()), outcomes=outcomes, timings={"comparing everybody": 2.5}, **facts
    ).with_evidence(evidence())


def write_identity(folder: Path, **changes: object) -> Results:
    """The sample as a folder, with parts of the content replaced."""
    config = {"pools": [], "resample": "patient", "split": "test", "known_split": "train", "tune_split": "validate"}
    return write_risk(sample_risk(), folder, config, **changes)


def write_small(folder: Path) -> Results:
    """A release of which next to nothing may be told: few copies, few alone, groups and strata of fewer than ten."""
    results = write_identity(folder)
    counts = {"same_day_pairs": 4, "same_picture_pairs": 0, "without_mate": 6, "strangers_same_picture": 0}
    rows = tuple(
        row.model_copy(update={"n": 7}) if row.group or row.protocol in ("matched", "apart") else row
        for row in results.estimates
    )
    return results.updated(estimates=rows, counts={**results.counts, **counts})
