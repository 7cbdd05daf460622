"""The page of a report-identity audit, beyond the standard one."""

from __future__ import annotations

from leadapron.attacks.identity.identity_words import matched_on, of_attacker
from leadapron.attacks.reports.in_reports import GLOSSARY
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.page_parts import PageParts
from leadapron.audits.wording import sentence
from leadapron.results import Results
from leadapron.results.selection import few

COUNT_NAMES = {
    "records": "reports",
    "patients": "patients",
    "patients_with_two": "patients with two or more",
    "without_mate": "reports without a mate",
    "same_patient_pairs": "pairs of one patient",
    "same_day_pairs": "of them of one day or study",
    "same_picture_pairs": "of them in the same words",
    "strangers_same_picture": "strangers' pairs in the same words",
    "unknown_age": "of unknown age",
    "unknown_sex": "of unknown sex",
}
STORY = (
    "Whoever holds one report of a patient looks for others: the same phrases of the same author, the same old "
    "findings, a pseudonym that was left. Several reports of one patient tell more than each of them."
)


def support(results: Results) -> list[str]:
    return [STORY, *_sentences(results), _alike(results), _left_out(results)]


def facts(results: Results) -> dict[str, str]:
    return {
        "Strangers alike in": matched_on(results) or "nothing: the reports come without attributes",
        "Threshold set on": str(results.details.get("threshold", "not given")),
    }


def _sentences(results: Results) -> list[str]:
    """Patients, all pairs, and what is left where strangers are alike."""
    audit = find_audit(results.audit)
    rows = [
        of_attacker(results, *place)
        for place in (("random", "patient-recognised"), ("all-pairs", "auc"), ("matched", "auc"), ("apart", "auc"))
    ]
    return [f"{sentence(audit, row)}." for row in rows if row is not None]


def _alike(results: Results) -> str:
    counts = results.counts
    told = (
        f"Of the {few(counts.get('same_patient_pairs', 0))} pairs of one patient, "
        f"{few(counts.get('same_picture_pairs', 0))} are in the very same words"
    )
    if "strangers_same_picture" not in counts:
        return f"{told}."
    return f"{told}; of the strangers' pairs {few(counts['strangers_same_picture'])} are."


def _left_out(results: Results) -> str:
    alone = results.counts.get("without_mate", 0)
    if alone == 0:
        return "Every report has another one of its patient in the set; none is left out."
    return (
        f"Left out: {few(alone)} reports without another one of their patient in the set. An attacker who holds one "
        "from elsewhere may still recognise them."
    )


PAGE = PageParts(support=support, facts=facts, count_names=COUNT_NAMES, glossary=GLOSSARY)
