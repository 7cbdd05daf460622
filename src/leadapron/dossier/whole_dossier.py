"""Assess: whatever a user has in, one dossier out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from leadapron.audits.policy import Policy
from leadapron.audits.presets import whole_policy
from leadapron.dossier.assessed_inputs import Input, read_inputs
from leadapron.dossier.assessment import Assessment, assess_group
from leadapron.dossier.assessment_plan import AssessmentPlan, plan_of
from leadapron.dossier.chapters import chapters
from leadapron.dossier.declaration import Declaration, refuse_contradictions
from leadapron.dossier.dossier_forms import as_junit, as_markdown, write_pdf
from leadapron.dossier.dossier_record import as_record
from leadapron.dossier.front_page import front_page
from leadapron.dossier.released_parts import released_parts
from leadapron.engine import Progress, atomic_path, silent
from leadapron.engine.ours import claim, hidden_beside
from leadapron.engine.private import private_folder
from leadapron.errors import ConfigError
from leadapron.pages.decision import DecisionPage
from leadapron.pages.html import framed, render_dossier
from leadapron.pages.terminal_text import wrapped
from leadapron.trials.trial_config import TrialConfig

PAGE, RECORD, PRINTED = "dossier.html", "dossier.json", "dossier.pdf"
FILES = (PAGE, RECORD, "dossier.md", "dossier.xml", PRINTED)
AUDITS, WORK = "audits", ".work"
FOOTER = "This dossier holds no patient number, no image and no text of a report. The folder beside it, audits, does."


@dataclass(frozen=True, repr=False)
class Dossier:
    """What was found, and page 1; ``exit_code`` is 0 within the limits, 1 over or too close, 3 not known."""

    found: Assessment
    front: DecisionPage
    folder: Path

    @property
    def exit_code(self) -> int:
        return self.found.exit_code

    def __repr__(self) -> str:
        return in_lines(self.front)

    def _repr_html_(self) -> str:
        return framed((self.folder / PAGE).read_text(encoding="utf-8"), "dossier")


@dataclass(frozen=True)
class Asked:
    """What is asked of an assessment beside its inputs."""

    declaration: Declaration = field(default_factory=Declaration)
    policy: Policy = field(default_factory=whole_policy)
    config: TrialConfig = field(default_factory=TrialConfig)
    verify: bool = True
    command: str = "leadapron.assess(…)"


def planned(given: Sequence[Input], out: Path, asked: Asked) -> AssessmentPlan:
    """What can be examined: everything is read, and nothing is run. Contradictions are refused here."""
    if not given:
        raise ConfigError("there is nothing to assess", fix="Name a cohort, a release, reports, signals or a run.")
    groups = read_inputs(given, asked.config, work=out / WORK, verify=asked.verify)
    found = {part for group in groups for part in released_parts(group.entrants[-1])}
    refuse_contradictions(asked.declaration, found, ", ".join(group.entrants[-1].name for group in groups))
    return plan_of(groups, networks=asked.config.networks)


def assess(given: Sequence[Input], out: Path, asked: Asked, *, progress: Progress = silent) -> Dossier:
    """Examines everything that can be, judges it, and writes the dossier to ``out``.

    An assessment that was interrupted goes on there; audits of the same files are not run again.
    """
    plan = planned(given, out, asked)
    claim(private_folder(out), *FILES)
    groups = []
    for done, one in enumerate(plan.groups):
        progress("inputs", done, len(plan.groups))
        place = out / AUDITS / one.group.kind
        groups.append(
            assess_group(one, asked.policy, asked.config, out=place, command=asked.command, progress=progress)
        )
    progress("inputs", len(plan.groups), len(plan.groups))
    found = Assessment(tuple(groups), asked.declaration, asked.policy, plan, asked.command, asked.config.seed)
    return write_dossier(found, out)


def write_dossier(found: Assessment, out: Path) -> Dossier:
    """Every form, each whole or not at all; the record last, so that where it is the dossier is whole."""
    now = datetime.now(UTC)
    front = front_page(found, made=f"{now.day} {now:%B %Y}")
    page = render_dossier(front.title, front, chapters(found), FOOTER)
    forms = {PAGE: page, "dossier.md": as_markdown(front), "dossier.xml": as_junit(found)}
    for name, text in forms.items():
        _write(out / name, text)
    _print(out)
    _write(out / RECORD, as_record(found, front, now.isoformat(timespec="seconds")))
    return Dossier(found, front, out)


def _print(out: Path) -> None:
    """On paper, where a browser is installed; an older print would be of another page."""
    target = out / PRINTED
    target.unlink(missing_ok=True)
    partial = hidden_beside(target)
    if write_pdf(out / PAGE, partial):
        partial.replace(target)


def _write(path: Path, text: str) -> None:
    with atomic_path(path) as partial:
        partial.write_text(text, encoding="utf-8")


def in_lines(front: DecisionPage) -> str:
    """Page 1 for the terminal: the question, the answer, each risk in a line or two, and what is open."""
    lines = [front.title, "", f"{front.banner.words.upper()}. {front.banner.limit}", ""]
    for row in front.risks:
        shown = row.bars[-1]
        lines += [f"{shown.words:<13} {row.question}", wrapped(f"{row.sentence}"), ""]
    for cost in front.costs:
        lines.append(f"{cost.words:<13} {cost.title}: {' -> '.join(bar.number for bar in cost.bars)}")
    lines += ["", wrapped(f"Not examined: {' '.join(f'{few} {why}' for few, why in front.unexamined)}")]
    return "\n".join(lines)
