"""What is read off the counts of strangers' pairs and same-patient pairs: AUC, the ROC curve, error rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

FPRS = (1e-2, 1e-3, 1e-4)
CURVE_POINTS = 300


@dataclass(frozen=True)
class Roc:
    """Shares of strangers' and of same-patient pairs at least as high as each cell; one more cell than there are."""

    fpr: Doubles
    tpr: Doubles
    pairs: int
    strangers: int


def roc_of(pairs: Ints, strangers: Ints) -> Roc:
    """``pairs`` are cells of same-patient pairs, ``strangers`` the number of strangers' pairs in every cell."""
    own = np.bincount(pairs, minlength=len(strangers))
    return Roc(_from_the_top(strangers), _from_the_top(own), len(pairs), int(strangers.sum()))


def _from_the_top(counts: Ints) -> Doubles:
    shares: Doubles = np.append(np.cumsum(counts[::-1])[::-1], 0) / max(counts.sum(), 1)
    return shares


def placements(pairs: Ints, strangers: Ints) -> Doubles:
    """Of each same-patient pair the share of strangers' pairs below, half of those level with it; their mean is AUC."""
    not_higher = np.cumsum(strangers)[pairs]
    shares: Doubles = (not_higher - strangers[pairs] / 2) / strangers.sum()
    return shares


def cell_at(roc: Roc, fpr: float) -> int:
    """The lowest threshold at which no more than this share of strangers is taken for one patient."""
    return int(np.searchsorted(-roc.fpr, -fpr, side="left"))


def cell_of_equal_error(roc: Roc) -> int:
    """The threshold at which strangers are taken for one patient as often as one patient for strangers."""
    return int(np.abs(roc.fpr - (1 - roc.tpr)).argmin())


def cell_of_best(roc: Roc) -> int:
    """The threshold with the most right among as many pairs of either kind."""
    return int((roc.tpr - roc.fpr).argmax())


def watched_cells(roc: Roc) -> list[int]:
    """The thresholds that intervals are wanted at: of equal error, and of each false-positive rate."""
    return [cell_of_equal_error(roc), *(cell_at(roc, fpr) for fpr in FPRS)]


def curve(roc: Roc) -> tuple[Doubles, Doubles]:
    """Some points of the curve, evenly spread over the orders of magnitude of FPR."""
    least = 1 / roc.strangers
    wanted = np.concatenate([[0.0], np.geomspace(least, 1, CURVE_POINTS)])
    cells = np.unique(np.searchsorted(-roc.fpr, -wanted, side="left"))[::-1]
    return roc.fpr[cells], roc.tpr[cells]
