"""Found spans beside the truth: of every identifier, span, word and clinical term how it fared, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from leadapron.attacks.reports.copied_stretches import align
from leadapron.attacks.reports.open_words import RUN, covered_by, leaks_of, letters_of
from leadapron.attacks.reports.report_cases import Case
from leadapron.attacks.reports.true_spans import Span
from leadapron.reports import label_report

IDENTIFIER = {
    "record_id": pl.String,
    "patient_id": pl.String,
    "category": pl.String,
    "start": pl.Int64,
    "end": pl.Int64,
    "touched": pl.Boolean,
    "covered": pl.Boolean,
    "leaks": pl.Boolean,
}
FOUND = {"patient_id": pl.String, "category": pl.String, "right": pl.Boolean, "unchanged": pl.Boolean}
WORD = {"patient_id": pl.String, "true": pl.String, "found": pl.String}
TERM = {"patient_id": pl.String, "category": pl.String, "kept": pl.Boolean}
FINDING = {"patient_id": pl.String, "same": pl.Boolean, "positive_changed": pl.Boolean}


Rows = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Compared:
    """A row each per identifier of the truth, found span, word that is either, clinical term, and finding of a report.

    ``words`` is the number of all words, ``apart`` of the reports that are not the source with the spans replaced.
    """

    identifiers: pl.DataFrame
    found: pl.DataFrame
    either: pl.DataFrame
    terms: pl.DataFrame
    findings: pl.DataFrame
    words: int
    apart: int
    patients: tuple[str, ...]


def compare_cases(cases: Sequence[Case]) -> Compared:
    identifiers: Rows = []
    found: Rows = []
    either: Rows = []
    terms: Rows = []
    findings: Rows = []
    words = apart = 0
    for case in cases:
        covered, true = (covered_by(spans, len(case.source)) for spans in (case.found, case.truth))
        identifiers += _identifiers(case, covered)
        own, aligned = _found(case, true)
        found += own
        apart += not aligned
        count, rows = _words(case)
        words += count
        either += rows
        terms += [
            (
                case.patient,
                term.category,
                not any(covered[term.start : term.end]) and _text(case, term) in case.released,
            )
            for term in case.terms
        ]
        findings += _findings(case)
    return Compared(
        _table(identifiers, IDENTIFIER),
        _table(found, FOUND),
        _table(either, WORD),
        _table(terms, TERM),
        _table(findings, FINDING),
        words,
        apart,
        tuple(dict.fromkeys(case.patient for case in cases)),
    )


def _table(rows: Rows, schema: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=schema, orient="row")


def _identifiers(case: Case, covered: bytearray) -> Rows:
    rows: Rows = []
    for span, leaks in zip(case.truth, leaks_of(case, covered), strict=True):
        touched = any(covered[span.start : span.end])
        whole = all(covered[at] for at in letters_of(span, case.source))
        rows.append((case.record, case.patient, span.category, span.start, span.end, touched, whole, leaks))
    return rows


def _found(case: Case, true: bytearray) -> tuple[Rows, bool]:
    """Whether each found span is right in any character, and whether what it covers still stands in its place."""
    aligned = align(case.source, case.released, case.found)
    same = [] if aligned is None else [
        block
        for block in aligned.blocks
        if case.source[block.start : block.end].casefold() == case.released[block.at : block.upto].casefold()
    ]  # fmt: skip
    rows: Rows = [
        (
            case.patient,
            span.category,
            any(true[span.start : span.end]),
            None if aligned is None else any(block.start <= span.start < block.end for block in same),
        )
        for span in case.found
    ]
    return rows, aligned is not None


def _words(case: Case) -> tuple[int, Rows]:
    """Words are runs of letters or digits; one is an identifier's, or found, if any character of it is."""
    places = [Span(run.start(), run.end(), "") for run in RUN.finditer(case.source)]
    sides = [_category_of(places, spans) for spans in (case.truth, case.found)]
    both: Rows = [(case.patient, true, found) for true, found in zip(*sides, strict=True) if true or found]
    return len(places), both


def _category_of(places: list[Span], spans: Sequence[Span]) -> list[str | None]:
    """The category of the first span that a word is in; both are in order."""
    found: list[str | None] = []
    for place in places:
        own = (span.category for span in spans if span.start < place.end and place.start < span.end)
        found.append(next(own, None))
    return found


def _findings(case: Case) -> Rows:
    before = label_report(case.source)
    after = before if case.source == case.released else label_report(case.released)
    return [
        (case.patient, label == after[name], (label == "positive") != (after[name] == "positive"))
        for name, label in before.items()
    ]


def _text(case: Case, span: Span) -> str:
    return case.source[span.start : span.end]
