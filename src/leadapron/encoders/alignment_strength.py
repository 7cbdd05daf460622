"""How strongly an alignment is regularised, decided by patients whom it has not seen: few pairs need most."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.encoders.encoder import Floats
from leadapron.encoders.paired_axes import Doubles, pair_axes
from leadapron.release.rows import unit

SHRINKAGES = (0.98, 0.95, 0.9, 0.8, 0.6, 0.3, 0.1, 0.03, 0.01)
"""From the most cautious on: where two do equally well, the more cautious one is taken."""
WITHOUT_CHOICE = 0.9
"""Where there are too few patients to ask."""
FOLDS = 5
FEWEST_PATIENTS = 2 * FOLDS
ENOUGH = 2000
"""Held-out pairs; once so many have been judged, no more folds are fitted."""


@dataclass(frozen=True)
class Strength:
    """Which share of a covariance is replaced by a multiple of the identity, and who decided that, for the card."""

    shrinkage: float
    words: str


def choose_strength(image: Floats, text: Floats, patients: Sequence[str], dimension: int) -> Strength:
    """The shrinkage by which left-out patients' images rank their own reports highest among those of their fold."""
    fold = deal(patients)
    if fold is None:
        return Strength(WITHOUT_CHOICE, f"shrinkage {WITHOUT_CHOICE}, by default: too few patients to choose one")
    total, judged = np.zeros(len(SHRINKAGES)), 0
    for left_out in range(FOLDS):
        rows = fold == left_out
        axes = pair_axes(image[~rows], text[~rows])
        x, y = image[rows] - axes.image_mean, text[rows] - axes.text_mean
        texts, own = np.unique(y, axis=0, return_inverse=True)
        for place, shrinkage in enumerate(SHRINKAGES):
            image_map, text_map = axes.maps(shrinkage, dimension)
            total[place] += np.log(ranks_of(x @ image_map, texts @ text_map, own.ravel())).sum()
        judged += int(rows.sum())
        if judged >= ENOUGH:
            break
    best = SHRINKAGES[int(total.argmin())]
    return Strength(best, f"shrinkage {best}, chosen by cross-validation over the training patients")


def deal(patients: Sequence[str]) -> NDArray[np.int64] | None:
    """Each row's fold: all of a patient's in one. The order of the ids' hashes decides, not that of the rows."""
    names = sorted(set(patients), key=lambda name: hashlib.sha256(name.encode()).digest())
    if len(names) < FEWEST_PATIENTS:
        return None
    place = {name: number % FOLDS for number, name in enumerate(names)}
    return np.array([place[name] for name in patients])


def ranks_of(image: Doubles, texts: Doubles, own: NDArray[np.int64]) -> Doubles:
    """Where each image's own report stands among the distinct ones; one level with it counts for half a place."""
    scores = unit(image).astype(np.float64) @ unit(texts).T
    true = scores[np.arange(len(own)), own][:, None]
    ranks: Doubles = 0.5 + (scores > true).sum(axis=1) + (scores == true).sum(axis=1) / 2
    return ranks
