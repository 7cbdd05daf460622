"""How good a model is at what it was trained for, on patients of whom the truth is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort.truth import UNKNOWN, Labels
from leadapron.utility.auroc import auroc


def macro_auroc(logits: NDArray[np.float32], signs: NDArray[np.int8]) -> float | None:
    """The mean over the labels that have both classes; None where none has. ``signs`` are 1, -1, or 0 for unknown."""
    truth = np.where(signs == 0, UNKNOWN, signs == 1).astype(np.int8)
    areas = auroc(logits.astype(np.float64), Labels(("",) * signs.shape[1], truth))
    return None if np.isnan(areas).all() else float(np.nanmean(areas))
