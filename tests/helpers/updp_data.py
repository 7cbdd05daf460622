"""A few phantom patients with their images, for tests of prompts."""

from __future__ import annotations

from functools import cache

from leadapron.cohort.image_set import ImageSet
from leadapron.phantoms import Dials, build_clinic


@cache
def phantom_images(patients: int = 14, seed: int = 5, identifiers: str = "none") -> ImageSet:
    clinic = build_clinic(Dials(patients=patients, seed=seed, identifiers=identifiers))
    return ImageSet(clinic.cohort, clinic.radiographs(128), {"name": "phantom"})
