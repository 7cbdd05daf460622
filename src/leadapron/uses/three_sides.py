"""The sides of a release: probes learn on one, are chosen on the second and judged on the third."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort import SPLITS
from leadapron.cohort.truth import Labels, labels_of
from leadapron.errors import DataError
from leadapron.release import Release

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sides:
    """The labels and patients of every record, and the rows of each side. No patient stands on two of them."""

    labels: Labels
    patient_id: NDArray[np.str_]
    train: Ints
    validate: Ints
    test: Ints

    def counts(self) -> dict[str, int]:
        """Records and patients on each side."""
        found: dict[str, int] = {}
        for side in SPLITS:
            rows: Ints = getattr(self, side)
            found |= {
                f"{side}_records": len(rows),
                f"{side}_patients": len(np.unique(self.patient_id[rows])),
            }
        return found


def read_sides(release: Release) -> Sides:
    """The sides, checked: a probe that has seen the test patients would not be judged by them."""
    records, where = release.records, release.where
    if "image" not in release.arrays:
        raise DataError("utility needs image embeddings", where=where, got=", ".join(release.arrays))
    split = records["split"].cast(pl.String).fill_null("").to_numpy().astype(str)
    rows = {side: np.flatnonzero(split == side) for side in SPLITS}
    for side in ("train", "test"):
        if not len(rows[side]):
            raise DataError(f"no record is of split {side!r}", where=where, got=", ".join(np.unique(split)))
    patient_id = records["patient_id" if "patient_id" in records.columns else "record_id"].to_numpy().astype(str)
    seen = np.unique(patient_id[np.concatenate([rows["train"], rows["validate"]])])
    both = np.isin(patient_id[rows["test"]], seen)
    if both.any():
        torn = np.unique(patient_id[rows["test"]][both])
        raise DataError(
            f"column 'split': patients of the test split stand in another one, too ({len(torn)} do)",
            where=where,
            got=f"row {rows['test'][both.argmax()]}",
            allowed="one split a patient",
        )
    if len(np.unique(patient_id[rows["test"]])) < 2:
        raise DataError("the test split holds one patient, and intervals need at least two", where=where)
    labels = labels_of(records, where)
    if not labels.names:
        raise DataError(
            "there are no labels in it, and utility is judged by them",
            where=where,
            got=", ".join(records.columns),
            allowed="columns label_<finding> with 1, 0 or null",
        )
    return Sides(labels, patient_id, **rows)
