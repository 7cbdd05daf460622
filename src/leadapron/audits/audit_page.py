"""The page of an audit, as data: the standard one, with the parts that the audit adds."""

from __future__ import annotations

import json
from dataclasses import replace

from leadapron.audits import standard_words as words
from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.basis import apart
from leadapron.audits.standard_figure import attackers_side_by_side
from leadapron.audits.standard_glossary import glossary
from leadapron.audits.standard_tables import checks, headline_rows, standard_folded, standard_tables
from leadapron.pages.page import (
    Block,
    Bullets,
    Check,
    Code,
    Definitions,
    Folded,
    Page,
    Section,
    Sides,
    Text,
    Together,
    Verdict,
    kept,
    table,
)  # fmt: skip
from leadapron.results import Results
from leadapron.results.selection import attackers

FILES: dict[object, str] = {
    True: "as recorded when they were made (hashes verified)",
    False: "NOT compared with their recorded hashes",
}
ALL_MEASURED = (
    "Everything in this report is measured: found {how}. Nothing in it is declared (said by the maker and not tested), "
    "and nothing is combined from both."
)
HOW = {"risk": "by attacking the {what}", "use": "on the {what}"}
ABOUT = {"risk": "Privacy audit of {subject}", "use": "What {subject} is still good for"}
SUBJECTS = {
    "release": "a release",
    "signals": "models",
    "run": "a federated training",
    "reports": "reports",
    "images": "images",
    "cohort": "a cohort",
    "model": "a model",
}
WHAT = {name: name for name in SUBJECTS} | {"signals": "release"}
ITSELF = {"reports": "themselves", "images": "themselves"}


def page_of(results: Results) -> Page:
    audit = find_audit(results.audit)
    sections = (
        Section("measured", "What was measured", _measured(audit, results)),
        Section("figures", "Figures", _figures(audit, results)),
        Section("tables", "Tables", _tables(audit, results)),
        Section("checks", "Controls and checks", _checks(results)),
        Section("limits", "Limits", (_limits(results),)),
        Section("glossary", "Glossary", (glossary(audit),)),
        Section("reproduce", "How to reproduce it", (Code(results.command), *_provenance(results))),
    )
    about = ABOUT[audit.about].format(subject=SUBJECTS[audit.subject])
    return Page(
        title=results.title,
        kicker=f"{about} · {audit.question}",
        verdict=_verdict(audit, results),
        sections=sections,
        footer=_made(results),
        kind=f"{audit.name} audit" if audit.about == "risk" else audit.name,
    )


def card_of(results: Results) -> Page:
    """A section for a model card: the verdict, the headline's attacker in a few rows, the limits and the command."""
    audit = find_audit(results.audit)
    rows = audit.page.card(results) if audit.page.card else replace(headline_rows(results), caption="")
    by = f", attacker {results.spot.attacker}" if audit.about == "risk" else ""
    where = f"Measured on {results.inputs.release}{by}{'. ' if rows.caption else ''}{rows.caption}"
    sections = (
        Section("measured", "What was measured", (*_sides(audit, results), replace(rows, caption=where))),
        Section("limits", "Limits", (_limits(results),)),
        Section("reproduce", f"Reproduce (seed {results.seed})", (Code(results.command),)),
    )
    verdict = _verdict(audit, results)
    title = f"{results.audit.capitalize()}{' risk' if audit.about == 'risk' else ''}: {results.title}"
    return Page(title, "", replace(verdict, checks=()), sections, _made(results), signed=False)


def _verdict(audit: Audit, results: Results) -> Verdict:
    worst, standing = words.standing(results)
    sentence, stands_on = apart(words.marked_verdict(results))
    support = (
        stands_on,
        f"{words.certainty(results)} {words.strongest(results)}".strip(),
        words.could_see(results),
        *(audit.page.support(results) if audit.page.support else ()),
    )
    badges = tuple(Check(row.check, row.outcome) for row in results.outcomes)
    said = tuple(filter(None, support))
    return Verdict("Verdict", "Measured", sentence, said, standing=standing, worst=worst, checks=badges)


def _measured(audit: Audit, results: Results) -> tuple[Block, ...]:
    counts = dict(results.counts)
    if not results.patients_named:  # the number would be that of the records again
        counts.pop("patients", None)
    tiles = {
        audit.page.count_names.get(name, name.replace("_", " ")): (
            f"{count:,}" if name in audit.page.things else words.counted(count)
        )
        for name, count in counts.items()
    }
    return Definitions(tiles, "counts"), Definitions(_facts(audit, results)), *_sides(audit, results)


def _facts(audit: Audit, results: Results) -> dict[str, str]:
    inputs = results.inputs
    known = {"Encoder": inputs.encoder, "Cohort": inputs.cohort} if audit.subject == "release" else {}
    return {
        WHAT[audit.subject].capitalize(): inputs.release,
        **{name: value or "not given" for name, value in known.items()},
        "Files": FILES.get(inputs.verified, str(inputs.verified)),
        f"{audit.who.capitalize()}s": ", ".join(attackers(results)),
        **(audit.page.facts(results) if audit.page.facts else {}),
    }


def _sides(audit: Audit, results: Results) -> tuple[Block, ...]:
    sides = audit.page.sides(results) if audit.page.sides else ()
    if sides:
        return (Sides(sides),)
    what = f"{WHAT[audit.subject]} {ITSELF.get(audit.subject, 'itself')}"
    return (Text(ALL_MEASURED.format(how=HOW[audit.about].format(what=what)), note=True),)


def _figures(audit: Audit, results: Results) -> tuple[Block, ...]:
    drawn = [draw(results) for draw in audit.page.figures or (attackers_side_by_side,)]
    return tuple(replace(figure, title=f"{number}. {figure.title}") for number, figure in enumerate(drawn, start=1))


def _tables(audit: Audit, results: Results) -> tuple[Block, ...]:
    shown = (audit.page.tables or standard_tables)(results)
    folded = (audit.page.folded or standard_folded)(results)
    return kept(*shown, *(Folded(name, blocks) for name, blocks in folded.items() if blocks))


def _checks(results: Results) -> tuple[Block, ...]:
    return Text("An error or a check that was not run never counts as a pass."), checks(results)


def _limits(results: Results) -> Block:
    return Bullets(results.limits) if results.limits else Text("The audit names no limits of its own.")


def _provenance(results: Results) -> tuple[Block, ...]:
    hashes = [*results.inputs.sha256.items()]
    hashes += [(entry.file, entry.sha256) for entry in results.evidence_files.values()]
    settings = [(key, _setting(value)) for key, value in results.config.items()]
    timings = [(stage, f"{seconds:.2f}") for stage, seconds in results.timings.items()]
    origin = {
        "Audited, by id": results.inputs.subject.id,
        "Seed": str(results.seed),
        "Made on": results.created,
        "Results format": str(results.format),
    }
    return kept(
        Definitions(origin),
        Together(
            (
                table("Versions", ("Package", "Version"), results.versions.items()),
                table("Time taken", ("Stage", "Seconds"), timings, numbers=1),
            )
        ),
        table("Configuration", ("Setting", "Value"), settings),
        table("Hashes of the inputs and of the evidence", ("File", "SHA-256"), hashes),
    )


def _setting(value: object) -> str:
    """As a TOML file would have it, more or less; a dash where nothing was asked for."""
    return "–" if value is None or value in ([], {}, "") else json.dumps(value, ensure_ascii=False)


def _made(results: Results) -> str:
    return (
        f"Made by leadapron {results.leadapron} on {results.created}. "
        "This page holds no patient number, no image and no text of a report."
    )
