"""Who looks for a patient in released images: one who has learnt from real images, and one from pairs, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.plda import fit_plda
from leadapron.attacks.images.image_sides import Sides
from leadapron.attacks.images.likeness import Likeness, Mates, by_angle, by_plda, weigh, weighed
from leadapron.attacks.images.paired_gaussian import fit_pairs
from leadapron.attacks.images.ranked_mates import other_studies, themselves

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

CLASSIFIER, STATIC, ADAPTIVE = "classifier", "static", "adaptive"
ANOTHER, SOURCE = "another study", "the source image"
PLAIN = {
    CLASSIFIER: "one who has trained a classifier on real images of 50 patients, as published",
    STATIC: "one who has learnt from real images of other patients what varies within a patient",
    ADAPTIVE: "one who has learnt from other patients' released images beside their real ones, too",
}


@dataclass(frozen=True)
class Seen:
    """Released and real images as numbers, row by row: on axes of real images, and on axes of both.

    ``networks`` are embeddings of both by networks that were trained on the same sides, by attacker.
    """

    released: Floats
    real: Floats
    released_mixed: Floats
    real_mixed: Floats
    networks: Mapping[str, tuple[Floats, Floats]]


def mates_of(holds: str, rows: Ints, sides: Sides) -> Mates:
    return other_studies(rows, sides.patient, sides.study) if holds == ANOTHER else themselves(rows)


def static_likeness(seen: Seen, sides: Sides, seed: int) -> Likeness:
    """Two models of what varies within a patient, and a network if there is one, weighed on real images of others."""
    known, owner = mates_of(ANOTHER, sides.learnt, sides), (sides.patient, sides.patient)
    parts, on_real = {}, {}
    if (plda := fit_plda(seen.real[sides.learnt], sides.patient[sides.learnt])) is not None:
        parts["plda"], on_real["plda"] = by_plda(plda, seen.released, seen.real), by_plda(plda, seen.real, seen.real)
    pairs = fit_pairs(seen.real, seen.real, known, seed)
    parts["pairs"], on_real["pairs"] = pairs.likeness(seen.released, seen.real), pairs.likeness(seen.real, seen.real)
    if STATIC in seen.networks:
        released, real = seen.networks[STATIC]
        parts["network"], on_real["network"] = by_angle(released, real), by_angle(real, real)
    weights = weigh(on_real, mates_of(ANOTHER, sides.weighed, sides), owner, seed)
    return weighed(parts, weights)


def adaptive_likeness(seen: Seen, sides: Sides, holds: str, static: Likeness, seed: int) -> Likeness:
    """The static attacker's own judgement, and what pairs of released and real images of other patients add to it."""
    released, real = (
        rows - rows[sides.learnt].mean(axis=0) for rows in (seen.released_mixed, seen.real_mixed)
    )  # released images are brighter or smoother as a whole, and that is nobody's
    owner, patient = (sides.patient, sides.patient), sides.patient[sides.learnt]
    parts = {"static": static}
    both = np.concatenate([real[sides.learnt], released[sides.learnt]])
    if (plda := fit_plda(both, np.concatenate([patient, patient]))) is not None:
        parts["mixed"] = by_plda(plda, released, real)
    pairs = fit_pairs(released, real, mates_of(holds, sides.learnt, sides), seed)
    parts["pairs"] = pairs.likeness(released, real)
    if ADAPTIVE in seen.networks:
        parts["network"] = by_angle(*seen.networks[ADAPTIVE])
    return weighed(parts, weigh(parts, mates_of(holds, sides.weighed, sides), owner, seed))
