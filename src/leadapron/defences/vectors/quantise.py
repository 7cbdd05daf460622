"""Quantise: every coordinate is rounded to one of a few levels."""

from __future__ import annotations

import numpy as np

from leadapron.defences.guarantee import Guarantee
from leadapron.defences.vectors.defended import Doubles, Floats, defended, fitting_part, vectors_of, whole_number
from leadapron.release import Release

MOST_BITS = 8
STATEMENT = (
    "No guarantee: each coordinate is rounded to {levels} levels, but there are many coordinates, and together they "
    "still tell vectors apart. What it is worth is what the audit measures."
)


def quantise(
    release: Release,
    strength: float,
    *,
    seed: int | None = None,  # noqa: ARG001 (nothing is drawn)
    fitted_on: Release | None = None,
) -> Release:
    """Every coordinate in ``strength`` bits: as many levels, each for an equal share of the training vectors.

    The vectors are not brought to length one afterwards: that would tear the levels apart again.
    """
    bits = whole_number(strength, "bits", least=1, most=MOST_BITS, reason="more would change next to nothing")
    vectors = vectors_of(release)
    part, fittings = fitting_part(release, fitted_on, "quantise")
    steps = {side: fit_steps(rows, 2**bits) for side, rows in vectors_of(part).items() if side in vectors}
    released = {side: round_to(rows, *steps[side]) for side, rows in vectors.items()}
    return defended(
        release,
        released,
        lambda rows: round_to(rows, *steps["text"]),
        method="quantise",
        strength=strength,
        guarantee=Guarantee("none", statement=STATEMENT.format(levels=2**bits)),
        facts={"fitted_on": fittings[-1].on},
        fitted=fittings,
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
