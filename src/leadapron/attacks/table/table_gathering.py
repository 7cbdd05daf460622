"""Numbers of a table are counts: nothing is estimated, and no interval stands around them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.table.table_measures import MAX, MEAN, NEVER, SMALL, UNIQUE
from leadapron.audits.audit import Audit
from leadapron.audits.record_gathering import RecordGathering
from leadapron.stats import Estimate
from leadapron.tables.alike import Coded, Ints

GROUPED_BY = ("sex", "race", "age")
"""What is told of groups of patients; a view or a finding is of a visit."""


@dataclass(frozen=True)
class Patients:
    """A row per patient, as the first row of each has it."""

    records: pl.DataFrame


@dataclass
class TableGathering(RecordGathering):
    """A number per patient in, a share of the patients out.

    Redrawn patients would be each other's doubles, and of another sample's size nobody is as unique: an interval over
    patients would mean nothing here.
    """

    @classmethod
    def of(cls, audit: Audit, records: pl.DataFrame, table: Coded, seed: int) -> TableGathering:
        first = np.unique(table.patient, return_index=True)[1]
        named = pl.DataFrame({"record_id": table.patients, "patient_id": table.patients})
        rows = records[first.tolist()]
        people = named.with_columns(rows[name] for name in GROUPED_BY if name in records.columns)
        return cls(audit, seed=seed, release=Patients(people))

    def means(self, columns: NDArray[np.float64], patient: NDArray[np.int64]) -> list[Estimate]:
        return [_exact(float(column.mean()), len(np.unique(patient))) for column in columns.T]

    def add_classes(self, sizes: Ints, ks: tuple[int, ...], *, attacker: str, prefix: str = "") -> None:
        """All that is counted of the sizes of the patients' classes."""
        self.add_values(f"{prefix}{UNIQUE}", sizes <= 1, attacker=attacker, chance=NEVER)
        for k in ks:
            self.add_values(f"{prefix}{SMALL}={k}", sizes < k, attacker=attacker, chance=NEVER)
        risk, guess = 1 / np.maximum(sizes, 1), 1 / len(sizes)
        self.add(f"{prefix}{MAX}", _exact(float(risk.max()), len(sizes)), attacker=attacker, chance=guess)
        self.add_values(f"{prefix}{MEAN}", risk, attacker=attacker, chance=guess)

    def _detectable(self, _metric: str, _chance: float, _estimate: Estimate) -> float | None:
        """Whatever is there is counted."""
        return None


def _exact(value: float, patients: int) -> Estimate:
    return Estimate(value, value, value, 0.0, patients, patients)
