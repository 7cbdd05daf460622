"""What a defence takes of the excess over guessing: guessing is not the release's doing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadapron.compare.pairing import Pairs
from leadapron.stats import added_up, ratio_limits, share_limits, usual


@dataclass(frozen=True)
class Share:
    """A ratio to the undefended release, with its 95 % interval."""

    value: float
    low: float
    high: float


def excess_cut(pairs: Pairs, chance: float) -> Share | None:
    """One minus the excess after over the excess before; None where there may have been none before.

    The patient who is imagined for the limits is hit after and not before, or the other way round.
    """
    hits, sizes = added_up(np.stack([pairs.before, pairs.after], axis=1), pairs.patients)
    if share_limits(hits[:, 0].copy(), sizes)[0] <= chance * (1 + 1e-9):
        return None
    before, after = (hits - chance * sizes[:, None]).T.copy()
    hit, missed = (1 - chance) * usual(sizes), -chance * usual(sizes)
    low, high = ratio_limits(after, before, most=(hit, missed), least=(missed, hit))
    return Share(float(1 - after.sum() / before.sum()), 1 - high, 1 - low)
