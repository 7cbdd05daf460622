"""The evidence of two audits, laid side by side unit by unit, as the measure tells what each unit got.

An attacker who is given some pairs to learn from is not judged on these. So two attackers on the same records may have
been judged on different ones; they are compared on those that both were judged on, and how many are left out is told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.audits.audit import Audit
from leadapron.audits.wording import place_of
from leadapron.errors import DataError
from leadapron.results import Measured, Results
from leadapron.results.selection import headline, select

COLUMNS = ("record_id", "patient_id", "value", "weight")
"""The last says what a unit counts for: one, unless the measure says otherwise."""
FEWEST_PATIENTS = 10
"""With fewer, a difference between patients tells next to nothing."""


@dataclass(frozen=True)
class Pairs:
    """What the strongest attacker got of each unit before and after, at one place.

    ``left_out`` units of the audits are not among them, because the attackers in ``held_out_by`` knew their pairs.
    """

    at: Measured
    """The estimate before, of the strongest attacker there."""
    attacker_before: str
    attacker_after: str
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    patients: NDArray[np.generic]
    weights: NDArray[np.float64]
    left_out: int
    held_out_by: tuple[str, ...]
    rivals: int
    """How many attackers there were, before or after: of one alone nobody is the strongest."""


@dataclass(frozen=True)
class SideBySide:
    """The same units in the same order, before and after, each by one attacker."""

    before: pl.DataFrame
    after: pl.DataFrame

    @property
    def patients(self) -> NDArray[np.generic]:
        return self.before["patient_id"].to_numpy()

    @property
    def weights(self) -> NDArray[np.float64]:
        return self.before["weight"].to_numpy()

    @property
    def values(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.before["value"].to_numpy(), self.after["value"].to_numpy()


def tested_row(audit: Audit, results: Results) -> Measured:
    """What is tested: the headline, or what its attacker got by the first measure that tells of each unit."""
    row = headline(results)
    if can_be_paired(audit, row):
        return row
    own = select(results, attacker=row.attacker)
    return next((other for other in own if can_be_paired(audit, other)), row)


def can_be_paired(audit: Audit, row: Measured) -> bool:
    measure = audit.measure_of(row.metric)
    return measure.per_unit is not None or measure.paired is not None


def pair_strongest(audit: Audit, before: Results, after: Results, at: Measured) -> Pairs:
    """The strongest before beside the strongest after, where ``at`` was measured; both must be of the same units."""
    old, new = _by_attacker(audit, before, at), _by_attacker(audit, after, at)
    audited = _audited(old, new, place_of(audit, at))
    names = [_strongest(audit, one, at, tables) for one, tables in ((before, old), (after, new))]
    best = [tables[name] for name, tables in zip(names, (old, new), strict=True)]
    both = side_by_side(best[0], best[1], place_of(audit, at))
    if (patients := both.before["patient_id"].n_unique()) < FEWEST_PATIENTS:
        where, allowed = place_of(audit, at), f"{FEWEST_PATIENTS} or more"
        raise DataError("too few patients to compare", where=where, got=patients, allowed=allowed)
    values = both.values
    return Pairs(
        at=at,
        attacker_before=names[0],
        attacker_after=names[1],
        before=values[0],
        after=values[1],
        patients=both.patients,
        weights=both.weights,
        left_out=audited - len(both.before),
        held_out_by=tuple(dict.fromkeys(name for name, one in zip(names, best, strict=True) if len(one) < audited)),
        rivals=len(old.keys() | new.keys()),
    )


def units_of(audit: Audit, results: Results, row: Measured) -> pl.DataFrame | None:
    """What each unit got; None where the evidence does not tell."""
    per_unit = audit.measure_of(row.metric).per_unit
    try:
        told = None if per_unit is None else per_unit(results, row)
        if told is not None and "weight" not in told.columns:
            told = told.with_columns(weight=pl.lit(1.0))
        table = None if told is None else told.select(COLUMNS)
    except pl.exceptions.ColumnNotFoundError as error:
        lacking = str(error).partition("\n")[0]
        raise DataError(f"the evidence of the records lacks a column ({lacking})", where=results.where) from error
    if table is None:
        return None
    if table.is_empty() or any(table.null_count().row(0)) or not table["value"].is_finite().all():
        raise DataError("the evidence of the records is empty or has gaps", where=results.where)
    if table["record_id"].is_duplicated().any():
        raise DataError("a record stands twice in the evidence", where=results.where)
    return table


def side_by_side(old: pl.DataFrame, new: pl.DataFrame, where: str) -> SideBySide:
    before = old.join(new, on="record_id", how="semi", maintain_order="left")
    after = before.select("record_id").join(new, on="record_id", maintain_order="left")
    if not before["patient_id"].equals(after["patient_id"]):
        raise DataError("a record belongs to one patient before and to another after", where=where)
    return SideBySide(before, after)


def _by_attacker(audit: Audit, results: Results, at: Measured) -> dict[str, pl.DataFrame]:
    rows = [row for row in select(results, metric=at.metric) if row.at == at.at]
    rivals = [row for row in rows if row.attacker not in audit.never_headline] or rows
    tables = {row.attacker: units_of(audit, results, row) for row in rivals}
    found = {name: table for name, table in tables.items() if table is not None}
    if not found:
        fix = "Keep the folder evidence/ beside results.json, as the audit wrote it."
        got = place_of(audit, at)
        raise DataError("the evidence of each record is not there", where=results.where, got=got, fix=fix)
    return found


def _strongest(audit: Audit, results: Results, at: Measured, tables: dict[str, pl.DataFrame]) -> str:
    """The attacker with the highest risk: a release is as safe as against that one.

    Where the audit has chosen already, and its number allows for that, it is not chosen again.
    """
    spot = results.spot
    if audit.allows_for_choice and spot.attacker in tables and (spot.metric, spot.at) == (at.metric, at.at):
        return spot.attacker
    as_risk = audit.measure_of(at.metric).as_risk
    means = {
        name: as_risk(float(np.average(table["value"], weights=table["weight"]))) for name, table in tables.items()
    }
    return min(means, key=lambda name: (-means[name], name))


def _audited(old: dict[str, pl.DataFrame], new: dict[str, pl.DataFrame], where: str) -> int:
    """How many units were audited, by whichever attacker: before and after they must be the same."""
    before, after = ({unit for table in tables.values() for unit in table["record_id"]} for tables in (old, new))
    if before != after:
        raise DataError(
            "the audits are not of the same records",
            where=where,
            got=f"{len(before):,} before, {len(after):,} after, {len(before & after):,} in both",
            fix="Audit both releases with the same --split, seed and attackers; one who is judged on all records "
            "(cosine) must be among these.",
        )
    return len(before)
