"""How the target networks are built and trained, whose images they see, and how an attacker sees these in part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from leadapron.cohort import Pixels
from leadapron.errors import ConfigError, DataError
from leadapron.targets.audited import AUDITED, target_labels
from leadapron.targets.learner import FULL
from leadapron.targets.settings import check_settings
from leadapron.training.devices import AUTO

Rows = NDArray[np.int64]
Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]
SMALLEST_IMAGE = 32
PART = 4
"""A thumbnail has a quarter of the side; a crop leaves out a quarter of it at every edge."""


def whole(images: Bytes) -> Bytes:
    return images


def low_resolution(images: Bytes) -> Bytes:
    """A thumbnail: the mean of each cell of 4 x 4 pixels is all that is known."""
    side = images.shape[1]
    small = (side // PART, side // PART)
    return _each(
        images,
        lambda image: image.resize(small, Image.Resampling.BOX).resize((side, side), Image.Resampling.BILINEAR),
    )


def cropped(images: Bytes) -> Bytes:
    """The central half of each side."""
    side = images.shape[1]
    edge = side // PART
    centre = (edge, edge, side - edge, side - edge)
    return _each(images, lambda image: image.crop(centre).resize((side, side), Image.Resampling.BILINEAR))


View = Callable[[Bytes], Bytes]
PARTIAL: Mapping[str, View] = {"low-resolution": low_resolution, "cropped": cropped}
VIEWS: Mapping[str, View] = {FULL: whole, **PARTIAL}


def _each(images: Bytes, change: Callable[[Image.Image], Image.Image]) -> Bytes:
    changed = np.empty(images.shape, dtype=np.uint8)
    for at, image in enumerate(images):
        changed[at] = np.asarray(change(Image.fromarray(image)))
    return changed


@dataclass(frozen=True)
class NetworkConfig:
    """A wide residual network and its training, by default with the counter-measures of the published study.

    - ``depth`` and ``width``: as in WRN-28-2; the depth is 6n + 4
    - ``early_stopping``: the weights of the epoch with the least loss on the patients of split 'validate'
    - ``augment``: every image is moved and exposed a little differently in each epoch
    - ``epsilon``: train privately; ``level`` says who is protected, and ``batch`` counts them. ``delta`` None is the
      default of private heads
    - ``views``: partial knowledge that the models are also asked with
    - ``device``: where they are trained, see ``training.devices``
    """

    depth: int = 28
    width: int = 2
    image_size: int = 64
    epochs: int = 30
    batch: int = 128
    learning_rate: float = 1e-2
    weight_decay: float = 5e-2
    early_stopping: bool = True
    augment: bool = True
    epsilon: float | None = None
    delta: float | None = None
    level: str = "patient"
    clip: float = 1.0
    views: tuple[str, ...] = ()
    device: str = AUTO
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "views", tuple(self.views))
        if self.depth < 10 or self.depth % 6 != 4:
            allowed = "6n + 4: 10, 16, 22, 28, 34, 40 and so on"
            raise ConfigError(
                "no wide residual network has this depth", where="--depth", got=self.depth, allowed=allowed
            )
        if self.image_size < SMALLEST_IMAGE or self.image_size % PART:
            allowed = f"a multiple of {PART}, {SMALLEST_IMAGE} or more"
            raise ConfigError("the images do not fit", where="--image-size", got=self.image_size, allowed=allowed)
        check_settings(self, ("width", "epochs", "batch"), tuple(PARTIAL))


@dataclass(frozen=True)
class NetworkData:
    """Images of all splits, and the signs of their labels: 1 positive, -1 negative, 0 unknown.

    ``audited``, ``watched`` and ``judged`` are the rows of the splits 'train', 'validate' and 'test'; ``patient``
    numbers the patients of the audited rows.
    """

    images: NDArray[np.uint8]
    names: tuple[str, ...]
    signs: NDArray[np.int8]
    audited: Rows
    watched: Rows
    judged: Rows
    patient: Rows


def data_of(pixels: Pixels, config: NetworkConfig) -> NetworkData:
    """The pixels, sorted by split and checked against what is to be done with them."""
    records, where = pixels.cohort.records, pixels.cohort.name
    sides = pixels.images.shape[1:]
    if sides != (config.image_size, config.image_size):
        raise ConfigError(
            "the images have another size", where="--image-size", got=config.image_size, allowed=str(sides)
        )
    split = records["split"].to_numpy().astype(str)
    audited, watched, judged = (np.flatnonzero(split == name) for name in (AUDITED, "validate", "test"))
    if config.early_stopping and not len(watched):
        raise DataError(
            "there is no record in split 'validate', by which training could be stopped early",
            where=where,
            got=", ".join(sorted(set(split))),
            fix="Make the cohort anew with `leadapron cohort`, without --official-split, or train with "
            "--no-early-stopping.",
        )
    labels = target_labels(records, split == AUDITED, where)
    _, patient = np.unique(records["patient_id"].to_numpy().astype(str)[audited], return_inverse=True)
    names, signs = labels.column_names, labels.signs
    return NetworkData(pixels.images, names, signs, audited, watched, judged, patient.astype(np.int64))
