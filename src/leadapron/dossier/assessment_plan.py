"""The plan: what can be examined of what is there, about how long it takes, and what cannot be, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import every_audit
from leadapron.audits.board_question import BOARD_QUESTIONS
from leadapron.dossier.assessed_inputs import InputGroup
from leadapron.dossier.released_parts import size_of_release
from leadapron.pages.page import Table, table
from leadapron.pages.terminal_text import in_columns, wrapped
from leadapron.trials.entrants import noun
from leadapron.trials.scenario import Scenario
from leadapron.trials.scenarios import scenarios_of
from leadapron.trials.trial_kinds import KINDS, RELEASE

MINUTE = 60


@dataclass(frozen=True)
class PlannedGroup:
    """A group of inputs, what is asked of it, and what cannot be asked."""

    group: InputGroup
    scenarios: tuple[Scenario, ...]
    cannot: tuple[tuple[str, str], ...]
    """Audits by name, and why not."""

    def seconds(self, scenario: Scenario) -> float:
        return scenario.audit.effort.seconds(_records(self.group)) * len(self.group.entrants)


@dataclass(frozen=True)
class AssessmentPlan:
    groups: tuple[PlannedGroup, ...]

    @property
    def seconds(self) -> float:
        return sum(group.seconds(scenario) for group in self.groups for scenario in group.scenarios)

    @property
    def unanswered(self) -> list[str]:
        """The questions of a board that nothing of the plan answers, by their keys."""
        answered = {scenario.audit.answers for group in self.groups for scenario in group.scenarios}
        return [key for key in BOARD_QUESTIONS if key not in answered]

    def __str__(self) -> str:
        """For the terminal."""
        parts = []
        for one in self.groups:
            names = ", ".join(entrant.name for entrant in one.group.entrants)
            parts += [wrapped(f"{names}: {noun(one.group.kind)}, {size_of_release(one.group.before)}."), ""]
            parts += [in_columns(_overview(one)), ""]
            parts += [wrapped(f"Not possible: {name}. {why}") for name, why in one.cannot]
            parts += [wrapped(note) for note in one.group.notes]
        told = [f"“{BOARD_QUESTIONS[key].words}”" for key in self.unanswered]
        unasked = f" Nothing here answers {', '.join(told)}." if told else ""
        about = f"It takes {in_minutes(self.seconds)}, less where audits are kept from before.{unasked}"
        return "\n".join([*parts, wrapped(about)])


def plan_of(groups: Sequence[InputGroup], *, networks: bool = False) -> AssessmentPlan:
    return AssessmentPlan(tuple(_planned(group, networks=networks) for group in groups))


def in_minutes(seconds: float) -> str:
    """An estimate is no stopwatch."""
    if seconds < MINUTE:
        return "less than a minute"
    minutes = round(seconds / MINUTE)
    return "about a minute" if minutes == 1 else f"about {minutes:,} minutes"


def _planned(group: InputGroup, *, networks: bool) -> PlannedGroup:
    scenarios = scenarios_of(list(group.entrants), networks=networks, every_part=True)
    asked = {scenario.audit.name for scenario in scenarios}
    cannot = [(audit.name, _why_not(audit, group)) for audit in _audits_of(group.kind) if audit.name not in asked]
    return PlannedGroup(group, tuple(scenarios), tuple(cannot))


def _audits_of(kind: str) -> list[Audit]:
    subjects = (RELEASE,) if kind == RELEASE else KINDS[kind].subjects
    return [audit for audit in every_audit() if audit.subject in subjects]


def _why_not(audit: Audit, group: InputGroup) -> str:
    arrays = getattr(group.before.subject, "arrays", {})
    if missing := sorted(audit.takes - set(arrays)):
        return f"It takes {' and '.join(sorted(audit.takes))}, and there is no {missing[0]}."
    return "It attacks a model that is trained for it alone: run it by itself."


def _records(group: InputGroup) -> int:
    records = getattr(group.before.subject, "records", None)
    return len(records) if isinstance(records, pl.DataFrame) else 0


def _overview(one: PlannedGroup) -> Table:
    rows = []
    for scenario in one.scenarios:
        question = BOARD_QUESTIONS.get(scenario.audit.answers)
        asked = question.words if question else "What is it still good for?"
        rows.append((asked, scenario.key, in_minutes(one.seconds(scenario))))
    return table("", ("question of the board", "audit", "takes"), rows)
