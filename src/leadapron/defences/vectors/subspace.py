"""Subspace: of each vector only what it says about the labelled findings is released."""

from __future__ import annotations

from functools import partial

import numpy as np
from pydantic import Field

from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.subjects import OtherRelease
from leadapron.defences.vectors.defended import (
    FITTED_ON,
    GROUP,
    Floats,
    check_at_most,
    defended,
    fitting_part,
    vectors_of,
)
from leadapron.defences.vectors.finding_directions import fit_findings, standardised_labels
from leadapron.defences.vectors.lift import lift, typical_length
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.privacy import Guarantee
from leadapron.release import Release
from leadapron.release.rows import mapped

STATEMENT = (
    "No guarantee: each vector is reduced to {kept} numbers that say how much it looks like the {labels} labelled "
    "findings. What is not in those numbers is gone for good. But the findings themselves link: a patient with a rare "
    "combination of them can still be found, and on the training patients the numbers are fitted to their own labels. "
    "What it is worth is what the audit measures."
)


class SubspaceConfig(Config):
    directions: int = Field(
        8,
        ge=1,
        description="Directions kept, at most one per label; fewer protect more.",
        json_schema_extra={"option": ["--directions", "--strength"]},
    )
    fitted_on: OtherRelease | None = FITTED_ON


def subspace(release: Release, config: SubspaceConfig, _progress: Progress) -> tuple[Release, DefenceCard]:
    """The main ``directions`` of what the images say about the labels, and the same of what the texts say.

    For each side, a linear map predicts the standardised labels; both sides then live in one space, a coordinate per
    label. There the principal directions of the images' predictions are kept. All of it is fitted on the training
    patients, or on the release ``fitted_on``.
    """
    vectors = vectors_of(release)
    release, part, fittings = fitting_part(release, config.fitted_on, "subspace")
    labels, names = standardised_labels(part)
    check_at_most(config.directions, len(names), "labels that both occur and do not")
    training = {side: rows.astype(np.float64) for side, rows in vectors_of(part).items() if side in vectors}
    means = {side: rows.mean(axis=0) for side, rows in training.items()}
    maps = {side: fit_findings(rows, labels) for side, rows in training.items()}
    lead = next(iter(vectors))  # images where there are any: it is their use that counts
    predicted = (training[lead] - means[lead]) @ maps[lead]
    axes = np.linalg.svd(predicted, full_matrices=False)[2][: config.directions].T
    constant = typical_length(predicted @ axes)

    def keep(side: str, rows: Floats) -> Floats:
        return lift((rows - means[side]) @ (maps[side] @ axes), constant)

    released = {side: mapped(rows, partial(keep, side)) for side, rows in vectors.items()}
    guarantee = Guarantee("none", statement=STATEMENT.format(kept=config.directions, labels=len(names)))
    card = SUBSPACE.card(config, guarantee, fitted_on=fittings[-1].on, labels=list(names))
    return defended(release, released, partial(keep, "text"), card, fittings)


SUBSPACE = Defence(
    "subspace",
    "keep only what a vector says about the labelled findings",
    "release",
    SubspaceConfig,
    subspace,
    group=GROUP,
    strength="directions",
)
