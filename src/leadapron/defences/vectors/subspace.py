"""Subspace: of each vector only what it says about the labelled findings is released."""

from __future__ import annotations

from functools import partial

import numpy as np

from leadapron.defences.guarantee import Guarantee
from leadapron.defences.vectors.defended import (
    Floats,
    defended,
    fitting_part,
    vectors_of,
    whole_number,
)
from leadapron.defences.vectors.findings import fit_findings, standardised_labels
from leadapron.defences.vectors.lift import lift, typical_length
from leadapron.release import Release
from leadapron.release.rows import mapped

STATEMENT = (
    "No guarantee: each vector is reduced to {kept} numbers that say how much it looks like the {labels} labelled "
    "findings. What is not in those numbers is gone for good. But the findings themselves link: a patient with a rare "
    "combination of them can still be found, and on the training patients the numbers are fitted to their own labels. "
    "What it is worth is what the audit measures."
)


def subspace(
    release: Release,
    strength: float,
    *,
    seed: int | None = None,  # noqa: ARG001 (nothing is drawn)
    fitted_on: Release | None = None,
) -> Release:
    """The ``strength`` main directions of what the images say about the labels, and the same of what the texts say.

    For each side, a linear map predicts the standardised labels; both sides then live in one space, a coordinate a
    label. There the principal directions of the images' predictions are kept. All of it is fitted on the training
    patients, or on the release ``fitted_on``.
    """
    vectors = vectors_of(release)
    part, fittings = fitting_part(release, fitted_on, "subspace")
    labels, names = standardised_labels(part)
    kept = whole_number(strength, "directions", least=1, most=len(names), reason="labels that both occur and do not")
    training = {side: rows.astype(np.float64) for side, rows in vectors_of(part).items() if side in vectors}
    means = {side: rows.mean(axis=0) for side, rows in training.items()}
    maps = {side: fit_findings(rows, labels) for side, rows in training.items()}
    lead = next(iter(vectors))  # images where there are any: it is their use that counts
    predicted = (training[lead] - means[lead]) @ maps[lead]
    axes = np.linalg.svd(predicted, full_matrices=False)[2][:kept].T
    constant = typical_length(predicted @ axes)

    def keep(side: str, rows: Floats) -> Floats:
        return lift((rows - means[side]) @ (maps[side] @ axes), constant)

    released = {side: mapped(rows, partial(keep, side)) for side, rows in vectors.items()}
    return defended(
        release,
        released,
        partial(keep, "text"),
        method="subspace",
        strength=strength,
        guarantee=Guarantee("none", statement=STATEMENT.format(kept=kept, labels=len(names))),
        facts={"fitted_on": fittings[-1].on, "labels": names},
        fitted=fittings,
    )
