"""Patient-disjoint splits that never move a patient when others join."""

from __future__ import annotations

import hashlib

import polars as pl

from leadapron.errors import DataError

SPLITS = ("train", "validate", "test")
TEST_SHARE = 0.2
VALIDATE_SHARE = 0.1


def split_by_patient(patient_ids: pl.Series, seed: int = 0) -> pl.Series:
    """80 % training and 20 % test patients, with 10 % of the training patients held for validation.

    The side a patient falls on depends on the patient's id and the seed alone: a hash, not a shuffle. So the
    shares are met in expectation, and a cohort that grows or is filtered keeps everybody where they were.
    """
    patients = patient_ids.unique().to_list()
    sides = {patient: _side(str(patient), seed) for patient in patients}
    return patient_ids.replace_strict(sides, return_dtype=pl.String).alias("split")


def _side(patient: str, seed: int) -> str:
    digest = hashlib.blake2b(f"{seed}\x1f{patient}".encode(), digest_size=8).digest()
    place = int.from_bytes(digest, "big") / 2**64
    if place < TEST_SHARE:
        return "test"
    return "validate" if place < TEST_SHARE + VALIDATE_SHARE * (1 - TEST_SHARE) else "train"


def check_split(table: pl.DataFrame, where: str, called: str = "split") -> None:
    """Known names only, and no patient on two sides. The error calls the column as its owner does."""
    wrong = table.select(pl.col("split").is_null() | ~pl.col("split").is_in(SPLITS))["split"].arg_true()
    if len(wrong):
        raise DataError(
            f"column {called!r} holds an unknown split in row {wrong[0] + 1} ({len(wrong)} rows do)",
            where=where,
            got=table["split"].fill_null("null")[wrong[0]],
            allowed=", ".join(SPLITS),
        )
    torn = table.group_by("patient_id").agg(pl.col("split").unique().sort()).filter(pl.col("split").list.len() > 1)
    if len(torn):
        row = table["patient_id"].is_in(torn["patient_id"].implode()).arg_true()[0]
        splits = torn.filter(patient_id=table["patient_id"][row])["split"][0]
        raise DataError(
            f"column {called!r}: the patient of row {row + 1} stands in more than one split ({len(torn)} patients do)",
            where=where,
            got=", ".join(splits),
            allowed="one split a patient",
        )
