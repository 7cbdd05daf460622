"""The parrot audit: do the identifiers that were overlooked stand out among stand-ins?

Carrell et al., "The machine giveth and the machine taketh away: a parrot attack on clinical text deidentified with
hiding in plain sight", JAMIA 2019.
"""

from __future__ import annotations

from importlib.resources import files

from pydantic import Field

from leadapron.attacks.reports.marked_parts import Marked, mark
from leadapron.attacks.reports.parrot_attack import add_parrot, suspect
from leadapron.attacks.reports.parrot_controls import null_control, planted_control
from leadapron.attacks.reports.parrot_measures import MEASURES, PARROT_NAME, PLAIN
from leadapron.attacks.reports.parrot_page import HEADLINES, PAGE
from leadapron.attacks.reports.report_subject import ParrotReads, ReleasedReports, load_parrot
from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.board_question import SINGLING_OUT
from leadapron.audits.gathering import Gathering
from leadapron.engine import Progress, silent
from leadapron.errors import DataError
from leadapron.results import Findings, Spot
from leadapron.results.withheld import told
from leadapron.stats import Outcome

FEWEST_LEAKS, FEWEST_STAND_INS = 20, 100
"""Fewer than this cannot be measured, and that is no pass."""
ENOUGH, ALIGNED = "enough leaks and stand-ins", "leaks and stand-ins could be located"
FEW_APART = 0.01
MARKS = "marks"


class ParrotConfig(AuditConfig):
    """How much the attacker reads."""

    read: int = Field(
        default=500, ge=1, description="Patients of each half whose reports the attacker reads and marks, at most."
    )


def audit_parrot(
    subject: ReleasedReports, config: ParrotConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """The whole audit. Which patients are in which half is drawn by the seed, and so are the controls."""
    config, found = config or ParrotConfig(), Gathering(PARROT)
    assert subject.cases is not None
    with found.stage("locating"):
        progress("imitating", 0, 3)
        marked = mark(subject.cases)
    if not marked.texts:
        what = "no released report is its source with the spans replaced"
        raise DataError(what, fix="Give the source that the spans were found in.")
    leaks, stand_ins = marked.leaks, len(marked.marks) - marked.leaks
    why = _too_few(leaks, stand_ins)
    evidence, outcomes = {}, [_located(marked), Outcome(ENOUGH, "not-run" if why else "pass", why or "there are")]
    if not why:
        with found.stage("attack"):
            progress("imitating", 1, 3)
            table = suspect(marked, config.read, config.seed)
            add_parrot(found, table)
            evidence[MARKS] = table
    if stand_ins >= FEWEST_STAND_INS:
        with found.stage("controls"):
            progress("imitating", 2, 3)
            controls = [null_control(PARROT, marked, config.read, config.seed)]
            controls.append(planted_control(PARROT, marked, config.read, config.seed))
        outcomes = [*controls, *outcomes]
    progress("imitating", 3, 3)
    measured = {row.metric for row in found.estimates}
    counts = {"reports": len(marked.texts), "patients": len(set(marked.patients)), "apart": marked.apart}
    return Findings(
        audit=PARROT.name,
        headline=Spot(metric=next((one for one in HEADLINES if one in measured), HEADLINES[0]), attacker=PARROT_NAME),
        estimates=tuple(found.estimates),
        outcomes=tuple(outcomes),
        counts={name: told(count) for name, count in (counts | {"stand_ins": stand_ins, "leaks": leaks}).items()},
        limits=_limits(subject.replaced),
        details={"why": why, "replaced": subject.replaced},
        timings=found.timings,
    ).with_evidence(evidence)


def _too_few(leaks: int, stand_ins: int) -> str:
    if not stand_ins:
        return "Nothing stands in the place of what was found, so a leak has nothing to hide among."
    if stand_ins < FEWEST_STAND_INS:
        return f"It takes {FEWEST_STAND_INS} stand-ins at least."
    return f"It takes {FEWEST_LEAKS} leaks at least." if leaks < FEWEST_LEAKS else ""


def _located(marked: Marked) -> Outcome:
    every = marked.apart + len(marked.texts)
    if not marked.apart:
        return Outcome(ALIGNED, "pass", "every report is its source with the spans replaced")
    reason = f"{marked.apart:,} of {every:,} reports are not their source with the spans replaced, and are left out"
    return Outcome(ALIGNED, "warn" if marked.apart <= FEW_APART * every else "error", reason)


def _limits(replaced: str) -> tuple[str, ...]:
    limits = [
        "The reader marks every stand-in and every leak, and nothing else. A real reader overlooks some and marks "
        "others, and finds less.",
        "The attacker does not know which marked words are real: what stands out must still be guessed, looked up or "
        "tried.",
        "The imitation is a linear tagger. One with a language model may imitate better.",
    ]
    if replaced == "tag":
        limits.append("Identifiers were replaced by tags here, not by stand-ins: every leak stands out by itself.")
    return tuple(limits)


def _run(
    subject: ReleasedReports, config: ParrotConfig, _knowledge: Knowledge = NOTHING, progress: Progress = silent
) -> Findings:
    return audit_parrot(subject, config, progress=progress)


PARROT = Audit(
    name="parrot",
    answers="recognised",
    criterion=SINGLING_OUT,
    question="do identifiers that were overlooked stand out among stand-ins?",
    config=ParrotConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    place="among stand-ins",
    risk="leaks that stand out among stand-ins",
    subject="reports",
    takes=frozenset(),
    reads=ParrotReads,
    load=load_parrot,
    policy=files("leadapron.attacks.reports").joinpath("parrot_policy.toml").read_text(),
    page=PAGE,
)
