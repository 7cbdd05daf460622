"""The attackers: what each is called, and how it scores records by targets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.membership import lira, rmia
from leadapron.attacks.membership.references import Gathered

Attack = Callable[[Gathered, float], NDArray[np.float64]]

ONE_LABEL: dict[str, Attack] = {
    "lira": lambda gathered, _slope: lira.online(gathered),
    "lira-offline": lambda gathered, _slope: lira.offline(gathered),
    "rmia": lambda gathered, _slope: rmia.online(gathered),
    "rmia-offline": rmia.offline,
}
SEVERAL_LABELS: dict[str, Attack] = {
    "lira": lambda gathered, _slope: lira.online_joint(gathered),
    "lira-per-label": lambda gathered, _slope: lira.online_per_label(gathered),
    "lira-sum": lambda gathered, _slope: lira.online(gathered),
    "lira-offline": lambda gathered, _slope: lira.offline_per_label(gathered),
    "rmia": lambda gathered, _slope: rmia.online(gathered),
    "rmia-offline": rmia.offline,
}


def of(gathered: Gathered) -> dict[str, Attack]:
    """A record of several labels is attacked by all of them as one Gaussian, one by one, and added up."""
    return SEVERAL_LABELS if gathered.labels > 1 else ONE_LABEL
