"""Dimensions: only the first principal directions are released."""

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
from leadapron.defences.vectors.lift import lift, typical_length
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.privacy import Guarantee
from leadapron.release import Release
from leadapron.release.rows import mapped

STATEMENT = (
    "No guarantee: fewer directions of each vector are released, and those are the ones in which the vectors differ "
    "most. Whatever lies in them is as plain as before. What it is worth is what the audit measures."
)


class DimensionsConfig(Config):
    directions: int = Field(
        8,
        ge=1,
        description="Directions kept; fewer protect more.",
        json_schema_extra={"option": ["--directions", "--strength"]},
    )
    fitted_on: OtherRelease | None = FITTED_ON


def dimensions(release: Release, config: DimensionsConfig, _progress: Progress) -> tuple[Release, DefenceCard]:
    """The first principal ``directions``, the same for images and texts, each side about its own mean.

    Directions are fitted on the training patients, or on the release ``fitted_on``.
    """
    vectors = vectors_of(release)
    width = min(rows.shape[1] for rows in vectors.values())
    kept = config.directions
    check_at_most(kept, width, "the width of the vectors")
    release, part, fittings = fitting_part(release, config.fitted_on, "dimensions")
    training = {side: rows.astype(np.float64) for side, rows in vectors_of(part).items() if side in vectors}
    means = {side: rows.mean(axis=0) for side, rows in training.items()}
    centred = {side: rows - means[side] for side, rows in training.items()}
    scatter = sum(rows.T @ rows / len(rows) for rows in centred.values())
    values, directions = np.linalg.eigh(scatter)
    axes = directions[:, ::-1][:, :kept]
    constant = typical_length(next(iter(centred.values())) @ axes)

    def cut(side: str, rows: Floats) -> Floats:
        return lift((rows - means[side]) @ axes, constant)

    released = {side: mapped(rows, partial(cut, side)) for side, rows in vectors.items()}
    share = float(values[::-1][:kept].sum() / values.sum()) if values.sum() > 0 else 1.0
    guarantee = Guarantee("none", statement=STATEMENT)
    card = DIMENSIONS.card(config, guarantee, fitted_on=fittings[-1].on, variance_kept=round(share, 4))
    return defended(release, released, partial(cut, "text"), card, fittings)


DIMENSIONS = Defence(
    "dimensions",
    "keep only the first principal directions",
    "release",
    DimensionsConfig,
    dimensions,
    group=GROUP,
    strength="directions",
)
