"""Attackers: ways to score how alike two images are. All but the first three learn from patients who are known.

- ``cosine``: the angle between two embeddings
- ``euclidean``: their distance, as published for retrieval
- ``whitened``: directions in which images vary much count no more than others
- ``learned``: what varies within a patient and what between patients is learned from known patients; the score is the
  log-likelihood ratio of "one patient" to "two" under two Gaussians (PLDA), the best there is if they are Gaussian
- ``network``: a verification network's own score, where the release is one's
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.gallery import Gallery
from leadapron.attacks.identity.plda import Plda, fit_plda
from leadapron.attacks.identity.scores import Scores, cosines, distances
from leadapron.attacks.identity.weighted_l1 import weighted_l1
from leadapron.errors import DataError
from leadapron.release.rows import mapped, unit

Floats = NDArray[np.float32]
Whitening = tuple[NDArray[np.float64], NDArray[np.float64]]
SHRUNK = 0.05


@dataclass(frozen=True)
class Knowledge:
    """What an attacker has beside the images: embeddings of other, known patients, and how the release was made."""

    known: Gallery | None
    card: Mapping[str, object]

    @cached_property
    def plda(self) -> Plda | None:
        """What is learned from the known patients; None where there are too few."""
        return None if self.known is None else fit_plda(unit(self.known.image), self.known.patient)

    @cached_property
    def whitening(self) -> Whitening | None:
        """The centre of the known images, and axes along which they vary about alike."""
        return None if self.known is None else _whitening(unit(self.known.image))


Attacker = Callable[[Floats, Knowledge], Scores | None]
"""Images -> scores; None where the attacker lacks what it needs."""


def _cosine(images: Floats, _knowledge: Knowledge) -> Scores:
    return cosines(images)


def _euclidean(images: Floats, _knowledge: Knowledge) -> Scores:
    return distances(images)


def _whitened(images: Floats, knowledge: Knowledge) -> Scores:
    rows = unit(images)
    centre, axes = knowledge.whitening or _whitening(rows)
    return cosines(mapped(rows, lambda some: unit((some - centre) @ axes)))


def _whitening(seen: Floats) -> Whitening:
    values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(seen, rowvar=False)))
    # shrunk towards a sphere, so that directions without any variance are not blown up
    scale = 1 / np.sqrt((1 - SHRUNK) * np.maximum(values, 0) + SHRUNK * values.mean() + 1e-12)
    return seen.mean(axis=0, dtype=np.float64), vectors * scale


def _learned(images: Floats, knowledge: Knowledge) -> Scores | None:
    return None if knowledge.plda is None else knowledge.plda.scores(unit(images))


def _network(images: Floats, knowledge: Knowledge) -> Scores | None:
    said = knowledge.card.get("identity_score")
    if not isinstance(said, Mapping):
        return None
    weights = np.asarray(said["weights"], dtype=np.float32)
    if said.get("kind") != "weighted-l1" or weights.shape != images.shape[1:]:
        raise DataError(
            "the card's identity_score does not fit the embeddings", got=f"{said.get('kind')}, {weights.shape}"
        )
    return weighted_l1(images, weights)


ATTACKERS: dict[str, Attacker] = {
    "cosine": _cosine,
    "euclidean": _euclidean,
    "whitened": _whitened,
    "learned": _learned,
    "network": _network,
}
