"""What a defence takes of the excess over guessing: guessing is not the release's doing."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.compare.pairing import Pairs
from leadapron.stats import paired_shares, ratio_limits


@dataclass(frozen=True)
class Share:
    """A ratio to the undefended release, with its 95 % interval."""

    value: float
    low: float
    high: float


def excess_cut(pairs: Pairs, chance: float) -> Share | None:
    """One minus the excess after over the excess before; None where there may have been none before."""
    pair = paired_shares(pairs.before[:, None], pairs.after[:, None], pairs.patients)[0]
    if pair.before.low <= chance * (1 + 1e-9):
        return None
    low, high = ratio_limits(pair, chance)
    return Share(1 - (pair.after.value - chance) / (pair.before.value - chance), 1 - high, 1 - low)
