"""The audit that results are of, which must have words for each of their numbers: what pages, gate and compare ask."""

from __future__ import annotations

from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import audit_names, find_audit
from leadapron.audits.wording import event_of, place_of, title_of, units_of
from leadapron.errors import DataError, did_you_mean
from leadapron.results import Measured, Results

FIX = "The file was changed, or another version of the audit wrote it: audit again."


def audit_of(results: Results) -> Audit:
    """A row is refused whose measure, coordinates or values are not declared, and one that is no share but must be."""
    if results.audit not in audit_names():
        allowed = did_you_mean(results.audit, audit_names())
        fix = "Install the package that it comes from."
        raise DataError("there is no such audit", where=results.where, got=results.audit, allowed=allowed, fix=fix)
    audit = find_audit(results.audit)
    for at, row in enumerate(results.estimates):
        try:
            _check(audit, row)
        except DataError as error:
            raise DataError(f"estimates[{at}]: {error}", where=results.where, fix=FIX) from error
    return audit


def _check(audit: Audit, row: Measured) -> None:
    audit.check(row)
    if audit.measure_of(row.metric).scale != "plain" and not (0 <= row.value <= 1 and row.chance <= 1):
        raise DataError(f"{row.metric} is a fraction", got=(row.value, row.chance), allowed="0 to 1")
    for words in (title_of, units_of, event_of, place_of):
        try:
            words(audit, row)
        except KeyError as error:
            raise DataError(f"the coordinate {error} is missing") from error
        except (AssertionError, TypeError, ValueError) as error:
            raise DataError("a coordinate is not of its kind", got=row.at) from error
