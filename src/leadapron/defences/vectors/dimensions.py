"""Dimensions: only the first principal directions are released."""

from __future__ import annotations

from functools import partial

import numpy as np

from leadapron.defences.guarantee import Guarantee
from leadapron.defences.vectors.defended import Floats, defended, fitting_part, vectors_of, whole_number
from leadapron.defences.vectors.lift import lift, typical_length
from leadapron.release import Release
from leadapron.release.rows import mapped

STATEMENT = (
    "No guarantee: fewer directions of each vector are released, and those are the ones in which the vectors differ "
    "most. Whatever lies in them is as plain as before. What it is worth is what the audit measures."
)


def dimensions(
    release: Release,
    strength: float,
    *,
    seed: int | None = None,  # noqa: ARG001 (nothing is drawn)
    fitted_on: Release | None = None,
) -> Release:
    """The first ``strength`` principal directions, the same for images and texts, each side about its own mean.

    Directions are fitted on the training patients, or on the release ``fitted_on``.
    """
    vectors = vectors_of(release)
    width = min(rows.shape[1] for rows in vectors.values())
    kept = whole_number(strength, "directions", least=1, most=width, reason="the width of the vectors")
    part, fittings = fitting_part(release, fitted_on, "dimensions")
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
    return defended(
        release,
        released,
        partial(cut, "text"),
        method="dimensions",
        strength=strength,
        guarantee=Guarantee("none", statement=STATEMENT),
        facts={"fitted_on": fittings[-1].on, "variance_kept": round(share, 4)},
        fitted=fittings,
    )
