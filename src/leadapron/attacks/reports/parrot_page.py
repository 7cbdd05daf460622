"""The page of a parrot audit, beyond the standard one, and its sentences."""

from __future__ import annotations

from leadapron.attacks.reports.parrot_measures import AMONG, PARROT_NAME, TPR
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.basis import basis
from leadapron.audits.page_parts import PageParts
from leadapron.audits.standard_figure import attackers_side_by_side
from leadapron.audits.wording import counted_of, sentence
from leadapron.pages.figures.figure import Figure
from leadapron.pages.numerals import percent, round_percent
from leadapron.results import Results
from leadapron.results.selection import few, headline, select

STORY = (
    "Where identifiers are replaced by stand-ins, the few that were overlooked hide among them: a reader cannot tell a "
    "real name from an invented one. The attacker need not. A de-identifier finds what looks alike, so a tagger that "
    "is trained on what stands in the reports finds stand-ins as well as it did, and what it does not find is real."
)
COUNT_NAMES = {
    "reports": "reports",
    "patients": "patients",
    "stand_ins": "stand-ins",
    "leaks": "leaks",
    "apart": "reports left out",
}
GLOSSARY = {
    "Embedding": "",
    "p, adjusted": "",
    "AUC": "How often a leak stands out more than a stand-in. A half is guessing, one always.",
    "Flagged": "What the imitation is least sure to find among all that a reader marks.",
    "Leak": "A true identifier of which a word of three letters or digits or more was not found, and was copied.",
    "Null control": "The same attack with a tenth of the stand-ins called leaks. It must find nothing.",
    "Planted words": "Invented words among ordinary ones, called names. The attack must find them.",
    "Stand-in": "What the de-identifier put in the place of something that it found.",
}
TOO_FEW = "Too few leaks to measure: whether they could be told from stand-ins is not known."


def verdict(results: Results) -> str:
    if not results.estimates:
        return f"{TOO_FEW} {results.details['why']}"
    audit, row = find_audit(results.audit), headline(results)
    return f"{sentence(audit, row)}. {basis(results, row, counted_of(audit, row))}"


def strongest(results: Results) -> str:
    return f"One attacker was tried: {find_audit(results.audit).attackers[PARROT_NAME]}. A stronger one may exist."


def support(results: Results) -> list[str]:
    said = [STORY]
    for row in select(results, attacker=PARROT_NAME):
        if row.metric.startswith(AMONG):
            rate = round_percent(float(row.metric.removeprefix(AMONG)))
            said.append(
                f"Where {rate} of the stand-ins are flagged, {percent(row.value)} ({percent(row.low)} to "
                f"{percent(row.high)}) of what is flagged are leaks; of all that a reader marks, {percent(row.chance)}."
            )
    counts = results.counts
    said.append(f"There are {few(counts.get('leaks'))} leaks among {few(counts.get('stand_ins'))} stand-ins.")
    return said


def facts(results: Results) -> dict[str, str]:
    names = {"Truth": "truth", "Source": "source", "Patients read in each half": "read"}
    said = {title: str(results.config.get(key) or "not given") for title, key in names.items()}
    return said | {"Replaced by": str(results.details["replaced"] or "not given")}


def figure(results: Results) -> Figure:
    if results.estimates:
        return attackers_side_by_side(results)
    return Figure("attackers", "Leaks that stand out", "Nothing was measured.", missing=TOO_FEW)


PAGE = PageParts(
    verdict=verdict,
    strongest=strongest,
    support=support,
    facts=facts,
    count_names=COUNT_NAMES,
    figures=(figure,),
    glossary=GLOSSARY,
)
HEADLINES = (f"{TPR}0.01", "auc")
"""The first that could be measured."""
