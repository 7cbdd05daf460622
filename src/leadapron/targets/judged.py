"""How good a model is at what it was trained for, on patients of whom the truth is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.utility.auroc import auroc
from leadapron.utility.labels import UNKNOWN, Labels


def macro_auroc(logits: NDArray[np.float32], truth: NDArray[np.int8]) -> float | None:
    """The mean over the labels that have both classes; None where none has. ``truth`` is 1, -1, or 0 for unknown."""
    known = np.where(truth == 0, UNKNOWN, truth == 1).astype(np.int8)
    areas = auroc(logits.astype(np.float64), Labels(("",) * truth.shape[1], known))
    return None if np.isnan(areas).all() else float(np.nanmean(areas))
