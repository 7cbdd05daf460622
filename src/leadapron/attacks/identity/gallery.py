"""The gallery: images of one patient stand together, so that who is a stranger is known by the place alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.release import Release
from leadapron.release.provenance import has_recurring_patients

OLDEST = 122

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Gallery:
    """Images sorted by patient. ``own_start`` and ``own_stop`` bound the images of each image's own patient."""

    records: pl.DataFrame
    image: Floats
    patient: Ints
    own_start: Ints
    own_stop: Ints

    def __len__(self) -> int:
        return len(self.patient)

    @property
    def patients(self) -> int:
        return int(self.patient[-1]) + 1


def has_mates(release: Release) -> bool:
    """Whether there is somebody to recognise, and somebody else to be taken for."""
    return "image" in release.arrays and bool(has_recurring_patients(release))


def build_gallery(release: Release) -> Gallery:
    """All images of a release; refused where there is nobody to recognise, or nobody to take for somebody else."""
    if "image" not in release.arrays:
        raise DataError("identity needs image embeddings", where=release.where, got=", ".join(release.arrays))
    if "patient_id" not in release.records.columns:
        raise DataError(
            "identity needs to know whose the images are",
            where=release.where,
            got="no patient_id",
            fix="Add a column patient_id to the records.",
        )
    ids = release.records["patient_id"].cast(pl.String)
    _, patient = np.unique(ids.to_numpy(), return_inverse=True)
    sizes = np.bincount(patient)
    if len(sizes) < 2:
        raise DataError("there is one patient in all, and nobody to tell from", where=release.where)
    if sizes.max() < 2:
        raise DataError("no patient has two images, so there is nobody to recognise", where=release.where)
    row = np.argsort(patient, kind="stable")
    image = np.asarray(release.arrays["image"][row], dtype=np.float32)
    if not (zero := image.any(axis=1)).all():
        got = f"row {row[int(zero.argmin())]}"
        raise DataError("an embedding is all zeros and has no direction", where=release.where, got=got)
    return _sorted(_with_possible_ages(release.records[row.tolist()]), image, patient[row])


def _with_possible_ages(records: pl.DataFrame) -> pl.DataFrame:
    """A table may hold an age of 414; it is unknown, then."""
    if "age" not in records.columns:
        return records
    age = pl.col("age").cast(pl.Float64, strict=False)
    return records.with_columns(age=pl.when((age >= 0) & (age <= OLDEST)).then(age))


def _sorted(records: pl.DataFrame, image: Floats, patient: Ints) -> Gallery:
    sizes = np.bincount(patient)
    stop = np.cumsum(sizes)
    return Gallery(records, image, patient, (stop - sizes)[patient], stop[patient])


def pairs_of(gallery: Gallery) -> tuple[Ints, Ints]:
    """Every two images of one patient, once: all same-patient pairs there are."""
    first = np.repeat(np.arange(len(gallery)), gallery.own_stop - np.arange(len(gallery)) - 1)
    starts = np.cumsum(gallery.own_stop - np.arange(len(gallery)) - 1)
    offset = np.arange(len(first)) - np.concatenate([[0], starts])[first]
    return first, first + 1 + offset
