"""Survival: the share of the patients whose risk is above a threshold, with intervals that hold in the extreme tail."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.stats import exact_limits

Doubles = NDArray[np.float64]
THRESHOLDS = np.concatenate([np.arange(50, 100) / 100, [0.995, 0.999, 0.9999]])


def survival(risk: Doubles, thresholds: Doubles = THRESHOLDS) -> pl.DataFrame:
    """A row a threshold; a patient is above it or not, so the interval is Clopper and Pearson's."""
    count = (risk[:, None] > thresholds).sum(axis=0)
    low, high = exact_limits(count.astype(np.float64), len(risk))
    return pl.DataFrame(
        {
            "auc": thresholds,
            "patients": count,
            "share": count / len(risk),
            "low": low,
            "high": high,
            "method": "Clopper-Pearson",
        }
    )
