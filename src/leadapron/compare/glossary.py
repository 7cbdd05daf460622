"""The terms of a comparison: those of the audit that the page uses, and its own."""

from __future__ import annotations

from leadapron.report.kinds import KINDS

FROM_THE_AUDIT = (
    "Alike strangers, matched",
    "Attacker",
    "AUC",
    "Chance, guessing",
    "Confidence interval (95 %)",
    "Direction",
    "Gallery",
    "Mean reciprocal rank (mrr)",
    "Pathology-matched pool",
    "Pool",
)
OWN = {
    "Paired difference": "Each record's own value after, minus that before, averaged. What makes a record easy or hard "
    "to find counts on both sides and drops out.",
    "Percentage point": "From 10 % to 7 % is minus 3 percentage points.",
    "p": "How often a difference at least this large comes up by the choice of patients alone, if nothing has changed.",
}


def glossary(attack: str) -> dict[str, str]:
    audit = KINDS[attack].glossary
    terms = {**{term: audit[term] for term in FROM_THE_AUDIT if term in audit}, **OWN}
    return {term: terms[term] for term in sorted(terms, key=str.lower)}
