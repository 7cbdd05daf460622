"""The reports of a clinic, with identifiers if the dial says so, and the truth about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.phantoms.clinic_visits import Visits, patient_id
from leadapron.phantoms.clinical_words import clinical_terms
from leadapron.phantoms.dials import Dials
from leadapron.phantoms.identifiers import Draft, Identifiers, patient_identity, write_date
from leadapron.phantoms.planted.persons import Person, born, draw_person, draw_visit
from leadapron.phantoms.planted_reports import patient_row, patient_table, span_table
from leadapron.phantoms.planting import plant
from leadapron.phantoms.report import write_report
from leadapron.phantoms.seen import see_all
from leadapron.phantoms.sites import SITES

People = dict[str, NDArray[Any]]
Streams = Callable[[str], np.random.Generator]


@dataclass(frozen=True)
class ClinicReports:
    """A report a study; where identifiers and clinical terms stand in them; who the patients are."""

    texts: list[str]
    identifiers: pl.DataFrame
    terms: pl.DataFrame
    patients: pl.DataFrame


def write_reports(
    dials: Dials, stream: Streams, people: People, visits: Visits, studies: NDArray[np.void], study_ids: list[str]
) -> ClinicReports:
    """A report a study. The words of a report are the same whatever is planted into it."""
    rng = stream("reports")
    seen = see_all(studies)
    seeds = rng.integers(0, 2**62, len(studies))
    # What a patient's last study showed is part of the patient's identity, too.
    compared = (visits.order > 0) & (rng.random(len(studies)) < dials.identity)
    plain = [
        _plain_identity(people, visits, row) if dials.identifiers == "plain" else None for row in range(len(seeds))
    ]
    drafts = [
        write_report(
            Random(int(seeds[row])),
            seen[row],
            seen[row - 1] if compared[row] else None,
            "AP" if studies["ap"][row] else "PA",
            wording=SITES[dials.site].wording,
            dials=dials,
            identifiers=plain[row],
        )
        for row in range(len(studies))
    ]
    register: list[tuple[str | None, ...]] = []
    if dials.identifiers == "plain":
        for draft in drafts:
            draft.keep += _terms_beside(draft)
        first = {int(who): row for row, who in reversed(list(enumerate(visits.patient)))}
        known = [(who, plain[row]) for who, row in sorted(first.items())]
        register = [(patient_id(dials, who), one.name, None, one.mrn, None, None, None) for who, one in known if one]
    if dials.identifiers == "hard":
        drafts, register = _hard(dials, stream, people, visits, drafts)
    return ClinicReports(
        [draft.text for draft in drafts],
        span_table(
            [(study, *span) for study, draft in zip(study_ids, drafts, strict=True) for span in draft.spans], "study_id"
        ),
        span_table(
            [(study, *term) for study, draft in zip(study_ids, drafts, strict=True) for term in draft.keep], "study_id"
        ),
        patient_table(register),
    )


def _plain_identity(people: People, visits: Visits, row: int) -> Identifiers:
    who = visits.patient[row]
    dates = [people["first_day"][who] + timedelta(int(visits.days[at])) for at in (row, row - 1)]
    return Identifiers(
        *patient_identity(Random(int(people["identity_seed"][who]))),
        study_date=write_date(dates[0]),
        prior_date=write_date(dates[1]) if visits.order[row] else None,
    )


def _terms_beside(draft: Draft) -> list[tuple[str, int, int]]:
    """Clinical words that are no part of an identifier: "Chest" may be in the name of a hospital."""
    return [
        (category, start, end)
        for category, start, end in clinical_terms(draft.text)
        if all(end <= left or right <= start for _, left, right in draft.spans)
    ]


def _hard(
    dials: Dials, stream: Streams, people: People, visits: Visits, drafts: list[Draft]
) -> tuple[list[Draft], list[tuple[str | None, ...]]]:
    """Hard identifiers come from a stream of their own, so that nothing else of the clinic changes."""
    part = dials.identifiers_part
    rng = stream(f"hard identifiers {part}")
    persons: list[Person] = []
    for who, seed in enumerate(rng.integers(0, 2**62, dials.patients)):
        birth_date = born(people["first_day"][who], float(people["age"][who]))
        persons.append(draw_person(Random(int(seed)), part, sex=str(people["sex"][who]), birth_date=birth_date))
    planted = []
    for row, seed in enumerate(rng.integers(0, 2**62, len(drafts))):
        who = visits.patient[row]
        day, before = (people["first_day"][who] + timedelta(int(visits.days[at])) for at in (row, row - 1))
        of_study = Random(int(seed))
        visit = draw_visit(of_study, part, persons[who], day, before if visits.order[row] else None)
        planted.append(plant(drafts[row].text, visit, of_study, part))
    return planted, [patient_row(patient_id(dials, who), person) for who, person in enumerate(persons)]
