"""Whose images a target network is trained, watched and judged on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort import Pixels
from leadapron.errors import ConfigError, DataError
from leadapron.targets.labels import AUDITED, target_labels
from leadapron.targets.networks.config import NetworkConfig

Rows = NDArray[np.int64]
Floats = NDArray[np.float32]


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
            fix="Make the cohort anew with a split of its own, or train with --no-early-stopping.",
        )
    labels = target_labels(records, split == AUDITED, where)
    _, patient = np.unique(records["patient_id"].to_numpy().astype(str)[audited], return_inverse=True)
    names, signs = labels.column_names, labels.signs
    return NetworkData(pixels.images, names, signs, audited, watched, judged, patient.astype(np.int64))
