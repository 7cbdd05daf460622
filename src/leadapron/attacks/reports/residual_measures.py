"""What may be said of the numbers of a residual audit."""

from __future__ import annotations

import polars as pl

from leadapron.audits.measure import Coordinate, Measure
from leadapron.audits.record_gathering import key_of
from leadapron.results import Findings, Measured

ALL, HIPAA = "all", "HIPAA"
TRUTH, TABLE, OTHER = "truth", "patient-table", "other-recogniser"
NAME_PART = "part of a name"
UNITS = "units"
NEVER = 1e-6
"""The chance level where coincidence finds next to nothing: it stands for none, which no multiple could be taken of."""
PLAIN = {
    TRUTH: "one who knows where every identifier stood",
    TABLE: "one who searches the reports for what the patient table knows",
    OTHER: "one who marks what looks like a name, by a recogniser of their own",
}
"""What each attacker does."""
COORDINATES = {"category": Coordinate("Category")}


def units_of(found: Findings, row: Measured) -> pl.DataFrame | None:
    """What each patient or identifier got."""
    table = found.evidence(UNITS)
    own = None if table is None or row.group else table.filter(row=key_of(row))
    return None if own is None or own.is_empty() else own.select("record_id", "patient_id", "value")


def _better(name: str, title: str, event: str, units: str) -> Measure:
    return Measure(name, title, event, units, higher_is="better", per_unit=units_of)


MEASURES = (
    Measure("leak", "Patients with a leak", "an identifier still stands in a report", "patients", per_unit=units_of),
    Measure("left", "Identifiers left", "a word of it still stands in the report", "identifiers", per_unit=units_of),
    Measure(
        "looks-like",
        "Looks like a name, stand-ins included",
        "something that looks like a name stands in a report, stand-ins included",
        "patients",
        per_unit=units_of,
    ),
    _better("recall", "Found (recall, any overlap)", "a found span overlaps it", "identifiers"),
    _better("recall-strict", "Found whole (recall, strict)", "found spans cover all of it", "identifiers"),
    _better("token-recall", "Words found (recall)", "a found span overlaps the word", "words of identifiers"),
    _better("precision", "Rightly found (precision)", "the span overlaps an identifier", "found spans"),
    _better("token-precision", "Words rightly found (precision)", "the word is an identifier's", "found words"),
    _better("f1", "F1", "the other side agrees", "identifiers and found spans"),
    _better("token-f1", "F1 of words", "the other side agrees", "words of identifiers and found words"),
    _better("terms-kept", "Clinical terms kept", "the term is untouched", "clinical terms"),
    _better("findings-kept", "Findings unchanged", "the labeller says the same as before", "findings of reports"),
    Measure(
        "positive-changed",
        "Patients with a changed positive",
        "a finding became positive, or is positive no more",
        "patients",
    ),
    Measure(
        "unchanged",
        "Found, and unchanged",
        "what was found still stands in its place, as a stand-in may by coincidence",
        "found spans",
    ),
)
