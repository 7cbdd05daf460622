"""The evidence of two audits, laid side by side record by record.

An attacker who is given some pairs to learn from is not judged on these. So two attackers on the same records may have
been judged on different ones; they are compared on those that both were judged on, and how many are left out is told.
"""

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
TABLES = {"linkage": ("records", "assignment"), "identity": ("records",), MEMBERSHIP: ()}
"""Evidence with a row for each record and attacker."""
FEWEST_PATIENTS = 10
"""With fewer, a difference between patients tells next to nothing."""


@dataclass(frozen=True)
class Pairs:
    """For each record of one direction, what the strongest attacker got before and after.

    ``left_out`` records of the audits are not among them, because the attackers in ``held_out_by`` knew their pairs.
    """

    direction: str
    attacker_before: str
    attacker_after: str
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    patients: NDArray[np.generic]
    left_out: int
    held_out_by: tuple[str, ...]


@dataclass(frozen=True)
class SideBySide:
    """The same records in the same order, before and after, each by one attacker in one direction."""

    before: pl.DataFrame
    after: pl.DataFrame

    @property
    def patients(self) -> pl.Series:
        return self.before["patient_id"]


def pair_records(before: Results, after: Results) -> Iterator[Pairs]:
    """The strongest before beside the strongest after, in each direction; both audits must be of the same records."""
    old, new = _records(before), _records(after)
    directions = old["direction"].unique(maintain_order=True)
    if set(directions) != set(new["direction"]):
        raise DataError(
            "the audits are of different directions",
            got=" and ".join(", ".join(sorted(set(table["direction"]))) for table in (old, new)),
        )
    for direction in directions:
        audited = _audited(old, new, direction)
        best = [_strongest(table, direction) for table in (old, new)]
        both = _side_by_side(best[0], best[1], direction)
        if (patients := both.patients.n_unique()) < FEWEST_PATIENTS:
            raise DataError(
                "too few patients to compare", where=direction, got=patients, allowed=f"{FEWEST_PATIENTS} or more"
            )
        names = [str(table["attacker"][0]) for table in best]
        yield Pairs(
            direction=direction,
            attacker_before=names[0],
            attacker_after=names[1],
            before=both.before["recall"].to_numpy().astype(np.float64),
            after=both.after["recall"].to_numpy().astype(np.float64),
            patients=both.patients.to_numpy(),
            left_out=audited - len(both.before),
            held_out_by=tuple(
                dict.fromkeys(name for name, table in zip(names, best, strict=True) if len(table) < audited)
            ),
        )


def pair_attackers(before: Results, after: Results) -> Iterator[tuple[str, str, SideBySide]]:
    """Each direction and attacker that both audits keep the records of; without those judged on too few in common."""
    for name in TABLES[before.content["attack"]]:
        old, new = (results.evidence(name) for results in (before, after))
        if old is None or new is None:
            continue
        later = new.partition_by("direction", "attacker", as_dict=True)
        for key, rows in old.partition_by("direction", "attacker", as_dict=True, maintain_order=True).items():
            direction, attacker = map(str, key)
            if key in later:
                both = _side_by_side(rows, later[key], direction)
                if both.patients.n_unique() >= FEWEST_PATIENTS:
                    yield direction, attacker, both


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
    if table.select("direction", "attacker", "record_id").is_duplicated().any():
        raise DataError("a record stands twice in the evidence", where=results.folder)
    return table


def _patients(results: Results) -> pl.DataFrame | None:
    """Of models that were trained many times, a row a patient: the joint attack on all of theirs."""
    table = results.evidence("patients")
    if table is None or "auc_joint" not in table.columns:
        return None
    headline = results.content["headline"]
    named = {key: pl.lit(headline[key]) for key in ("direction", "attacker")}
    return table.select("patient_id", record_id="patient_id", recall="auc_joint", **named)


def _audited(old: pl.DataFrame, new: pl.DataFrame, direction: str) -> int:
    """How many records were audited, by whichever attacker: before and after they must be the same."""
    before, after = (set(table.filter(pl.col("direction") == direction)["record_id"]) for table in (old, new))
    if before != after:
        raise DataError(
            "the audits are not of the same records",
            where=direction,
            got=f"{len(before):,} before, {len(after):,} after, {len(before & after):,} in both",
            fix="Audit both releases with the same --split, seed and attackers; one who is judged on all records "
            "(cosine) must be among these.",
        )
    return len(before)


def _strongest(table: pl.DataFrame, direction: str) -> pl.DataFrame:
    """The rows of the attacker with the highest recall: a release is as safe as against that one."""
    rows = table.filter(pl.col("direction") == direction)
    means = rows.group_by("attacker").agg(pl.col("recall").mean())
    strongest = means.sort("recall", "attacker", descending=[True, False])["attacker"][0]
    return rows.filter(pl.col("attacker") == strongest)


def _side_by_side(old: pl.DataFrame, new: pl.DataFrame, direction: str) -> SideBySide:
    before = old.join(new, on="record_id", how="semi", maintain_order="left")
    after = before.select("record_id").join(new, on="record_id", maintain_order="left")
    if not before["patient_id"].equals(after["patient_id"]):
        raise DataError("a record belongs to one patient before and to another after", where=direction)
    return SideBySide(before, after)
