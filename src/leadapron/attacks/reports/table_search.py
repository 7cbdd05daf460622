"""The search of reports for what a patient table knows, and how often coincidence finds as much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from leadapron.attacks.reports.patient_table import PatientTable
from leadapron.attacks.reports.report_cases import Report, by_patient
from leadapron.attacks.reports.residual_measures import ALL, NAME_PART, TABLE
from leadapron.attacks.reports.residual_rows import ResidualGathering, patient_units

DEALS = 3
"""How often patients' cells are dealt to others, to see what coincidence finds."""

Hits = dict[str, set[str]]
"""By column, the patients in whose reports a cell was found."""


def search(table: PatientTable, reports: Sequence[Report], owner: Mapping[str, str] | None = None) -> Hits:
    """``owner`` tells whose cells are sought in a patient's reports; as a rule the patient's own."""
    found: Hits = {name: set() for name in (ALL, *table.columns, NAME_PART)}
    for patient, places in by_patient(reports).items():
        patterns = table.patterns.get(owner.get(patient, "") if owner else patient, {})
        for column, pattern in patterns.items():
            if any(pattern.search(reports[at].text) for at in places):
                found[column].add(patient)
                if column != NAME_PART:  # a part of a name alone may be anybody's
                    found[ALL].add(patient)
    return found


def add_search(found: ResidualGathering, table: PatientTable, reports: Sequence[Report], seed: int) -> None:
    """Guessing is here what the cells of somebody else find: a common name, a number by coincidence."""
    _add(found, search(table, reports), _known(table, reports), by_coincidence(table, reports, seed))


def add_null(found: ResidualGathering, table: PatientTable, reports: Sequence[Report], seed: int) -> None:
    """The same where somebody else's cells are sought, in another deal."""
    patients = _known(table, reports)
    hits = search(table, reports, dealt(patients, seed + DEALS))
    _add(found, hits, patients, by_coincidence(table, reports, seed))


def by_coincidence(table: PatientTable, reports: Sequence[Report], seed: int) -> dict[str, float]:
    """The share of patients in whose reports a cell of another patient's is found."""
    patients = _known(table, reports)
    if len(patients) < 2:
        return {}
    deals = [search(table, reports, dealt(patients, seed + deal)) for deal in range(DEALS)]
    return {column: float(np.mean([len(hits[column]) for hits in deals])) / len(patients) for column in deals[0]}


def dealt(patients: list[str], seed: int) -> dict[str, str]:
    """To everybody somebody else."""
    order = np.random.default_rng(seed).permutation(len(patients))
    return {patients[one]: patients[other] for one, other in zip(order, np.roll(order, 1), strict=True)}


def with_planted(table: PatientTable, reports: Sequence[Report]) -> list[Report]:
    """The first report of every patient ends with a cell of the own row."""
    first = {places[0] for patient, places in by_patient(reports).items() if patient in table.samples}
    return [
        replace(report, text=f"{report.text}\nKnown as {table.samples[report.patient]}.") if at in first else report
        for at, report in enumerate(reports)
    ]


def _known(table: PatientTable, reports: Sequence[Report]) -> list[str]:
    """Those of whom there is anything to search for; of the others the table cannot tell."""
    return [patient for patient in by_patient(reports) if table.patterns.get(patient)]


def _add(found: ResidualGathering, hits: Hits, patients: list[str], luck: Mapping[str, float]) -> None:
    for column, those in hits.items():
        units = patient_units(patients, those)
        found.add_units("leak", units, attacker=TABLE, chance=luck.get(column, 0.0), category=column)
