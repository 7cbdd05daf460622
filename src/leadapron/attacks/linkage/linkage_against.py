"""Radiographs of this release looked for among reports that were released before, and reports among radiographs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

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
from leadapron.attacks.identity.scores import Scores, inner_products
from leadapron.attacks.linkage.database import build_database
from leadapron.attacks.linkage.knowledge import Knowledge
from leadapron.attacks.linkage.linkage_task import DIRECTIONS, Task, build_task, numbered
from leadapron.attacks.linkage.linkers import ATTACKERS
from leadapron.attacks.open_world_words import AGAINST
from leadapron.attacks.unit_rows import unit_rows
from leadapron.audits.gathering import Gathering
from leadapron.release import Release
from leadapron.results import Findings
from leadapron.stats import Outcome

Floats = NDArray[np.float32]

COMPARED = ("cosine", "csls", "pooled", "realigned")
"""Who needs no true pairs of those under attack; ``realigned`` needs known pairs of others."""
SOUGHT = {"image-to-report": "text", "report-to-image": "image"}


def add_against(
    risk: Findings,
    found: Gathering,
    release: Release,
    before: Release,
    known: Release | None,
    attackers: Sequence[str],
    pools: Sequence[int],
) -> Findings:
    """The audit with what is found in ``before``, and with controls of that; in each direction that it has rows for."""
    outcomes: list[Outcome] = []
    details: dict[str, object] = {}
    for direction in DIRECTIONS:
        if SOUGHT[direction] not in before.arrays:
            continue
        task = build_task(release, direction)
        probed = release.records["patient_id"].to_numpy()[task.query_row]
        crossing = cross(task.queries, *_gallery(before, direction, probed))
        place = Place("patient-report", direction, pools_of(pools, crossing))
        pairs = None if known is None else build_task(known, direction)
        tried: dict[str, ScoresOf] = {
            name: partial(_scores, name, Knowledge(seed=found.seed, pairs=pairs), direction)
            for name in attackers
            if name in COMPARED and (pairs or name != "realigned")
        }
        add_crossing(found, tried, crossing, place)
        if tried and not outcomes:
            outcomes = crossing_controls(found, tried, crossing, place, found.seed)
            details = in_both(before.where, crossing)
    return risk.updated(
        estimates=(*risk.estimates, *found.estimates),
        outcomes=(*risk.outcomes, *outcomes),
        details={**risk.details, AGAINST: details},
        timings={**risk.timings, **found.timings},
    )


def _gallery(
    before: Release, direction: str, probed: NDArray[np.str_]
) -> tuple[Floats, NDArray[np.str_], NDArray[np.str_]]:
    """A row a report, or the mean of its images; whom is asked for, and whose the rows are."""
    study, first = numbered(before.records["report_id"])
    whose = before.records["patient_id"].to_numpy()[first]
    if direction == "image-to-report":
        return unit_rows(before.text, first, None, f"{before.where}: report")[:], probed, whose
    every = np.arange(len(before))
    return unit_rows(before.image, every, study, f"{before.where}: image")[:], probed, whose


def _scores(name: str, knowledge: Knowledge, direction: str, crossing: Crossing) -> Scores:
    """Of the rows that an attacker makes of them: it believes in inner products."""
    nobody = np.zeros(len(crossing.probes), dtype=np.int64)
    task = ATTACKERS[name](
        Task(
            direction,
            crossing.probes,
            build_database(crossing.gallery),
            truth=nobody,
            query_patient=crossing.probed,
            candidate_patient=crossing.patient,
            query_codes=None,
            candidate_codes=None,
            query_row=nobody,
        ),
        knowledge,
    )
    rows = np.concatenate([task.queries, np.asarray(task.database.texts)[task.database.text_of]]).astype(np.float32)
    return inner_products(rows, np.ones(len(rows)), np.zeros(len(rows)))
