"""Gathering for audits of images: a number a record in, with its interval by patient, kept for comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from leadapron.attacks.images.image_sides import Sides, sides_of
from leadapron.audits.audit import Audit
from leadapron.audits.gathering import Gathering
from leadapron.audits.groups import Risks, add_groups
from leadapron.audits.images_subject import ReleasedImages
from leadapron.audits.record_gathering import UNITS, key_of
from leadapron.results import Attacked, Findings, GroupTest, Measured, Spot
from leadapron.results.withheld import told
from leadapron.stats import Outcome

Ints = NDArray[np.int64]
Doubles = NDArray[np.float64]


@dataclass
class ImageGathering(Gathering):
    """``records`` are those of the subject, ``patient`` numbers the patient of each."""

    records: pl.DataFrame = field(default_factory=pl.DataFrame)
    patient: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    units: list[pl.DataFrame] = field(default_factory=list)
    values: dict[int, tuple[Ints, Doubles]] = field(default_factory=dict)

    @classmethod
    def of(cls, audit: Audit, subject: ReleasedImages, seed: int) -> tuple[ImageGathering, Sides]:
        """For an audit of these images, and the sides of the attack on them."""
        sides = sides_of(subject.source.records, subject.source.where)
        return cls(audit, seed=seed, records=subject.source.records, patient=sides.patient), sides

    def add_values(
        self,
        metric: str,
        rows: Ints,
        values: ArrayLike,
        *,
        attacker: str,
        chance: float,
        **at: Any,  # noqa: ANN401
    ) -> Measured:
        """The mean over these records, with an interval whose units are patients. ``values`` are between 0 and 1."""
        own = np.asarray(values, dtype=np.float64)
        estimate = self.means(own[:, None], self.patient[rows])[0]
        row = self.add(metric, estimate, attacker=attacker, chance=chance, **at)
        self.keep(row, rows, own)
        return row

    def keep(self, row: Measured, rows: Ints, values: Doubles) -> None:
        """What each record got, of the number that was added last."""
        self.values[len(self.estimates) - 1] = rows, values
        named = self.records[rows].select(pl.col("record_id", "patient_id").cast(pl.String))
        self.units.append(named.with_columns(row=pl.lit(key_of(row)), value=pl.Series(values)))

    def strongest(self, metric: str, attackers: Sequence[str], **at: Any) -> Measured:  # noqa: ANN401
        """Of these attackers the one that did best, at one place."""
        as_risk = self.audit.measure_of(metric).as_risk
        rivals = [
            row for row in self.estimates if row.has(metric=metric, group=None, **at) and row.attacker in attackers
        ]
        return max(rivals, key=lambda row: as_risk(row.value))

    def findings(
        self,
        headline: Measured,
        *,
        outcomes: Sequence[Outcome],
        limits: Sequence[str],
        counts: Mapping[str, int],
        details: dict[str, Any] | None = None,
    ) -> Findings:
        """The headline's groups are compared where its records were kept one by one."""
        at = self.estimates.index(headline)
        tests: tuple[GroupTest, ...] = ()
        if at in self.values:
            rows, own = self.values[at]
            chance = np.full(len(rows), headline.chance)
            risks = Risks(headline.metric, headline.attacker, headline.at, own, chance, self.patient[rows])
            tests = add_groups(self, self.records[rows].drop("date", strict=False), risks)
        kept = {UNITS: pl.concat(self.units)} if self.units else {}
        return Findings(
            audit=self.audit.name,
            about=self.audit.about,
            headline=Spot(metric=headline.metric, attacker=headline.attacker, **headline.at),
            estimates=tuple(self.estimates),
            outcomes=tuple(outcomes),
            counts={name: told(count) for name, count in counts.items()},
            attacked=Attacked(splits=("test",)),
            group_tests=tests,
            limits=tuple(limits),
            details=details or {},
            timings=self.timings,
        ).with_evidence(kept)
