"""What a generator is: words in, radiographs of nobody out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import Progress, silent

Bytes = NDArray[np.uint8]
Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Guides:
    """Source images that drawing may lean on (UPDP, eq. 3). At strength 0 they come back, at 1 they do nothing."""

    images: Bytes
    strength: float


@dataclass(frozen=True)
class Drawn:
    """Images, one a prompt: which of them had to be brought back into range, because they exploded, and which prompts
    are longer than the generator reads."""

    images: Bytes
    exploded: Bools
    longer: Bools

    @property
    def clipped(self) -> int:
        return int(self.exploded.sum())

    @property
    def cut(self) -> int:
        return int(self.longer.sum())


class Generator(Protocol):
    """Words are all that it is told: whatever a method wants to keep must be said in them."""

    @property
    def size(self) -> int:
        """Rows and columns of its images."""

    @property
    def at_once(self) -> int:
        """Images that are drawn in one go: a kill costs no more of them."""

    def draw(
        self,
        prompts: Sequence[str],
        *,
        seed: int,
        guides: Guides | None = None,
        first: int = 0,
        progress: Progress = silent,
    ) -> Drawn:
        """An image a prompt. The same prompts, seed and guides give the same images, all in one go or one go after the
        other: ``first`` is how many have been drawn, a multiple of ``at_once``."""
