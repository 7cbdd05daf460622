"""A few points that many patients share: every row becomes the nearest of them."""

from __future__ import annotations

import numpy as np

from leadapron.defences.vectors.defended import Doubles, Ints

ROWS_AT_ONCE = 4096


def shared_codes(said: Doubles, number: Ints, candidates: Doubles, patient: Ints, k: int) -> tuple[Doubles, Ints]:
    """The candidates that k patients of this release share, and for each distinct row the one that it becomes.

    ``number`` says for every row of the release which of the distinct ones it is. Candidates that too few come to are
    given up, the less shared half of them at a time, and the rows go to the next.
    """
    kept = candidates
    while True:
        chosen = nearest_code(said, kept)
        counts = _patients_of(chosen[number], patient, len(kept))
        kept, used = kept[counts > 0], counts[counts > 0]
        few = np.flatnonzero(used < k)
        if not len(few):
            return kept, nearest_code(said, kept)
        kept = np.delete(kept, few[np.argsort(used[few], kind="stable")][: (len(few) + 1) // 2], axis=0)


def _patients_of(group: Ints, patient: Ints, groups: int) -> Ints:
    pairs = np.unique(group * (int(patient.max()) + 1) + patient)
    counts: Ints = np.bincount(pairs // (int(patient.max()) + 1), minlength=groups)
    return counts


def nearest_code(rows: Doubles, others: Doubles) -> Ints:
    half_squares = np.square(others).sum(axis=1) / 2
    blocks = [
        (rows[start : start + ROWS_AT_ONCE] @ others.T - half_squares).argmax(axis=1)
        for start in range(0, len(rows), ROWS_AT_ONCE)
    ]
    return np.concatenate(blocks)
