"""What a frozen encoder sees of images, each looked at once, however many writers learn from it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from leadapron.encoders.image_rows import image_rows
from leadapron.engine import Progress, silent
from leadapron.training.devices import AUTO
from leadapron.writing.writer import Bytes

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class ImageMemory:
    """Features by the hash of an image's pixels."""

    encoder: str
    device: str = AUTO
    kept: dict[bytes, Floats] = field(default_factory=dict)

    def features(self, images: Bytes, *, progress: Progress = silent) -> Floats:
        """A row an image."""
        names = [hashlib.sha256(np.ascontiguousarray(image).tobytes()).digest() for image in images]
        new = {name: row for row, name in enumerate(names) if name not in self.kept}
        if new:
            found = image_rows(self.encoder, images[list(new.values())], device=self.device, progress=progress)
            self.kept.update(zip(new, found, strict=True))
        return np.stack([self.kept[name] for name in names])
