"""Who looks at a table, and what each of them can count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from leadapron.attacks.table.table_measures import ALL_VISITS, ONE_VISIT
from leadapron.attacks.table.table_subject import with_patient
from leadapron.tables.alike import Coded, Ints
from leadapron.tables.column_roles import PATIENT, Roles, roles_of
from leadapron.tables.moved_dates import days_since_first, moved_dates


@dataclass(frozen=True)
class Lookers:
    """The columns that each attacker knows, the strongest first, and the table in numbers."""

    records: pl.DataFrame
    roles: Roles
    knows: Mapping[str, tuple[str, ...]]
    patient: str | None
    """The column of patients; without one every row is a patient."""
    table: Coded

    @property
    def strongest(self) -> str:
        return next(iter(self.knows))

    @property
    def linked(self) -> bool:
        """Whether the table itself says which rows are of one patient."""
        return self.strongest == ALL_VISITS

    def sizes(self, more: Sequence[str] = ()) -> dict[str, Ints]:
        """Every attacker's class of every patient; ``more`` columns are known, too."""
        return {
            name: self.table.classes((*columns, *more), linked=name == ALL_VISITS)
            for name, columns in self.knows.items()
        }


def look_at(subject: Any, asked: Sequence[str] = (), named: str | None = None) -> Lookers:  # noqa: ANN401
    """``asked`` are the quasi-identifiers where the user names them, ``named`` the column of patients."""
    records = with_patient(subject, named)
    roles = roles_of(records, asked, where=subject.where)
    patient = PATIENT if PATIENT in records.columns else None
    moved = [name for name in moved_dates(subject.card) if name in roles.known]
    records = days_since_first(records, moved, patient)
    knows = {ONE_VISIT: tuple(name for name in roles.known if name not in moved)}
    if patient is not None and rows_are_linked(subject.card):
        knows = {ALL_VISITS: roles.known, **knows}
    table = Coded.of(records, (*roles.known, *roles.findings), patient)
    return Lookers(records, roles, knows, patient, table)


def rows_are_linked(card: Mapping[str, Any]) -> bool:
    """After a handover only the truth may tell which rows are of one patient."""
    handover = card.get("handover")
    return not isinstance(handover, Mapping) or bool(handover.get("rows_linked"))


def released_ids(card: Mapping[str, Any], roles: Roles) -> list[str]:
    """None of what was handed over: the truth alone has them, and a pseudonym names nobody to others."""
    return [] if isinstance(card.get("handover"), Mapping) else list(roles.direct)
