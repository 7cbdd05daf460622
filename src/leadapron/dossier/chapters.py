"""Behind page 1: before and after, every audit, the limits, what was not examined, and where it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from leadapron.audits.audit_page import page_of
from leadapron.audits.standard_glossary import SHARED
from leadapron.dossier.assessment import Assessment, GroupAssessment
from leadapron.dossier.board_rows import STATUS_WORDS
from leadapron.dossier.declaration import Declaration
from leadapron.dossier.unexamined import everything_unexamined
from leadapron.pages.page import (
    Block,
    Bullets,
    Chapter,
    Code,
    Definitions,
    FoldedPage,
    Heading,
    Page,
    Table,
    Text,
    folded_page,
    table,
)  # fmt: skip
from leadapron.results import Results
from leadapron.trials.trial_page import page_of as trial_page_of

NOT_SAID = "not said"
ONCE = ("glossary",)
"""Sections of an audit's page that the dossier has once for all."""
OUTCOMES = "What the tool judged, and by which limit. People decide."
UNEXAMINED = "Nothing in this list was shown to be safe. An audit that was not run never counts as a pass."


def chapters(found: Assessment) -> tuple[Chapter, ...]:
    pages = [page for at, one in enumerate(found.groups) for page in _folded(one, at)]
    return tuple(
        chapter
        for chapter in (
            *_before_and_after(found),
            Chapter("limits", "Limits, and who stands behind them", (Text(OUTCOMES), *_limits(found))),
            Chapter("not-examined", "Not examined", (Text(UNEXAMINED), _all_unexamined(found))),
            Chapter(
                "audits",
                "Every audit",
                (Text("Click a title to open an audit. What is open is printed."),),
                tuple(pages),
            ),
            Chapter("declared", "What was declared", (_declared(found.declaration),)),
            Chapter("glossary", "Glossary", (_glossary(found),)),
            Chapter("provenance", "Where it comes from", _provenance(found)),
        )
    )


def _before_and_after(found: Assessment) -> Iterator[Chapter]:
    """The trial of each group with a defended version, as its own page shows it."""
    for at, one in enumerate(found.groups):
        if one.frontier is None or not one.is_defended:
            continue
        page = trial_page_of(one.frontier)
        blocks: list[Block] = [
            Text(page.verdict.sentence),
            Bullets(page.verdict.support),
            Text(page.verdict.note, note=True),
        ]
        key = f"trial-{at}" if at else "trial"
        for section in folded_page(page, key).sections:
            if not section.key.endswith(ONCE):
                blocks += [Heading(section.title), *section.blocks]
        yield Chapter(key, f"Before and after: {one.group.before.name}", tuple(blocks))


def _folded(one: GroupAssessment, at: int) -> Iterator[FoldedPage]:
    """The pages of what there is and of what would be released; of other versions the trial's tables tell."""
    told = [one.trials[0]] if not one.is_defended else [one.trials[0], one.shown]
    for number, trial in enumerate(told):
        for key, results in trial.results.items():
            yield folded_page(_without_glossary(page_of(results)), f"audit-{at}-{number}-{key}")


def _without_glossary(page: Page) -> Page:
    return replace(page, sections=tuple(section for section in page.sections if section.key not in ONCE))


def _limits(found: Assessment) -> tuple[Block, ...]:
    rows = [
        (name, risk.scenario.key, risk.entry or "–", STATUS_WORDS[risk.status], risk.reason)
        for one in found.groups
        for name in dict.fromkeys((one.group.before.name, one.shown.entrant.name))
        for risk in one.risks[name]
    ]
    sources = {
        entry.id: f"{entry.why} Source: {entry.source}"
        for entry in found.policy.requirements
        if any(risk.entry == entry.id for risk in found.after)
    }
    columns = ("Version", "Audit", "Limit", "Outcome", "Reason")
    judged: Table = table(f"Policy: {found.policy.title}", columns, rows)
    return (judged, Heading("Why these limits"), Definitions(sources, "glossary")) if sources else (judged,)


def _all_unexamined(found: Assessment) -> Bullets:
    return Bullets(tuple(f"{few} {why}" for few, why in everything_unexamined(found)))


def _declared(said: Declaration) -> Definitions:
    """As it was said: nothing here was tested but what leaves."""
    told = {}
    for name, field in Declaration.model_fields.items():
        value = getattr(said, name)
        words = value if isinstance(value, str) else "; ".join(value)
        told[f"{name.capitalize()}"] = (
            words or f"{NOT_SAID} ({(field.description or '').partition(' [')[0].rstrip('.')})"
        )
    return Definitions(told)


def _glossary(found: Assessment) -> Definitions:
    """The terms of every audit that was run. One that several explain in their own way has an entry for each."""
    audits = {result.audit: page_glossary(result) for one in found.groups for result in one.shown.results.values()}
    terms: dict[str, str] = dict(SHARED)
    for audit, entries in audits.items():
        for term, text in entries.items():
            shared = sum(term in other and other[term] != text for other in audits.values())
            if term not in SHARED:
                terms[f"{term} ({audit})" if shared else term] = text
    return Definitions({term: terms[term] for term in sorted(terms, key=str.lower) if terms[term]}, "glossary")


def page_glossary(results: Results) -> dict[str, str]:
    section = next(section for section in page_of(results).sections if section.key == "glossary")
    found = next((block.entries for block in section.blocks if isinstance(block, Definitions)), {})
    return dict(found)


def _provenance(found: Assessment) -> tuple[Block, ...]:
    hashes = [
        (trial.entrant.name, file, digest)
        for one in found.groups
        for trial in one.trials
        for file, digest in trial.entrant.inputs.sha256.items()
    ]
    versions = next((result.versions for one in found.groups for result in one.shown.results.values()), {})
    return (
        Code(re.sub(r"\s+", " ", found.command)),
        Definitions({"Seed": str(found.seed), "Policy": found.policy.title}),
        table("Versions", ("Package", "Version"), versions.items()),
        table("Hashes of the files", ("Version", "File", "SHA-256"), hashes),
    )
