"""The evidence of two audits, laid side by side record by record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.report import Results

COLUMNS = ("record_id", "patient_id", "direction", "attacker", "recall")
MEMBERSHIP = "membership"
FEWEST_PATIENTS = 10
"""With fewer, a bootstrap over patients promises more than it keeps."""


@dataclass(frozen=True)
class Pairs:
    """For each record of one direction, what the strongest attacker got before and after."""

    direction: str
    attacker_before: str
    attacker_after: str
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    patients: NDArray[np.generic]


def pair_records(before: Results, after: Results) -> Iterator[Pairs]:
    """The pairs of each direction that was audited; both audits must be of the same records."""
    old, new = _records(before), _records(after)
    directions = old["direction"].unique(maintain_order=True)
    if set(directions) != set(new["direction"]):
        raise DataError(
            "the audits are of different directions",
            got=" and ".join(", ".join(sorted(set(table["direction"]))) for table in (old, new)),
        )
    for direction in directions:
        yield _pair(direction, _strongest(old, direction), _strongest(new, direction))


def place_of(results: Results) -> dict[str, Any]:
    """What the pairs are of. Members are compared by each patient's own AUC, not by the one that few exceed."""
    place = {key: results.content["headline"][key] for key in ("protocol", "pool", "metric")}
    return {**place, "metric": "auc"} if results.content["attack"] == MEMBERSHIP else place


def _records(results: Results) -> pl.DataFrame:
    table = _patients(results) if results.content["attack"] == MEMBERSHIP else results.evidence("records")
    if table is None:
        raise DataError(
            "the evidence of each record is not there",
            where=results.folder,
            fix="Keep the folder evidence/ beside results.json.",
        )
    if missing := [column for column in COLUMNS if column not in table.columns]:
        raise DataError("the evidence of the records lacks a column", where=results.folder, got=missing[0])
    table = table.select(COLUMNS)
    if table.is_empty() or any(table.null_count().row(0)) or not table["recall"].is_finite().all():
        raise DataError("the evidence of the records is empty or has gaps", where=results.folder)
    return table


def _patients(results: Results) -> pl.DataFrame | None:
    """Of models that were trained many times, a row a patient: the joint attack on all of theirs."""
    table = results.evidence("patients")
    if table is None or "auc_joint" not in table.columns:
        return None
    headline = results.content["headline"]
    named = {key: pl.lit(headline[key]) for key in ("direction", "attacker")}
    return table.select("patient_id", record_id="patient_id", recall="auc_joint", **named)


def _strongest(table: pl.DataFrame, direction: str) -> pl.DataFrame:
    """The rows of the attacker with the highest recall: a release is as safe as against that one."""
    rows = table.filter(pl.col("direction") == direction)
    means = rows.group_by("attacker").agg(pl.col("recall").mean())
    strongest = means.sort("recall", "attacker", descending=[True, False])["attacker"][0]
    return rows.filter(pl.col("attacker") == strongest)


def _pair(direction: str, old: pl.DataFrame, new: pl.DataFrame) -> Pairs:
    both = old.join(new, on="record_id", suffix="_after", maintain_order="left")
    sizes = [len(table) for table in (old, new)]
    if not len(both) == sizes[0] == sizes[1]:
        raise DataError(
            "the audits are not of the same records",
            where=direction,
            got=f"{sizes[0]:,} before, {sizes[1]:,} after, {len(both):,} in both",
            fix="Audit both releases with the same records and the same attackers.",
        )
    if not (both["patient_id"] == both["patient_id_after"]).all():
        raise DataError("a record belongs to one patient before and to another after", where=direction)
    if (patients := both["patient_id"].n_unique()) < FEWEST_PATIENTS:
        raise DataError(
            "too few patients to compare", where=direction, got=patients, allowed=f"{FEWEST_PATIENTS} or more"
        )
    return Pairs(
        direction=direction,
        attacker_before=str(old["attacker"][0]),
        attacker_after=str(new["attacker"][0]),
        before=both["recall"].to_numpy().astype(np.float64),
        after=both["recall_after"].to_numpy().astype(np.float64),
        patients=both["patient_id"].to_numpy(),
    )
