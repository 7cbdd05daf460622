"""For whom k-anonymity holds: how many patients share a released vector, all vectors of a patient, and within a split.

It is counted in what is released. Groups are made so that k patients share a vector; nothing is done for the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from leadapron.defences.vectors.defended import Ints


@dataclass(frozen=True)
class Sharing:
    """The fewest patients that share a vector, the same set of vectors, and a vector within each split.

    Of ``patients``, so many are ``alone``: nobody else has the same set of vectors.
    """

    vector: int
    all_vectors: int
    within_split: Mapping[str, int]
    patients: int
    alone: int

    def details(self) -> dict[str, object]:
        """For the guarantee."""
        return {
            "fewest_patients_with_a_vector": self.vector,
            "fewest_patients_with_all_vectors_of_a_patient": self.all_vectors,
            "fewest_patients_with_a_vector_within_split": dict(self.within_split),
            "patients": self.patients,
            "patients_alone_with_all_of_theirs": self.alone,
        }

    def limits(self, vectors: str = "vectors") -> str:
        """What is not promised, in words and numbers."""
        splits = ", ".join(f"{fewest} ({split})" for split, fewest in self.within_split.items())
        return (
            f"This holds for one vector by itself. All {vectors} of a patient together are shared by as few as "
            f"{self.all_vectors}: {self.alone:,} of {self.patients:,} patients are alone with theirs."
            + (f" Within one split a vector is shared by as few as {splits}." if splits else "")
        )


def count_sharing(groups: Mapping[str, Ints], patient: Ints, records: pl.DataFrame) -> Sharing:
    """``groups`` holds, for each side, the group of every row: rows of one group have the same vector."""
    split = records["split"].cast(pl.String) if "split" in records.columns else pl.lit(None, pl.String)
    table = pl.concat(
        pl.select(pl.lit(side).alias("side"), group=group, patient=patient).with_columns(split.alias("split"))
        for side, group in groups.items()
    ).unique()
    sets = table.group_by("patient").agg(pl.struct("side", "group").unique().sort().alias("vectors"))
    alike = sets.group_by("vectors").len()["len"]
    within = table.drop_nulls("split").group_by("split", "side", "group").agg(pl.col("patient").n_unique())
    fewest = within.group_by("split").agg(pl.col("patient").min()).sort("split")
    return Sharing(
        vector=_least(table.group_by("side", "group").agg(pl.col("patient").n_unique())["patient"]),
        all_vectors=_least(alike),
        within_split=dict(fewest.iter_rows()),
        patients=len(sets),
        alone=int((alike == 1).sum()),
    )


def _least(counts: pl.Series) -> int:
    return int(counts.to_numpy().min())
