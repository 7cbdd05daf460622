"""The published test of identity: a classifier of 50 patients, trained on their real images, is shown released ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.images.image_sides import Sides

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

PATIENTS = 50
ROUNDS = 4
"""How often all patients are dealt into classes anew."""
RIDGE = 0.05


def classified(released: Floats, real: Floats, sides: Sides, *, source: bool, seed: int) -> tuple[Ints, Doubles]:
    """The attacked records that were asked about, and how often the classifier named the right one of 50 patients.

    With ``source`` it has learnt from the very images that the released ones were made from. Without it the studies of
    each patient are dealt into two halves, and it learns from the one and is asked about the other.
    """
    rng = np.random.default_rng(seed)
    rows = sides.attacked
    right, asked = np.zeros(len(sides.patient)), np.zeros(len(sides.patient))
    patients, place = np.unique(sides.patient[rows], return_inverse=True)
    half = _halves(sides.study[rows], place, rng)
    if not source:
        both = np.flatnonzero([len(set(half[place == one].tolist())) == 2 for one in range(len(patients))])
    else:
        both = np.arange(len(patients))
    for _ in range(ROUNDS):
        dealt = rng.permutation(both)
        for start in range(0, len(dealt) // PATIENTS * PATIENTS, PATIENTS):
            group = dealt[start : start + PATIENTS]
            mine = np.flatnonzero(np.isin(place, group))
            kinds = np.searchsorted(np.sort(group), place[mine])
            sets = [(mine, mine)] if source else [(mine[half[mine] == a], mine[half[mine] != a]) for a in (0, 1)]
            for learnt, shown in sets:
                scores = _ridge(real[rows[learnt]], kinds[np.searchsorted(mine, learnt)], released[rows[shown]])
                truth = kinds[np.searchsorted(mine, shown)]
                best = scores == scores.max(axis=1, keepdims=True)
                right[rows[shown]] += best[np.arange(len(shown)), truth] / best.sum(axis=1)
                asked[rows[shown]] += 1
    found = rows[asked[rows] > 0]
    return found, right[found] / asked[found]


def _halves(study: Ints, place: Ints, rng: np.random.Generator) -> Ints:
    """Every patient's studies, the first, third and so on in one half: in an order that is drawn."""
    drawn = rng.permutation(int(study.max()) + 1)[study]
    half = np.zeros(len(study), dtype=np.int64)
    for one in np.unique(place):
        own = np.flatnonzero(place == one)
        half[own] = np.unique(drawn[own], return_inverse=True)[1] % 2
    return half


def _ridge(rows: Floats, kinds: Ints, asked: Floats) -> Doubles:
    """Scores of every class: a ridge regression to classes, each counting alike, solved through inner products."""
    truth = np.zeros((len(rows), PATIENTS))
    truth[np.arange(len(rows)), kinds] = 1
    centre = rows.mean(axis=0)
    learnt, shown = (rows - centre).astype(np.float64), (asked - centre).astype(np.float64)
    inner = learnt @ learnt.T
    weights = np.linalg.solve(inner + RIDGE * np.trace(inner) / len(inner) * np.eye(len(inner)), truth - 1 / PATIENTS)
    scores: Doubles = shown @ learnt.T @ weights
    return np.round(scores, 12)
