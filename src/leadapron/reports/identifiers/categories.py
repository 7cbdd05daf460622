"""Kinds of identifiers: the 18 of HIPAA's safe harbour as far as text has them, and those of other people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

CATEGORIES = {
    "name": "names of patients and relatives",
    "staff": "names of staff",
    "hospital": "hospitals, practices, companies",
    "place": "streets, towns, postal codes",
    "date": "dates",
    "time": "clock times",
    "age": "ages above 89",
    "phone": "telephone and pager numbers",
    "fax": "fax numbers",
    "email": "email addresses",
    "url": "web addresses",
    "ip": "network addresses",
    "ssn": "social security numbers",
    "mrn": "medical record numbers",
    "accession": "accession and order numbers",
    "account": "account and visit numbers",
    "plan": "health plan numbers",
    "licence": "licence and certificate numbers",
    "vehicle": "vehicles and their plates",
    "device": "serial numbers of devices",
    "id": "other numbers and codes",
    "demographic": "age, sex, race and the like (on request)",
}
TERM = "term"
"""The category of a span that must stay: a clinical word."""
NOT_HIPAA = frozenset({"staff", "hospital", "time", "demographic"})
"""Of others than the patient, or not on HIPAA's list."""


class Span(NamedTuple):
    """Characters of a report that identify someone, what kind they are, and which recogniser says so."""

    start: int
    end: int
    category: str
    recogniser: str


def merged(spans: Sequence[Span]) -> list[Span]:
    """Spans that do not overlap, in order. Of several that do, all characters stay covered, by the longest one's kind;
    of equally long ones by one that says more than "some number".

    >>> merged([Span(0, 4, "name", "a"), Span(2, 9, "date", "b"), Span(12, 13, "id", "c")])
    [Span(start=0, end=9, category='date', recogniser='b'), Span(start=12, end=13, category='id', recogniser='c')]
    """
    found: list[Span] = []
    for span in sorted(spans):
        if not found or span.start >= found[-1].end:
            found.append(span)
        else:
            last = found[-1]
            better = max(last, span, key=lambda one: (one.end - one.start, one.category != "id"))
            found[-1] = better._replace(start=last.start, end=max(last.end, span.end))
    return found
