"""Images of this release looked for among those that were released before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from leadapron.attacks.identity.crossing import (
    Crossing,
    Place,
    ScoresOf,
    add_crossing,
    cross,
    crossing_controls,
    in_both,
    pools_of,
)
from leadapron.attacks.identity.recognisers import ATTACKERS, Knowledge
from leadapron.attacks.identity.scores import Scores
from leadapron.attacks.open_world_words import AGAINST
from leadapron.audits.gathering import Gathering
from leadapron.release import Release
from leadapron.results import Findings


def add_against(
    risk: Findings,
    found: Gathering,
    release: Release,
    before: Release,
    knowledge: Knowledge,
    attackers: Sequence[str],
    pools: Sequence[int],
) -> Findings:
    """The audit with what is found in ``before``, and with controls of that."""
    sides = [(np.asarray(one.image), one.records["patient_id"].to_numpy()) for one in (release, before)]
    crossing = cross(sides[0][0], sides[1][0], sides[0][1], sides[1][1])
    place = Place("precision@1", "image-to-image", pools_of(pools, crossing))
    tried: dict[str, ScoresOf] = {name: partial(_scores, name, knowledge) for name in attackers}
    add_crossing(found, tried, crossing, place)
    outcomes = crossing_controls(found, tried, crossing, place, found.seed)
    return risk.updated(
        estimates=(*risk.estimates, *found.estimates),
        outcomes=(*risk.outcomes, *outcomes),
        details={**risk.details, AGAINST: in_both(before.where, crossing)},
        timings={**risk.timings, **found.timings},
    )


def _scores(name: str, knowledge: Knowledge, crossing: Crossing) -> Scores | None:
    return ATTACKERS[name](np.concatenate([crossing.probes, crossing.gallery]).astype(np.float32), knowledge)
