"""Who looks for a patient in released images: one who has learnt from real images, and one from pairs, too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.plda import Plda, fit_plda
from leadapron.attacks.images.image_features import Numbers
from leadapron.attacks.images.image_sides import Sides
from leadapron.attacks.images.likeness import Likeness, Mates, by_angle, by_plda, weigh, weighed
from leadapron.attacks.images.paired_gaussian import PairedGaussian, fit_pairs
from leadapron.attacks.images.ranked_mates import other_studies, themselves
from leadapron.engine.remembered import content, remembered

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
    """``networks`` are embeddings of released and real images by networks of the same sides, by attacker."""

    numbers: Numbers
    networks: Mapping[str, tuple[Floats, Floats]]

    @property
    def real(self) -> str:
        """All that is seen of real images, as a hash."""
        return content(self.numbers.real, *(self.networks[STATIC][1:] if STATIC in self.networks else ()))


@dataclass(frozen=True)
class StaticModel:
    """What was learnt from real images alone, and how much each part of it counts."""

    plda: Plda | None
    pairs: PairedGaussian
    weights: Mapping[str, float]


def mates_of(holds: str, rows: Ints, sides: Sides) -> Mates:
    return other_studies(rows, sides.patient, sides.study) if holds == ANOTHER else themselves(rows)


def static_likeness(seen: Seen, sides: Sides, seed: int) -> Likeness:
    """Two models of what varies within a patient, and a network if there is one, weighed on real images of others."""
    model = static_model(seen, sides, seed)
    released, real = seen.numbers.released, seen.numbers.real
    return weighed(_parts(model.plda, model.pairs, (released, real), seen.networks.get(STATIC)), model.weights)


def static_model(seen: Seen, sides: Sides, seed: int) -> StaticModel:
    """The same for all releases of the same real images."""

    def learn() -> StaticModel:
        real = seen.numbers.real
        plda = fit_plda(real[sides.learnt], sides.patient[sides.learnt])
        pairs = fit_pairs(real, real, mates_of(ANOTHER, sides.learnt, sides), seed)
        own = seen.networks[STATIC][1] if STATIC in seen.networks else None
        on_real = _parts(plda, pairs, (real, real), None if own is None else (own, own))
        mates, owner = mates_of(ANOTHER, sides.weighed, sides), (sides.patient, sides.patient)
        return StaticModel(plda, pairs, weigh(on_real, mates, owner, seed))

    return remembered(seen.numbers.real, ("static", seen.real, sides.key, seed), learn)


def _parts(
    plda: Plda | None, pairs: PairedGaussian, rows: tuple[Floats, Floats], network: tuple[Floats, Floats] | None
) -> dict[str, Likeness]:
    parts = {} if plda is None else {"plda": by_plda(plda, *rows)}
    parts["pairs"] = pairs.likeness(*rows)
    return parts if network is None else {**parts, "network": by_angle(*network)}


def adaptive_likeness(seen: Seen, sides: Sides, holds: str, static: Likeness, seed: int) -> Likeness:
    """The static attacker's own judgement, and what pairs of released and real images of other patients add to it."""
    released, real = (
        rows - rows[sides.learnt].mean(axis=0) for rows in (seen.numbers.released_mixed, seen.numbers.real_mixed)
    )  # released images are brighter or smoother as a whole, and that is nobody's
    owner, patient = (sides.patient, sides.patient), sides.patient[sides.learnt]
    both = np.concatenate([real[sides.learnt], released[sides.learnt]])
    plda = fit_plda(both, np.concatenate([patient, patient]))
    pairs = fit_pairs(released, real, mates_of(holds, sides.learnt, sides), seed)
    parts = {"static": static, **_parts(plda, pairs, (released, real), seen.networks.get(ADAPTIVE))}
    return weighed(parts, weigh(parts, mates_of(holds, sides.weighed, sides), owner, seed))
