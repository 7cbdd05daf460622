"""Hard identifiers in reports that somebody brings along, and the truth about them as tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

import polars as pl

from leadapron.errors import ConfigError
from leadapron.phantoms.planted.persons import Person, born, draw_person, draw_visit
from leadapron.phantoms.planted.planted_vocabulary import PARTS
from leadapron.phantoms.planting import plant

FIRST_DAY = date(2009, 1, 1)
PATIENT_COLUMNS = ("patient_id", "name", "birth_date", "mrn", "accession", "phone", "address")


class PlantedReports(NamedTuple):
    """The texts in their order; where identifiers and clinical terms stand in them; what a register would know."""

    texts: list[str]
    identifiers: pl.DataFrame
    terms: pl.DataFrame
    patients: pl.DataFrame


def plant_reports(
    reports: Sequence[str],
    patients: Sequence[str],
    seed: int,
    part: str,
    *,
    record_ids: Sequence[str] | None = None,
) -> PlantedReports:
    """Hard identifiers in clean reports: ``patients`` says whose each is, in the order of the studies.

    A patient keeps name, numbers and address over all reports. Without ``record_ids`` a report is called by its row.
    """
    ids = [str(row) for row in range(len(reports))] if record_ids is None else list(record_ids)
    if part not in PARTS:
        raise ConfigError("unknown part of the hard identifiers", got=part, allowed=", ".join(PARTS))
    if not len(reports) == len(patients) == len(ids):
        raise ConfigError(
            "reports, patients and ids do not go together",
            got=f"{len(reports)}, {len(patients)} and {len(ids)}",
            allowed="as many of each",
        )
    known: dict[str, Person] = {}
    last_day: dict[str, date] = {}
    texts: list[str] = []
    spans: list[tuple[str, str, int, int]] = []
    terms: list[tuple[str, str, int, int]] = []
    for row, (report, who) in enumerate(zip(reports, patients, strict=True)):
        if who not in known:
            known[who], first_day = _somebody(Random(f"{part} {seed} patient {who}"), part)
        rng = Random(f"{part} {seed} report {row}")
        earlier = last_day.get(who)
        day = earlier + timedelta(rng.randint(1, 400)) if earlier else first_day
        draft = plant(report, draw_visit(rng, part, known[who], day, earlier), rng, part)
        last_day[who] = day
        texts.append(draft.text)
        spans += [(ids[row], *span) for span in draft.spans]
        terms += [(ids[row], *term) for term in draft.keep]
    register = patient_table([patient_row(who, person) for who, person in known.items()])
    return PlantedReports(texts, span_table(spans, "record_id"), span_table(terms, "record_id"), register)


def span_table(spans: Sequence[tuple[str, str, int, int]], whose: str) -> pl.DataFrame:
    """Characters of reports, with the category of each stretch; ``whose`` is the column that names the report."""
    schema = {whose: pl.String, "category": pl.String, "start": pl.Int64, "end": pl.Int64}
    return pl.DataFrame(spans, schema=schema, orient="row")


def patient_table(rows: Sequence[tuple[str | None, ...]]) -> pl.DataFrame:
    """What a register knows of its patients."""
    return pl.DataFrame(rows, schema=dict.fromkeys(PATIENT_COLUMNS, pl.String), orient="row")


def patient_row(patient_id: str, person: Person) -> tuple[str | None, ...]:
    """Accession numbers are the studies', so the register of patients has none."""
    return patient_id, person.name.full, person.birth_date.isoformat(), person.mrn, None, person.phone, person.address


def _somebody(rng: Random, part: str) -> tuple[Person, date]:
    """A person and the day of the first study."""
    day, age = FIRST_DAY + timedelta(rng.randrange(3650)), min(99.0, max(18.0, rng.gauss(62, 18)))
    return draw_person(rng, part, sex=rng.choice("FM"), birth_date=born(day, age)), day
