"""A small phantom clinic with its own counterparts, for audits of images."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from leadapron.audits.audit import NOTHING, Loaded
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.images_subject import ReleasedImages, images_inputs
from leadapron.audits.run_audit import run_audit
from leadapron.cohort.image_set import ImageSet
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.oracle import counterpart_clinic

PATIENTS = 300
SIZE = 64


@lru_cache
def clinic():
    return build_clinic(Dials(patients=PATIENTS, seed=3))


@lru_cache
def images_of(kind: str) -> ImageSet:
    """The clinic's own images ("real") or its counterparts ("said", "shown")."""
    made = clinic() if kind == "real" else counterpart_clinic(clinic(), kind)
    return ImageSet(made.cohort, made.radiographs(SIZE), made.cohort.card)


def noised(kind: str, spread: float, seed: int = 0) -> ImageSet:
    images = images_of(kind)
    noise = np.random.default_rng(seed).normal(0, spread, images.images.shape)
    return images.with_images(np.clip(images.images + noise, 0, 255).astype(np.uint8))


def subject_of(released: str | ImageSet | ReleasedImages) -> ReleasedImages:
    """Released images beside their source; other records than the clinic's are their own source."""
    if isinstance(released, ReleasedImages):
        return released
    source = images_of("real")
    if isinstance(released, str):
        return ReleasedImages(source if released == "real" else images_of(released), source)
    return ReleasedImages(released, source if len(released) == len(source) else released)


@lru_cache
def audited(name: str, released: str, **options: object):
    """The results of an audit of a kind of images, once for all tests."""
    return audited_anew(name, released, **options)


def audited_anew(name: str, released: str | ImageSet | ReleasedImages, **options: object):
    audit, subject = find_audit(name), subject_of(released)
    loaded = Loaded(subject, NOTHING, images_inputs(subject.released, "clinic"))
    return run_audit(audit, loaded, audit.config(**options), command="test")
