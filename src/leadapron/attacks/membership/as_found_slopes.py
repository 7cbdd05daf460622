"""What the slope does to the result: the attack with every slope of a grid. None of them is chosen by it."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import rankdata

from leadapron.attacks.membership.as_found_patients import joint_scores
from leadapron.attacks.membership.as_found_reading import AsFound
from leadapron.attacks.membership.as_found_scores import Answers, log_ratio
from leadapron.attacks.membership.as_found_shift import auc_of
from leadapron.attacks.membership.rmia import GRID
from leadapron.attacks.membership.tail import in_tail

Doubles = NDArray[np.float64]


def slope_table(found: AsFound, answers: Answers, used: float) -> pl.DataFrame:
    """A row a slope: how alike it orders the records to the one that was used, and its AUCs where the truth is known.

    A slope of 1 divides by the references' probability itself; one of 0 hardly heeds them.
    """
    ratio = log_ratio(answers, used)
    rank, tail = rankdata(ratio), in_tail(ratio)
    truth, everybody = found.patient_truth(), np.arange(found.signals.patients)
    rows = []
    for slope in sorted({*(round(slope, 2) for slope in GRID), used}):
        other = log_ratio(answers, slope)
        row = {
            "slope": slope,
            "used": slope == used,
            "rank_correlation": _correlation(rank, rankdata(other)),
            "tail_in_common": float(in_tail(other)[tail].mean()),
        }
        if found.truth is not None and truth is not None:
            records = auc_of(other, found.truth, found.signals.patient)
            patients = auc_of(joint_scores(found.signals, other)[0], truth, everybody)
            row |= {"auc": records.value, "low": records.low, "high": records.high}
            row |= {"joint_auc": patients.value, "joint_low": patients.low, "joint_high": patients.high}
        rows.append(row)
    return pl.DataFrame(rows)


def _correlation(first: Doubles, second: Doubles) -> float:
    """Of ranks; two orders without any order agree."""
    spread = float(first.std() * second.std())
    return float(((first - first.mean()) * (second - second.mean())).mean() / spread) if spread > 0 else 1.0
