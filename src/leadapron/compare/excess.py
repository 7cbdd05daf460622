"""What a defence takes of the excess over guessing: guessing is not the release's doing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.compare.pairing import Pairs
from leadapron.stats import redrawn_means


@dataclass(frozen=True)
class Share:
    """A ratio to the undefended release, with its 95 % interval over redraws of patients."""

    value: float
    low: float
    high: float


def excess_cut(pairs: Pairs, chance: float, seed: int) -> Share | None:
    """One minus the excess after over the excess before, both over the same redraws of patients."""
    columns = np.stack([pairs.before, pairs.after], axis=1)
    redrawn = redrawn_means(columns, pairs.patients, seed=seed)
    if np.percentile(redrawn[:, 0], 2.5) <= chance * (1 + 1e-9):
        return None
    low, high = np.percentile(cut_of(redrawn[redrawn[:, 0] > chance], chance), [2.5, 97.5])
    return Share(float(cut_of(columns.mean(axis=0)[None], chance)[0]), float(low), float(high))


def cut_of(means: NDArray[np.float64], chance: float) -> NDArray[np.float64]:
    cut: NDArray[np.float64] = 1 - (means[:, 1] - chance) / (means[:, 0] - chance)
    return cut
