"""How much of the risk above guessing a defence removes: guessing is not the release's doing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.stats import added_up, ratio_limits, share_limits, usual

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Share:
    """A ratio to the undefended subject, with its 95 % interval."""

    value: float
    low: float
    high: float


def excess_cut(
    before: Floats, after: Floats, patients: NDArray[np.generic], chance: float, weights: Floats | None = None
) -> Share | None:
    """One minus the excess after over the excess before; None where there may have been none before.

    The patient who is imagined for the limits is hit after and not before, or the other way round.
    """
    hits, sizes = added_up(np.stack([before, after], axis=1), patients, weights)
    if share_limits(hits[:, 0].copy(), sizes)[0] <= chance * (1 + 1e-9):
        return None
    old, new = (hits - chance * sizes[:, None]).T.copy()
    hit, missed = (1 - chance) * usual(sizes), -chance * usual(sizes)
    low, high = ratio_limits(new, old, most=(hit, missed), least=(missed, hit))
    return Share(float(1 - new.sum() / old.sum()), 1 - high, 1 - low)
