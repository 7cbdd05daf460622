"""The lift: a few coordinates as a vector of length one that has lost nothing.

Bringing a short vector to length one throws its length away: of a single coordinate, only the sign would be left. The
cosine then sees less than an attacker could, and an audit would flatter the defence. One more coordinate, the same
constant in every row, keeps the length in the angle.
"""

from __future__ import annotations

import numpy as np

from leadapron.defences.vectors.defended import Doubles, Floats
from leadapron.release.rows import unit


def lift(coordinates: Doubles, constant: float) -> Floats:
    """Rows of length one, one column wider, from which the coordinates can be had back."""
    return unit(np.column_stack([coordinates, np.full(len(coordinates), constant)]).astype(np.float32))


def typical_length(coordinates: Doubles) -> float:
    """The root of the mean squared length: a constant of this size is neither lost nor drowns the rest."""
    return float(np.sqrt(np.square(coordinates).sum(axis=1).mean())) or 1.0
