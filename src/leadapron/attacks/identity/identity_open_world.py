"""Identity where most images have no mate among those that the attacker holds, in galleries of the same sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.identity_gathering import IdentityGathering
from leadapron.attacks.identity.nearest_strangers import Listed
from leadapron.attacks.identity.retrieval import Best, chance_first, first_in_gallery
from leadapron.attacks.identity.standing import Standing
from leadapron.attacks.open_world import FPIR, METRIC, both_ways, identified, is_measured

Flags = NDArray[np.bool_]


def add_open_world(
    found: IdentityGathering,
    name: str,
    best: Best,
    standing: Standing,
    listed: Listed,
    places: dict[int, dict[str, Any]],
) -> None:
    """How many are named rightly where one in a hundred of those without a mate is taken for somebody.

    Whoever is asked for has no mate once: everybody in ``listed``, with all images of the own patient taken out.
    ``places`` are the coordinates of each gallery size, the smallest first.
    """
    images = int(listed.strangers.met.max(initial=0))
    top = standing.levels.score[standing.best[best.query]]
    patient = listed.patient[best.query]
    for pool, at in places.items():
        if is_measured(len(listed.strangers.met), pool, images):
            listed = listed.for_both(pool)
            ways = both_ways(listed.strangers, pool, top, listed.strangers.level[best.query])
            right = first_in_gallery(best, pool)
            guess = float(chance_first(best, pool).mean())
            estimate = identified(
                ways, right, patient, lambda named: found.means(named[:, None], patient)[0], guess=guess
            )
            found.add(METRIC, estimate, attacker=name, chance=FPIR * guess, **at)
