"""Gathering for an audit that judges records one by one: a number per record in, findings out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from leadapron.audits.gathering import Gathering
from leadapron.audits.groups import Risks, add_groups
from leadapron.release import Release
from leadapron.release.fitting import attacked
from leadapron.results import Attacked, Findings, Measured, Spot
from leadapron.stats import Outcome

UNITS = "units"
"""The table of evidence that ``kept_units`` reads."""


class HasRecords(Protocol):
    """A table of records, by ``record_id`` and ``patient_id``."""

    @property
    def records(self) -> pl.DataFrame: ...


@dataclass
class RecordGathering(Gathering):
    """Every number of records is kept as evidence, so that two audits of the same records can be paired."""

    release: HasRecords | None = None
    """A release, or whatever else is attacked record by record."""
    units: list[pl.DataFrame] = field(default_factory=list)
    values: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    def add_values(self, metric: str, values: ArrayLike, *, attacker: str, chance: float, **at: Any) -> Measured:  # noqa: ANN401
        """The mean over records, with an interval whose units are patients. ``values`` are between 0 and 1."""
        own = np.asarray(values, dtype=np.float64)
        row = self.add(metric, self.means(own[:, None], self._patient)[0], attacker=attacker, chance=chance, **at)
        self.values[len(self.estimates) - 1] = own
        self.units.append(self._named.with_columns(row=pl.lit(key_of(row)), value=pl.Series(own)))
        return row

    def findings(self, *, outcomes: Sequence[Outcome], limits: Sequence[str], **details: Any) -> Findings:  # noqa: ANN401
        """The strongest attacker by the first measure is the headline; its groups are compared."""
        assert self.release is not None
        first = self.estimates[0]
        as_risk = self.audit.measure_of(first.metric).as_risk
        rivals = [at for at, row in enumerate(self.estimates) if row.has(metric=first.metric, **first.at)]
        best = max(rivals, key=lambda at: as_risk(self.estimates[at].value))
        row, records = self.estimates[best], self.release.records
        chance = np.full(len(records), row.chance)
        tests = add_groups(
            self, records, Risks(row.metric, row.attacker, row.at, self.values[best], chance, self._patient)
        )
        return Findings(
            audit=self.audit.name,
            headline=Spot(metric=row.metric, attacker=row.attacker, **row.at),
            estimates=tuple(self.estimates),
            outcomes=tuple(outcomes),
            counts={"records": len(records), "patients": len(np.unique(self._patient))},
            patients_named="patient_id" in records.columns,
            attacked=Attacked.model_validate(attacked(self.release)) if isinstance(self.release, Release) else None,
            group_tests=tests,
            limits=tuple(limits),
            details=details,
            timings=self.timings,
        ).with_evidence({UNITS: pl.concat(self.units)})

    @property
    def _named(self) -> pl.DataFrame:
        assert self.release is not None
        records = self.release.records
        whose = "patient_id" if "patient_id" in records.columns else "record_id"
        return records.select(record_id=pl.col("record_id").cast(pl.String), patient_id=pl.col(whose).cast(pl.String))

    @property
    def _patient(self) -> NDArray[np.int64]:
        numbers: NDArray[np.int64] = self._named["patient_id"].rank("dense").to_numpy().astype(np.int64)
        return numbers - 1


def kept_units(found: Findings, row: Measured) -> pl.DataFrame | None:
    """For ``Measure(per_unit=…)``: what each record got, from what a ``RecordGathering`` kept."""
    table = found.evidence(UNITS)
    own = None if table is None else table.filter(row=key_of(row))
    return None if own is None or own.is_empty() or row.group else own.drop("row")


def key_of(row: Measured) -> str:
    at = ", ".join(f"{name}={value}" for name, value in sorted(row.at.items()))
    return f"{row.metric} by {row.attacker} ({at})"
