"""What a verdict stands on: how many radiographs of how many patients, of which part of the release."""

from __future__ import annotations

from leadapron.report.results import Results
from leadapron.report.selection import SMALLEST_CELL, Estimate

WHOLE = {"membership": "all whom the signals tell of"}
"""Whom an attack is on where the results name no split; of other attacks it is the whole release."""
UNVERIFIED = "the files were not compared with the hashes that were recorded when they were made"


def basis(results: Results, row: Estimate, what: str) -> str:
    """The sentence behind a verdict on this estimate, whose n counts ``what``."""
    return rests_on(row["n"], _patients(results, row), what, part_of(results), verified=is_verified(results))


def rests_on(count: int, patients: int | None, what: str, part: str, *, verified: bool = True) -> str:
    """The same from numbers. How many patients there are is None where nobody knows."""
    whom = so_many_of(count, what) + ("" if patients is None else f" of {so_many_of(patients, 'patients')}")
    return f"This rests on {whom} ({part}).{'' if verified else f' Beware: {UNVERIFIED}.'}"


def so_many_of(count: int, what: str) -> str:
    """A count that may be told; fewer than the smallest cell are not counted out."""
    return f"fewer than {SMALLEST_CELL} {what}" if count < SMALLEST_CELL else f"{count:,} {what}"


def part_of(results: Results) -> str:
    """The splits whose records were attacked, or everybody."""
    content = results.content
    splits = content.get("attacked", {}).get("splits") or [content["config"].get("split")]
    named = [str(split) for split in splits if split is not None]
    if not named:
        return WHOLE.get(content["attack"], "the whole release")
    return f"split{'s' if len(named) > 1 else ''} {' and '.join(named)}"


def is_verified(results: Results) -> bool:
    """False where somebody chose not to; there may have been nothing to compare with."""
    return results.content["inputs"].get("verified") is not False


def _patients(results: Results, row: Estimate) -> int | None:
    """None where nobody knows whose the records are. Fewer than ten are not counted out in the results either."""
    if not results.patients_named or "patients" not in row:
        return None
    return row["patients"] or 1
