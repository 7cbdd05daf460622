"""What an encoder makes of images that are in memory: its features, before its head."""

from __future__ import annotations

import numpy as np
from PIL import Image

from leadapron.encoders.encoder import Bytes, Floats, Weights
from leadapron.encoders.encoder_registry import find_encoder
from leadapron.engine import Progress, parallel_map, silent
from leadapron.engine.remembered import remembered
from leadapron.training.devices import AUTO
from leadapron.training.fitting_batches import in_batches

AT_ONCE = 64


def image_rows(name: str, images: Bytes, *, device: str = AUTO, progress: Progress = silent) -> Floats:
    """A row of features an image, of the encoder of this name; images are brought to its size."""
    return remembered(images, ("image rows", name), lambda: _image_rows(name, images, device, progress))


def _image_rows(name: str, images: Bytes, device: str, progress: Progress) -> Floats:
    spec = find_encoder(name)
    encoder = spec.load(Weights(device=device))
    rows = []
    for start in range(0, len(images), AT_ONCE):
        batch = resized(images[start : start + AT_ONCE], spec.image_size)
        rows.append(np.asarray(in_batches(encoder.image_backbone, batch, AT_ONCE), dtype=np.float32))
        progress("looking at images", min(start + AT_ONCE, len(images)), len(images))
    return np.concatenate(rows)


def resized(images: Bytes, size: int) -> Bytes:
    """The images at another size; as they are, where it is theirs."""
    if images.shape[1:] == (size, size):
        return images
    bilinear = Image.Resampling.BILINEAR
    return np.stack(
        parallel_map(lambda image: np.asarray(Image.fromarray(image).resize((size, size), bilinear)), list(images))
    )
