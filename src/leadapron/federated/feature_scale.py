"""One scale for the features of all stations, fitted on the server's validation patients alone.

They are the same whatever is studied (how many hospitals, how large the public set), so no curve bends because the
scale changed; and nothing of a hospital's patients is in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

KEPT = 64
"""Directions that are kept of each half's features."""
FLAT = 1e-6


@dataclass(frozen=True)
class Scale:
    """Subtract, multiply: standardised features on their main directions."""

    centre: NDArray[np.float64]
    directions: NDArray[np.float64]

    @classmethod
    def fit(cls, features: NDArray[Any]) -> Scale:
        values = np.asarray(features, dtype=np.float64)
        centre, spread = values.mean(axis=0), values.std(axis=0)
        inverse = np.where(spread > FLAT, 1 / np.maximum(spread, FLAT), 0.0)
        standard = (values - centre) * inverse
        _, axes = np.linalg.eigh(standard.T @ standard)
        kept = axes[:, ::-1][:, :KEPT]
        return cls(centre, inverse[:, None] * kept)

    def apply(self, features: NDArray[Any]) -> NDArray[np.float32]:
        return ((np.asarray(features, dtype=np.float64) - self.centre) @ self.directions).astype(np.float32)
