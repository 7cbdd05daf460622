"""Semantic alignment (UPDP, eq. 7): move the vectors of a text's tokens until its embedding meets the image's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadapron.defences.images.updp_text_side import NOTHING, Doubles, Floats, Ints, TextSide

FIRST, SECOND, EPS = 0.9, 0.999, 1e-8
"""Adam, with the numbers of its authors."""


@dataclass(frozen=True)
class Aligned:
    """Token vectors (rows x places x width), and the cosine with the image before and after."""

    vectors: Doubles
    before: Doubles
    after: Doubles


def align(side: TextSide, tokens: Ints, images: Floats, *, rate: float, iterations: int) -> Aligned:
    """``iterations`` steps of Adam that lower 1 − cos(E_T(H), E_I(x)), each row for itself.

    ``rate`` is in units of the size of a number in the table of token vectors: in CLIP's these are a hundredth, in
    another's they are one, and the same step would do nothing or everything.
    """
    vectors = side.table[np.maximum(tokens, 0)].astype(np.float64) * (tokens != NOTHING)[:, :, None]
    step = rate * float(np.sqrt(np.square(side.table, dtype=np.float64).mean()))
    objective = side.objective(tokens, images)
    cosine, slope = objective(vectors)
    before = cosine
    mean, square = np.zeros_like(vectors), np.zeros_like(vectors)
    for turn in range(1, iterations + 1):
        mean = FIRST * mean + (1 - FIRST) * slope
        square = SECOND * square + (1 - SECOND) * np.square(slope)
        corrected = np.sqrt(square / (1 - SECOND**turn))
        # Where no slope ever was (behind the last token) nothing moves; eps is relative, as slopes may be tiny.
        size = corrected + EPS * max(float(corrected.max()), np.finfo(np.float64).tiny)
        vectors = vectors + step * mean / (1 - FIRST**turn) / size
        cosine, slope = objective(vectors)
    return Aligned(vectors, before, cosine)
