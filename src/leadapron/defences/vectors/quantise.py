"""Quantise: every coordinate is rounded to one of a few levels."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.subjects import OtherRelease
from leadapron.defences.vectors.defended import FITTED_ON, GROUP, Doubles, Floats, defended, fitting_part, vectors_of
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.privacy import Guarantee
from leadapron.release import Release

MOST_BITS = 8
"""More would change next to nothing."""
STATEMENT = (
    "No guarantee: each coordinate is rounded to {levels} levels, but there are many coordinates, and together they "
    "still tell vectors apart. What it is worth is what the audit measures."
)


class QuantiseConfig(Config):
    bits: int = Field(
        1,
        ge=1,
        le=MOST_BITS,
        description="Bits per coordinate; fewer protect more.",
        json_schema_extra={"option": ["--bits", "--strength"]},
    )
    fitted_on: OtherRelease | None = FITTED_ON


def quantise(release: Release, config: QuantiseConfig, _progress: Progress) -> tuple[Release, DefenceCard]:
    """Every coordinate in a few ``bits``: as many levels, each for an equal share of the training vectors.

    The vectors are not brought to length one afterwards: that would tear the levels apart again.
    """
    vectors = vectors_of(release)
    release, part, fittings = fitting_part(release, config.fitted_on, "quantise")
    steps = {side: fit_steps(rows, 2**config.bits) for side, rows in vectors_of(part).items() if side in vectors}
    released = {side: round_to(rows, *steps[side]) for side, rows in vectors.items()}
    guarantee = Guarantee("none", statement=STATEMENT.format(levels=2**config.bits))
    card = QUANTISE.card(config, guarantee, fitted_on=fittings[-1].on)
    return defended(release, released, lambda rows: round_to(rows, *steps["text"]), card, fittings)


QUANTISE = Defence(
    "quantise", "round every coordinate", "release", QuantiseConfig, quantise, group=GROUP, strength="bits"
)


def fit_steps(rows: Floats, levels: int) -> tuple[Doubles, Doubles]:
    """For each column the edges between levels (quantiles), and the levels: the mean of what falls between edges."""
    edges = np.quantile(rows.astype(np.float64), np.arange(1, levels) / levels, axis=0).T
    middles = np.empty((rows.shape[1], levels))
    for column, values in enumerate(rows.T.astype(np.float64)):
        place = np.searchsorted(edges[column], values)
        count = np.bincount(place, minlength=levels)
        total = np.bincount(place, values, minlength=levels)
        # a level that no training value came to, where many are equal: the edge itself stands for it
        nearest_edge = np.append(edges[column], edges[column][-1])
        middles[column] = np.where(count > 0, total / np.maximum(count, 1), nearest_edge)
    return edges, middles


def round_to(rows: Floats, edges: Doubles, middles: Doubles) -> Floats:
    columns = [middles[column][np.searchsorted(edges[column], rows[:, column])] for column in range(rows.shape[1])]
    return np.column_stack(columns).astype(np.float32)
