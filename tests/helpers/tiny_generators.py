"""A phantom clinic of small images and the generator that is fitted on it, made once for all tests."""

from __future__ import annotations

from functools import cache

import numpy as np

from leadapron.cohort.image_set import ImageSet
from leadapron.defences.images.word_counterparts import structured_prompts
from leadapron.generation.fit_generator import fit_registered
from leadapron.phantoms import Dials, build_clinic

SIZE = 32


@cache
def tiny_images(seed: int = 5, patients: int = 100) -> ImageSet:
    clinic = build_clinic(Dials(patients=patients, seed=seed))
    return ImageSet(clinic.cohort, clinic.pixels(SIZE).images, {}, "tiny")


@cache
def tiny_prompts() -> tuple[str, ...]:
    return tuple(structured_prompts(tiny_images()))


def training_rows() -> np.ndarray:
    return tiny_images().records["split"].eq("train").arg_true().to_numpy()


@cache
def tiny_generator():
    rows = training_rows()
    return fit_registered(tiny_images().images[rows], [tiny_prompts()[row] for row in rows], seed=1)
