"""Who is trained on: the rows of each patient, batches drawn patient by patient, and pairs of images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort import Cohort
from leadapron.errors import DataError

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Patients:
    """The patients of a split with two or more images, in the order of their first record.

    ``rows`` lists their images patient by patient; those of patient ``p`` are ``rows[starts[p]:starts[p + 1]]``.
    """

    rows: Rows
    starts: Rows
    left_out: int
    """Patients of the split with a single image: there is nothing to pair it with."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def owner(self) -> Rows:
        """For each entry of ``rows`` the number of its patient."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


def of_split(cohort: Cohort, split: str) -> Patients:
    """The patients of a split who can be recognised, or an error that says why there are none."""
    if cohort.patients < 2:
        raise DataError(
            "there is one patient in all: nobody to tell apart from", where=cohort.name, got=1, allowed="2 or more"
        )
    there = np.flatnonzero((cohort.records["split"] == split).to_numpy())
    if not len(there):
        splits = ", ".join(cohort.records["split"].unique().sort())
        raise DataError(
            f"there is no record in split {split!r}, and an identity network is trained on 'train' and watched on "
            "'validate'",
            where=cohort.name,
            got=splits,
            fix="Make the cohort anew with `leadapron cohort`, without --official-split, or take a larger one.",
        )
    ids = cohort.records["patient_id"].to_numpy()[there].astype(str)
    _, first, number, images = np.unique(ids, return_index=True, return_inverse=True, return_counts=True)
    place = np.argsort(np.argsort(first))[number]  # by the first record, so that the order is the cohort's own
    several = images[number] >= 2
    kept = np.flatnonzero(several)[np.argsort(place[several], kind="stable")]
    counts = images[np.argsort(first)]
    if (counts >= 2).sum() < 2:
        raise DataError(
            f"fewer than two patients of split {split!r} have two images: there is nothing to recognise",
            where=cohort.name,
            got=int((counts >= 2).sum()),
            allowed="2 or more",
        )
    starts = np.r_[0, np.cumsum(counts[counts >= 2])]
    return Patients(there[kept], starts.astype(np.int64), int((counts < 2).sum()))


@dataclass(frozen=True)
class Batch:
    """Rows of images to look at together, and what is true of them.

    For retrieval ``truth`` is the patient of each row; for verification rows are two halves, the left and the right
    images of the pairs, and ``truth`` says for each pair whether both are of one patient.
    """

    rows: Rows
    truth: NDArray[Any]


def patient_batches(patients: Patients, size: int, images: int, rng: np.random.Generator) -> list[Batch]:
    """An epoch of batches of ``size`` patients with up to ``images`` distinct images each: about as many images as
    there are. Patients that are left over from a round are met in another."""
    size = min(size, len(patients))
    rounds = len(patients) // size
    wanted = max(1, len(patients.rows) // (size * images))
    batches: list[Batch] = []
    while len(batches) < wanted:
        order = rng.permutation(len(patients))
        batches += [_batch(patients, order[at * size : (at + 1) * size], images, rng) for at in range(rounds)]
    return batches[:wanted]


def _batch(patients: Patients, chosen: Rows, images: int, rng: np.random.Generator) -> Batch:
    rows, truth = [], []
    for patient in chosen:
        own = patients.rows[patients.starts[patient] : patients.starts[patient + 1]]
        drawn = rng.choice(own, min(images, len(own)), replace=False)
        rows.append(drawn)
        truth.append(np.full(len(drawn), patient))
    return Batch(np.concatenate(rows), np.concatenate(truth))


def positive_pairs(patients: Patients) -> Rows:
    """All pairs of images of one patient, as pairs of rows."""
    pairs = []
    for start, end in zip(patients.starts[:-1], patients.starts[1:], strict=True):
        left, right = np.triu_indices(end - start, 1)
        pairs.append(np.stack([patients.rows[start + left], patients.rows[start + right]], axis=1))
    return np.concatenate(pairs)


def negative_pairs(patients: Patients, count: int, rng: np.random.Generator) -> Rows:
    """Pairs of images of two patients, every image as likely as any other."""
    owner = patients.owner
    left = rng.integers(0, len(owner), count)
    # A step that is shorter than the way round the others never ends at a patient's own images.
    own = np.diff(patients.starts)[owner[left]]
    step = (rng.random(count) * (len(owner) - own)).astype(np.int64)
    right = (patients.starts[owner[left] + 1] + step) % len(owner)
    return np.stack([patients.rows[left], patients.rows[right]], axis=1)


def pair_batches(positives: Rows, negatives: Rows, size: int, rng: np.random.Generator) -> list[Batch]:
    """All pairs of an epoch, shuffled, ``size`` at a time."""
    pairs = np.concatenate([positives, negatives])
    truth = np.repeat([1.0, 0.0], [len(positives), len(negatives)]).astype(np.float32)
    order = rng.permutation(len(pairs))
    parts = np.split(order, np.arange(size, len(order), size))
    return [Batch(pairs[part].T.reshape(-1), truth[part]) for part in parts]
