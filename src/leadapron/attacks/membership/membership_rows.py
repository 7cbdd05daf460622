"""What is found, as rows: every number with its interval and what guessing gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit
from scipy.stats import binom

from leadapron.attacks.membership.binormal import NINETY_FIVE
from leadapron.attacks.membership.membership_measures import DIRECTION, PATIENT, RECORD
from leadapron.attacks.membership.membership_roc import Figure
from leadapron.attacks.membership.null_maximum import null_quantile, share_beyond
from leadapron.attacks.membership.patient_aucs import PatientRisks
from leadapron.attacks.membership.records import RecordRisks
from leadapron.attacks.membership.signals import Flags, Ints, Signals
from leadapron.attacks.membership.survival import survival
from leadapron.attacks.membership.tail import TailGroups
from leadapron.audits.gathering import Gathering
from leadapron.stats import Estimate, shares

Doubles = NDArray[np.float64]

TOPS = (0.01, 0.001)
ABOVE = (0.7, 0.9, 0.99)
SELDOM = 1e-6
"""A chance below one in a million is given as that: nobody has trained the models to know it better."""


def where(protocol: str, models: int) -> dict[str, Any]:
    return {"direction": DIRECTION, "protocol": protocol, "pool": models}


def add_attack(found: Gathering, attacker: str, figures: list[Figure], at: Mapping[str, Any]) -> None:
    for figure in figures:
        found.add(figure.metric, figure.estimate, attacker=attacker, chance=figure.chance, **at)


def add_records(found: Gathering, signals: Signals, risks: RecordRisks) -> None:
    for attacker, auc in (("bi-normal", risks.gaussian), ("mann-whitney", risks.ranked)):
        estimate = clustered_mean(auc.value, signals.patient)
        found.add("auc", estimate, attacker=attacker, chance=0.5, **where(RECORD, signals.models))


def add_patients(found: Gathering, risks: PatientRisks, scatter: float) -> None:
    """The mean, the AUC that few patients exceed, and the share of patients above given ones.

    ``scatter`` is how much further than a record's the joint attack's distances scatter by chance.
    """
    scores = {"joint": risks.joint.value, "calibrated": risks.calibrated, "maximum": risks.maximum}
    by_chance, at = chances(risks, scatter), where(PATIENT, risks.models)
    for attacker, values in scores.items():
        chance = by_chance[attacker]
        if attacker != "maximum":  # the mean of maxima has no use, and no simple chance
            found.add("auc", clustered_mean(values, np.arange(len(values))), attacker=attacker, chance=0.5, **at)
        for top in TOPS:
            if top * len(values) >= 1 or top == TOPS[0]:
                guess = chance.top(top)
                found.add(f"auc@top={top:g}", top_quantile(values, top), attacker=attacker, chance=guess, **at)
        for row in survival(values, np.array(ABOVE)).iter_rows(named=True):
            sd = float((row["share"] * (1 - row["share"]) / len(values)) ** 0.5)
            estimate = Estimate(row["share"], row["low"], row["high"], sd, len(values), len(values), len(values))
            guess = max(chance.above(row["auc"]), SELDOM)
            found.add(f"patients-above={row['auc']:g}", estimate, attacker=attacker, chance=guess, **at)


@dataclass(frozen=True)
class Chance:
    """What a score does where there is no risk: the AUC that a share of the patients exceeds, and the reverse."""

    top: Callable[[float], float]
    above: Callable[[float], float]


def chances(risks: PatientRisks, scatter: float) -> dict[str, Chance]:
    return {"joint": _of_one(risks, scatter), "calibrated": _of_one(risks, 1.0), "maximum": _of_maxima(risks)}


def _of_one(risks: PatientRisks, scatter: float) -> Chance:
    error = scatter * float(np.median(risks.chance_error()))
    return Chance(
        top=lambda share: float(ndtr(-stdtrit(risks.dof, share) * error)),
        above=lambda auc: float(stdtr(risks.dof, -ndtri(auc) / error)),
    )


def _of_maxima(risks: PatientRisks) -> Chance:
    error = float(np.median(risks.chance_error()))
    return Chance(
        top=lambda share: float(ndtr(null_quantile(share, risks.dof, risks.records, risks.alike) * error)),
        above=lambda auc: share_beyond(float(ndtri(auc)) / error, risks.dof, risks.records, risks.alike),
    )


def add_true_shares(found: Gathering, risks: PatientRisks, table: pl.DataFrame) -> None:
    """The same of the joint attack without the scatter of its estimates: guessing then gives nobody."""
    patients, at = len(risks.records), where(PATIENT, risks.models)
    for row in table.filter(pl.col("auc").round(6).is_in(ABOVE)).iter_rows(named=True):
        sd = (row["high"] - row["low"]) / (2 * NINETY_FIVE)
        estimate = Estimate(row["share"], row["low"], row["high"], sd, patients, patients, patients)
        found.add(f"true-patients-above={row['auc']:g}", estimate, attacker="joint", chance=SELDOM, **at)


def add_tail(found: Gathering, groups: TailGroups, tail: Flags, patient: Ints, *, attacker: str, models: int) -> None:
    """The share of the records that is in the tail, of everybody and of each group that may be told of."""
    overall, at = float(tail.mean()), where(RECORD, models)
    for group, rows in [(None, np.arange(len(tail))), *groups.rows.items()]:
        estimate = shares(tail[rows, None].astype(np.float64), patient[rows])[0]
        found.add("in-tail", estimate, attacker=attacker, chance=overall, group=group, **at)


def clustered_mean(values: Doubles, patient: Ints) -> Estimate:
    """A mean whose interval takes patients for the units."""
    sd = _clustered_sd(values, patient)
    mean, patients = float(values.mean()), len(np.unique(patient))
    low, high = max(mean - NINETY_FIVE * sd, 0.0), min(mean + NINETY_FIVE * sd, 1.0)
    return Estimate(mean, low, high, sd, len(values), patients)


def top_quantile(values: Doubles, top: float) -> Estimate:
    """The value that this share of the patients exceeds; the interval, between order statistics, assumes nothing.

    It ends at the highest patient, above whom nothing is known.
    """
    ordered, n = np.sort(values), len(values)
    at = min(n - 1, int(np.floor((1 - top) * n)))
    low, high = (int(rank) for rank in binom.ppf([0.025, 0.975], n, 1 - top))
    ends = float(ordered[min(max(low - 1, 0), at)]), float(ordered[max(min(high, n - 1), at)])
    return Estimate(float(ordered[at]), *ends, (ends[1] - ends[0]) / (2 * NINETY_FIVE), n, n)


def _clustered_sd(values: Doubles, patient: Ints) -> float:
    _, compact = np.unique(patient, return_inverse=True)
    added = np.bincount(compact, weights=values - values.mean())
    clusters = len(added)
    return float(np.sqrt((added**2).sum() * clusters / max(clusters - 1, 1)) / len(values))
