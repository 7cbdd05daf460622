"""Survival: the share of the patients whose risk is above a threshold, with intervals that hold in the extreme tail."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import betaincinv

from leadapron.attacks.membership.binormal import NINETY_FIVE

Doubles = NDArray[np.float64]
THRESHOLDS = np.concatenate([np.arange(50, 100) / 100, [0.995, 0.999, 0.9999]])
EXTREME = 20
"""With fewer patients beyond a threshold Greenwood's interval, a Gaussian's, covers too rarely."""


def survival(risk: Doubles, thresholds: Doubles = THRESHOLDS) -> pl.DataFrame:
    """``method`` says which interval it is: Greenwood's, or Clopper and Pearson's where few are left."""
    count = (risk[:, None] > thresholds).sum(axis=0)
    share = count / len(risk)
    few = (count < EXTREME) | (len(risk) - count < EXTREME)
    width = NINETY_FIVE * np.sqrt(share * (1 - share) / len(risk))  # Greenwood's, where nobody is censored
    low, high = clopper_pearson(count.astype(np.float64), len(risk))
    return pl.DataFrame(
        {
            "auc": thresholds,
            "patients": count,
            "share": share,
            "low": np.where(few, low, share - width),
            "high": np.where(few, high, share + width),
            "method": np.where(few, "Clopper-Pearson", "Greenwood"),
        }
    )


def clopper_pearson(count: Doubles, n: float) -> tuple[Doubles, Doubles]:
    """The exact interval of a share. Counts need not be whole: an expected number of patients has one, too."""
    tail = (1 - 0.95) / 2
    low = np.where(count > 0, betaincinv(np.maximum(count, 1e-12), n - count + 1, tail), 0.0)
    high = np.where(count < n, betaincinv(count + 1, np.maximum(n - count, 1e-12), 1 - tail), 1.0)
    return low, high


def wilson(share: Doubles, n: float) -> tuple[Doubles, Doubles]:
    """An interval of a share that stays within 0 and 1 and is not empty where nothing was found."""
    z = NINETY_FIVE**2 / n
    middle = (share + z / 2) / (1 + z)
    width = np.sqrt(share * (1 - share) * z + z**2 / 4) / (1 + z)
    return np.clip(middle - width, 0, 1), np.clip(middle + width, 0, 1)
