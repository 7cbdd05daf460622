"""What a defence costs: every paired change of a use, finding by finding, the worst clear one first.

A mean hides what single findings lose, and one measure what another loses: a defence may keep the AUROC and lose a
quarter of the sensitivity. So every number of use that both audits hold is compared. They are many, and some differ by
chance: a change is clear if it stands after Holm's adjustment, among the means and, apart from these, among findings.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import groupby

from scipy.special import ndtr

from leadapron.audits.audit import Audit
from leadapron.audits.declared_rows import audit_of
from leadapron.audits.groups import holm
from leadapron.comparisons.clear_change import Status
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, select
from leadapron.results.withheld import FEWEST_POSITIVES
from leadapron.stats import PairedDifference

LEVEL = 0.05


@dataclass(frozen=True)
class UseChange:
    """One number of use, before and after, on the same records."""

    audit: Audit
    row: Measured
    """The number before: its metric, method and place."""
    change: PairedDifference
    positives: int | None
    """How many records have the finding; None of a number that is of all findings together, or of none."""
    p_adjusted: float

    @property
    def loss(self) -> float:
        """How much use is lost; a minus is a gain. Of a number without a scale of its own, as a share of it."""
        measure = self.audit.measure_of(self.row.metric)
        lost = measure.as_risk(self.change.difference)
        return lost / abs(self.change.before) if measure.scale == "plain" and self.change.before else lost

    @property
    def status(self) -> Status:
        if self.p_adjusted >= LEVEL or self.loss == 0:
            return "no clear change"
        return "worse" if self.loss > 0 else "better"


def use_changes(before: Results, after: Results) -> list[UseChange]:
    """Every use that both audits measured, clear losses first, the largest of these at the head; gains come last.

    Of a finding by itself only where ``FEWEST_POSITIVES`` records have it.
    """
    audit = audit_of(before)
    found = [
        (row, change, count)
        for row in _rows(audit, before)
        if _told(count := positives_of(audit, before, row)) and (change := _paired(audit, before, after, row))
    ]
    found.sort(key=lambda one: one[2] is not None)
    changes = []
    for _, family in groupby(found, key=lambda one: one[2] is not None):
        own = list(family)
        adjusted = holm([_p(change) for _, change, _ in own])
        changes += [UseChange(audit, *one, p) for one, p in zip(own, adjusted, strict=True)]
    return sorted(changes, key=_worst_first)


def as_content(change: UseChange) -> dict[str, object]:
    """For a JSON file."""
    return {
        "of": change.row.model_dump(include={"metric", "attacker", *change.row.at}),
        "positives": change.positives,
        "status": change.status,
        "p_adjusted": change.p_adjusted,
        **asdict(change.change),
    }


def positives_of(audit: Audit, results: Results, row: Measured) -> int | None:
    """How many records have the finding that a number is of; None where it is of all together."""
    return audit.positives(results, row) if audit.positives else None


def _rows(audit: Audit, results: Results) -> list[Measured]:
    """One number a measure and place: of several methods the headline's, else the first."""
    rows: dict[tuple[object, ...], Measured] = {}
    for row in select(results):
        if row.n >= SMALLEST_CELL and audit.measure_of(row.metric).paired is not None:
            key = (row.metric, *sorted(row.at.items()))
            if key not in rows or row.attacker == results.spot.attacker:
                rows[key] = row
    return list(rows.values())


def _told(positives: int | None) -> bool:
    return positives is None or positives >= FEWEST_POSITIVES


def _paired(audit: Audit, before: Results, after: Results, row: Measured) -> PairedDifference | None:
    paired = audit.measure_of(row.metric).paired
    return None if paired is None else paired(before, after, row)


def _p(change: PairedDifference) -> float:
    """By the normal approximation: a thousand redraws cannot tell a p that is small enough to be adjusted."""
    if change.difference == 0 or change.sd == 0:
        return float(change.difference == 0)
    return float(2 * ndtr(-abs(change.difference) / change.sd))


def _worst_first(change: UseChange) -> tuple[int, float]:
    return ("worse", "no clear change", "better").index(change.status), -change.loss
