"""What was not examined: it counts against release, and must not look like a pass."""

from __future__ import annotations

from leadapron.audits.board_question import BOARD_QUESTIONS
from leadapron.dossier.assessment import Assessment
from leadapron.dossier.declaration import PARTS
from leadapron.dossier.judged_risks import in_short

NEVER = {
    "image vectors": ("Pictures or words rebuilt", "from the vectors."),
    "images": ("Names burnt into pictures,", "and headers of files."),
    "reports": ("What a story tells:", "a rare disease, a job, an accident."),
}
"""What no audit of ours looks at, by the part that leaves."""
RECITED = ("Writers that learn from it:", "whether they recite (leadapron audit recital).")
"""Where images and their reports leave together: the audit trains a writer of its own, and is about that one."""
NOTHING_HERE = "No audit here answers it."
NO_AUDIT = {
    "attribute": "No audit reads it off reports in words.",
    "member": "No model or generator is here that learnt from it.",
}
ALWAYS = (("Stronger attackers,", "and what other hospitals hold."),)
MOST = 5
LONGEST = 62


def everything_unexamined(found: Assessment) -> list[tuple[str, str]]:
    """In a few words each, and why: what would have changed the answer first."""
    told = [("The risk before the defence.", note) for one in found.groups for note in one.group.notes]
    told += [*_unanswered(found), *_of_scenarios(found)]
    told += [entry for part, entry in NEVER.items() if part in found.parts]
    told += [RECITED] if {"images", "reports"} <= set(found.parts) else []
    return [*told, *ALWAYS]


def unexamined(found: Assessment) -> tuple[tuple[str, str], ...]:
    """As many of them as page 1 has room for."""
    told = everything_unexamined(found)
    if len(told) > MOST:
        told = [*told[: MOST - 1], (f"And {len(told) - MOST + 1} more:", "see “Not examined” behind this page.")]
    return tuple((few, in_short(why, LONGEST)) for few, why in told)


def outside(found: Assessment) -> str:
    """What does not leave, as the files show."""
    absent = [part for part in PARTS if part not in found.parts]
    return f"Does not leave, as the files show: {', '.join(absent)}." if absent else ""


def _unanswered(found: Assessment) -> list[tuple[str, str]]:
    reasons = {risk.answers: risk.reason for risk in found.after if risk.row is None}
    return [(BOARD_QUESTIONS[key].words, reasons.get(key, NO_AUDIT.get(key, NOTHING_HERE))) for key in found.unanswered]


def _of_scenarios(found: Assessment) -> list[tuple[str, str]]:
    """Attacks that could not be run although their question has an answer from others."""
    answered = set(BOARD_QUESTIONS) - set(found.unanswered)
    return [
        (f"{risk.scenario.title}", risk.reason) for risk in found.after if risk.row is None and risk.answers in answered
    ]
