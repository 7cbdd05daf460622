"""What was not examined: it counts against release, and must not look like a pass."""

from __future__ import annotations

from leadapron.audits.board_question import BOARD_QUESTIONS
from leadapron.dossier.assessment import Assessment
from leadapron.dossier.declaration import PARTS
from leadapron.dossier.judged_risks import Risk, in_short

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
ALWAYS = (("Stronger attackers,", "what was released before, and what others hold."),)
MOST = 6
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
    """Attacks that could not be run although others answer their question; those for one reason together."""
    answered = set(BOARD_QUESTIONS) - set(found.unanswered)
    reasons: dict[str, list[str]] = {}
    for risk in found.after:
        if risk.row is None and risk.answers in answered:
            named = reasons.setdefault(risk.reason, [])
            named += [name for name in [_named(risk)] if name not in named]
    return [(_sentence_of(named), why) for why, named in reasons.items()]


def _named(risk: Risk) -> str:
    """What was not looked for, in a few words where the audit has them."""
    own = risk.scenario.key == risk.scenario.audit.name
    return risk.of or (risk.scenario.audit.risk if own else "") or risk.scenario.title


def _sentence_of(names: list[str]) -> str:
    words = ", ".join(names)
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('?') else ':'}"
