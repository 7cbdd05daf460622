"""The score of a patient from those of the records: the published maximum, that without its number, the joint one.

A maximum grows with the number of records, a sum scatters with it. Both are set against what as many records of one
patient give by chance: ranks make the records' ratios Gaussian, and a patient's records vary together by the same
correlation everywhere. Members add to that correlation, so it errs on the side of calling nobody exposed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, ndtri_exp
from scipy.stats import rankdata

from leadapron.attacks.membership.null_maximum import MOST_ALIKE, log_tail
from leadapron.attacks.membership.patient_aucs import starts_of
from leadapron.attacks.membership.signals import Flags, Ints, Signals

Doubles = NDArray[np.float64]

NEARLY_ONE = -1e-15
"""The logarithm of a chance so near to one that the score it stands for is still finite."""


@dataclass(frozen=True)
class PatientScores:
    """A row a patient, in the order of their numbers; ``joint`` and ``calibrated`` are Gaussian where chance rules."""

    records: Ints
    mean_log_ratio: Doubles
    maximum: Doubles
    calibrated: Doubles
    joint: Doubles
    alike: float

    @property
    def attacks(self) -> dict[str, Doubles]:
        return {"joint": self.joint, "calibrated": self.calibrated, "maximum": self.maximum}

    @property
    def p(self) -> Doubles:
        """How rarely as many records of somebody drawn from this collection score as high together."""
        chance: Doubles = ndtr(-self.joint)
        return chance


def score_patients(signals: Signals, ratio: Doubles) -> PatientScores:
    starts = starts_of(signals.patient[signals.order])
    ordered = ratio[signals.order]
    records = np.diff(starts, append=len(ordered))
    joint, alike = joint_scores(signals, ratio)
    highest = np.maximum.reduceat(_gaussian(ordered), starts)
    tail = log_tail(highest, records, np.full(len(records), alike))
    return PatientScores(
        records=records,
        mean_log_ratio=np.add.reduceat(ordered, starts) / records,
        maximum=np.maximum.reduceat(ordered, starts),
        calibrated=-ndtri_exp(np.minimum(tail, NEARLY_ONE)),
        joint=joint,
        alike=alike,
    )


def joint_scores(signals: Signals, ratio: Doubles) -> tuple[Doubles, float]:
    """The sum of a patient's records in units of what it scatters by chance, and how much they vary together.

    Ranks are added up and not the ratios themselves: the target may be sure of the wrong thing, and one such record
    would outweigh all others.
    """
    starts = starts_of(signals.patient[signals.order])
    gaussian = _gaussian(ratio[signals.order])
    records = np.diff(starts, append=len(gaussian))
    sums = np.add.reduceat(gaussian, starts)
    alike = likeness(gaussian, sums, starts, records)
    return sums / np.sqrt(records * (1 + (records - 1) * alike)), alike


def _gaussian(values: Doubles) -> Doubles:
    scores: Doubles = ndtri((rankdata(values) - 0.5) / len(values))
    return scores


def likeness(values: Doubles, sums: Doubles, starts: Ints, records: Ints) -> float:
    """The correlation of two records of one patient, over all pairs there are; 0 where nobody has two."""
    pairs = float((records * (records - 1)).sum())
    variance = float((values**2).mean())
    if pairs == 0 or variance == 0:
        return 0.0
    together = float((sums**2 - np.add.reduceat(values**2, starts)).sum())
    return float(np.clip(together / pairs / variance, 0.0, MOST_ALIKE))


def patient_table(signals: Signals, scores: PatientScores, truth: Flags | None) -> pl.DataFrame:
    """A row a patient, for the evidence; rank 1 is whom the joint attack accuses first."""
    first = signals.order[starts_of(signals.patient[signals.order])]
    table = pl.DataFrame(
        {
            "patient_id": signals.records["patient_id"][first.tolist()].cast(pl.String),
            "records": scores.records,
            "score": scores.joint,
            "rank": rankdata(-scores.joint, method="min").astype(np.int64),
            "p": scores.p,
            "mean_log_ratio": scores.mean_log_ratio,
            "maximum": scores.maximum,
            "calibrated": scores.calibrated,
        }
    )
    return table if truth is None else table.with_columns(pl.Series("member", truth))
