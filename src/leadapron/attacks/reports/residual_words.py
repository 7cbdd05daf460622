"""A residual audit in sentences: how many patients still have an identifier in a report, and what was lost."""

from __future__ import annotations

from leadapron.attacks.reports.residual_measures import ALL, HIPAA, OTHER, TABLE, TRUTH
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.basis import basis
from leadapron.audits.standard_words import in_words
from leadapron.pages.numerals import NBSP, out_of, percent, so_many
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, first, headline

LEFT = {
    TRUTH: "still have an identifier in a report",
    TABLE: "have something that the patient table knows in a report",
    OTHER: "have something in a report that looks like a name, stand-ins included",
}
STORY = (
    "Whoever is given the reports reads them. A word of a name, a date or a number that the de-identifier overlooked "
    "tells of whom a report is, and one is enough for all reports of that patient."
)


def verdict(results: Results) -> str:
    row = headline(results)
    return f"{_counted(row, LEFT[row.attacker])}. {basis(results, row, 'patients')}"


def certainty(results: Results) -> str:
    row = headline(results)
    size = _size(row)
    said = f"The 95{NBSP}% interval is {so_many(row.low, size)} to {so_many(row.high, size)} of {size:,}."
    if row.attacker == TABLE:
        said += f" Cells of another patient are found, by coincidence, for {so_many(row.chance, size)}."
    if row.attacker == OTHER:
        said += " Nobody knows how many of these are stand-ins: give --truth or --known."
    return said


def strongest(results: Results) -> str:
    tried = dict.fromkeys(row.attacker for row in results.estimates)
    audit = find_audit(results.audit)
    others = "; ".join(in_words(audit, name) for name in tried if name != results.spot.attacker)
    said = f"Counted by {in_words(audit, results.spot.attacker)}."
    return f"{said} Shown beside it: {others}." if others else said


def support(results: Results) -> list[str]:
    return [STORY, *_by_hipaa(results), *_found(results), *_kept(results), *_by_table(results), *_looks(results)]


def facts(results: Results) -> dict[str, str]:
    names = {"Truth": "truth", "Source": "source", "Patient table": "known"}
    return {title: str(results.config.get(key) or "not given") for title, key in names.items()}


def _by_hipaa(results: Results) -> list[str]:
    row = _of(results, "leak", HIPAA)
    return [] if row is None else [f"Without staff, hospitals and times: {_counted(row, LEFT[TRUTH]).lower()}."]


def _found(results: Results) -> list[str]:
    rows = [_of(results, metric) for metric in ("recall", "recall-strict", "token-recall", "precision")]
    if any(row is None for row in rows):
        return []
    overlap, strict, words, precision = (_percent(row) for row in rows if row is not None)
    return [
        f"Of all identifiers {overlap} were found at least in part and {strict} as a whole; of their words {words}. "
        f"Of the spans that were found {precision} are identifiers."
    ]


def _kept(results: Results) -> list[str]:
    terms, findings, changed = (_of(results, metric) for metric in ("terms-kept", "findings-kept", "positive-changed"))
    said = [] if terms is None else [f"Of the clinical terms {_percent(terms)} are untouched."]
    if findings is not None and changed is not None:
        said.append(
            f"Rules that read findings from reports say the same as before of {_percent(findings)} of all findings; "
            f"{_counted(changed, 'have a positive finding that came or went').lower()}."
        )
    return said


def _by_table(results: Results) -> list[str]:
    row = first(results, metric="leak", attacker=TABLE, category=ALL)
    if row is None or results.spot.attacker == TABLE:
        return []
    size = _size(row)
    by_luck = f"by coincidence, cells of another patient are found for {so_many(row.chance, size)}"
    return [f"{_counted(row, LEFT[TABLE])}; {by_luck}."]


def _looks(results: Results) -> list[str]:
    row = first(results, metric="looks-like", attacker=OTHER)
    if row is None or results.spot.attacker == OTHER:
        return []
    return [f"{_counted(row, LEFT[OTHER])}: most of that may be stand-ins, and it is no count of leaks."]


def _of(results: Results, metric: str, category: str = ALL) -> Measured | None:
    row = first(results, metric=metric, attacker=TRUTH, category=category)
    return None if row is None or row.n < SMALLEST_CELL else row


def _counted(row: Measured, what: str) -> str:
    size = _size(row)
    return f"Of {size:,} patients, {so_many(row.value, size)} {what}"


def _size(row: Measured) -> int:
    """Of so many that what was found, or might have been, can be counted."""
    return out_of(row.value or row.high, row.n)


def _percent(row: Measured) -> str:
    return f"{percent(row.value)} ({percent(row.low)} to {percent(row.high)})"
