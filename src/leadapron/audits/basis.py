"""What a verdict stands on: how many radiographs of how many patients, of which part of the release."""

from __future__ import annotations

from leadapron.audits.audit_registry import find_audit
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL

WHOLE = {
    "signals": "all records of the signals",
    "run": "drawn from all hospitals",
    "reports": "all reports",
    "images": "all images",
    "cohort": "all records",
    "model": "the whole model",
}
"""What an attack is on where the results name no split; of a release it is the whole."""
OPENING = "This rests on"
UNVERIFIED = "the files were not compared with the hashes that were recorded when they were made"


def basis(results: Results, row: Measured, what: str) -> str:
    """The sentence behind a verdict on this estimate, whose n counts ``what``."""
    return rests_on(row.n, _patients(results, row, what), what, part_of(results), verified=is_verified(results))


def rests_on(count: int, patients: int | None, what: str, part: str, *, verified: bool = True) -> str:
    """The same from numbers. How many patients there are is None where nobody knows."""
    whom = so_many_of(count, what) + ("" if patients is None else f" of {so_many_of(patients, 'patients')}")
    return f"{OPENING} {whom} ({part}).{'' if verified else f' Beware: {UNVERIFIED}.'}"


def apart(verdict: str) -> tuple[str, str]:
    """What a verdict says, and what it stands on, which a page sets smaller."""
    said, opening, rest = verdict.partition(OPENING)
    return said.rstrip(), opening + rest


def so_many_of(count: int, what: str) -> str:
    """A count that may be told; fewer than the smallest cell are not counted out."""
    return f"fewer than {SMALLEST_CELL} {what}" if count < SMALLEST_CELL else f"{count:,} {what}"


def part_of(results: Results) -> str:
    """The splits whose records were attacked, or everybody."""
    audit = find_audit(results.audit)
    asked = results.config.get("split", audit.split)
    if asked is None:
        return WHOLE.get(results.inputs.subject.kind, "the whole release")
    named = asked.split("+")
    return f"split{'s' if len(named) > 1 else ''} {' and '.join(named)}"


def is_verified(results: Results) -> bool:
    """False where somebody chose not to; there may have been nothing to compare with."""
    return results.inputs.verified is not False


def _patients(results: Results, row: Measured, what: str) -> int | None:
    """None where nobody knows whose the records are. Fewer than ten are not counted out in the results either."""
    return (row.patients or 1) if results.patients_named and what != "patients" else None
