"""What a generator is: words in, radiographs of nobody out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import Progress, silent

Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Guides:
    """Source images that drawing may lean on (UPDP, eq. 3). At strength 0 they come back, at 1 they do nothing."""

    images: Bytes
    strength: float


@dataclass(frozen=True)
class Drawn:
    """Images, one a prompt; ``clipped`` counts those that had to be brought back into range, because they exploded, and
    ``cut`` the prompts that are longer than the generator reads."""

    images: Bytes
    clipped: int = 0
    cut: int = 0


class Generator(Protocol):
    """Words are all that it is told: whatever a method wants to keep must be said in them."""

    @property
    def size(self) -> int:
        """Rows and columns of its images."""

    def draw(
        self, prompts: Sequence[str], *, seed: int, guides: Guides | None = None, progress: Progress = silent
    ) -> Drawn:
        """An image a prompt. The same prompts, seed and guides give the same images."""
