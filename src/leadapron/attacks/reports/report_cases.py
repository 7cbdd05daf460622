"""Reports before and after, one by one: what was found in each, and what stands there in truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from leadapron.attacks.reports.true_spans import ByRecord, Span, Truth, by_key, check_spans
from leadapron.errors import DataError
from leadapron.reports.report_set import SPANS_FILE, ReportSet


@dataclass(frozen=True)
class Report:
    """A report as it was released, and whose it is. Images that share it count once."""

    record: str
    patient: str
    text: str


@dataclass(frozen=True)
class Case:
    """A report before and after. ``found``, ``truth`` and ``terms`` count the characters of ``source``."""

    record: str
    patient: str
    source: str
    released: str
    found: tuple[Span, ...]
    truth: tuple[Span, ...]
    terms: tuple[Span, ...] = ()


def reports_of(released: ReportSet) -> list[Report]:
    """Every report once; records without one are left out."""
    grouped = _grouped(released)
    return [
        Report(rows["record_id"][0], rows["patient_id"][0], rows["report"][0])
        for rows in grouped
        if rows["report"][0] is not None
    ]


def cases_of(released: ReportSet, truth: Truth) -> list[Case]:
    """Released reports beside their source; refused where the records do not meet."""
    source = {record: (patient, text) for record, patient, text in truth.source.records.iter_rows()}
    strangers = [record for record in released.records["record_id"] if record not in source]
    if strangers:
        what = f"{len(strangers):,} of {len(released):,} records are not among those of the source"
        raise DataError(what, where=released.where, fix="Give the truth of these very records.")
    found = _found(released, truth)
    cases = []
    for rows in _grouped(released):
        records = rows["record_id"].to_list()
        patient, text = source[records[0]]
        if text is None:
            continue
        spans = [_together(table, records) for table in (found, truth.identifiers, truth.terms)]
        cases.append(Case(records[0], patient, text, rows["report"][0] or "", *spans))
    if not any(case.truth for case in cases):
        what = "the truth names no identifier in any of these reports"
        raise DataError(what, where=released.where, fix="Give the truth of these very records.")
    return cases


def _found(released: ReportSet, truth: Truth) -> ByRecord:
    """What the defence found; nothing, where the reports are as they were."""
    if released.spans is not None:
        check_spans(released.spans, truth.source, f"{released.where}/{SPANS_FILE}")
        return by_key(released.spans, "record_id")
    texts = {record: text for record, _, text in truth.source.records.iter_rows()}
    if all(texts[record] == text for record, _, text in released.records.iter_rows()):
        return {}
    fix = "Audit what `leadapron defend reports` wrote, or search by --known alone."
    raise DataError(f"there is no {SPANS_FILE}: nothing tells what was found", where=released.where, fix=fix)


def by_patient(cases: Sequence[Case | Report]) -> dict[str, list[int]]:
    """The places of each patient's reports."""
    found: dict[str, list[int]] = {}
    for at, case in enumerate(cases):
        found.setdefault(case.patient, []).append(at)
    return found


def _grouped(released: ReportSet) -> list[pl.DataFrame]:
    """The records that share a report: those of one study, where studies are known."""
    records = released.records
    if released.cohort is None or "study_id" not in released.table.columns:
        return [records[at] for at in range(len(records))]
    keyed = records.with_columns(study=released.table["study_id"])
    return keyed.partition_by("study", "patient_id", "report", maintain_order=True)


def _together(table: ByRecord, records: list[str]) -> tuple[Span, ...]:
    """What is said of any of the records that share a report."""
    return tuple(sorted({span for record in records for span in table.get(record, ())}))
