"""The assessment: every group of inputs attacked, used and judged; what a dossier is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from leadapron.audits.board_question import BOARD_QUESTIONS
from leadapron.audits.policy import Policy
from leadapron.dossier.assessed_inputs import InputGroup
from leadapron.dossier.assessment_plan import AssessmentPlan, PlannedGroup
from leadapron.dossier.declaration import Declaration
from leadapron.dossier.judged_risks import EXIT_CODES, WORST_FIRST, Risk, Status, risks_of, status_of, worst
from leadapron.dossier.released_parts import applies, released_parts
from leadapron.engine import Progress, silent
from leadapron.errors import DataError
from leadapron.trials.entrant_trial import Bench, Trial, run_trial
from leadapron.trials.frontier import Frontier, build_frontier
from leadapron.trials.scenario import Scenario
from leadapron.trials.trial_config import TrialConfig


@dataclass(frozen=True)
class GroupAssessment:
    """What was found of one group: trials in the order of its entrants, and each one's risks by name."""

    group: InputGroup
    scenarios: tuple[Scenario, ...]
    trials: tuple[Trial, ...]
    risks: Mapping[str, tuple[Risk, ...]]
    frontier: Frontier | None
    """None where no risk could be measured of every entrant."""

    @property
    def shown(self) -> Trial:
        """The version that would be released: the defended one with the least against it, or the only one."""
        names = [one.name for one in self.group.defended]
        defended = [trial for trial in self.trials if trial.entrant.name in names]
        return min(defended, key=lambda trial: against(self.risks[trial.entrant.name]), default=self.trials[0])

    @property
    def is_defended(self) -> bool:
        return self.shown is not self.trials[0]


@dataclass(frozen=True)
class Assessment:
    """Everything that the dossier tells, before it is worded."""

    groups: tuple[GroupAssessment, ...]
    declaration: Declaration
    policy: Policy
    plan: AssessmentPlan
    command: str
    seed: int

    @property
    def is_defended(self) -> bool:
        return any(one.is_defended for one in self.groups)

    @property
    def before(self) -> tuple[Risk, ...]:
        """The risks of what there is without any defence."""
        return tuple(risk for one in self.groups for risk in one.risks[one.group.before.name])

    @property
    def after(self) -> tuple[Risk, ...]:
        """The risks that are left of what would be released."""
        return tuple(risk for one in self.groups for risk in one.risks[one.shown.entrant.name])

    @property
    def status(self) -> Status:
        """Of what would be released; what nobody could examine leaves it unknown at best."""
        found = status_of(self.after)
        if (self.unanswered or self.lacks_before) and WORST_FIRST.index(found) > WORST_FIRST.index(Status.UNKNOWN):
            return Status.UNKNOWN
        return found

    @property
    def lacks_before(self) -> bool:
        """Whether something defended was given without what it was made from."""
        return any(one.group.lacks_before for one in self.groups)

    @property
    def parts(self) -> dict[str, str]:
        """What would leave, in words."""
        return {part: words for one in self.groups for part, words in released_parts(one.shown.entrant).items()}

    @property
    def unanswered(self) -> list[str]:
        """The board's questions that can be asked of what leaves, and of which no number is there."""
        answered = {risk.answers for risk in self.after if risk.row is not None}
        return [key for key in BOARD_QUESTIONS if key not in answered and applies(key, self.parts)]

    @property
    def exit_code(self) -> int:
        """As the gate has it: 0 within the limits, 1 over one or too close, 3 not known."""
        return EXIT_CODES[self.status]


def against(risks: Sequence[Risk]) -> tuple[int, int, float]:
    """What is to be said against a version: limits that it breaks, what is open, and the worst by its limit."""
    counts = [sum(risk.status is status for risk in risks) for status in WORST_FIRST]
    over, close, unknown, _ = counts
    return over, close + unknown, worst(risks).over_limit if risks else 0.0


def assess_group(
    planned: PlannedGroup,
    policy: Policy,
    config: TrialConfig,
    *,
    out: Path,
    command: str,
    progress: Progress = silent,
) -> GroupAssessment:
    """Asks everything of every entrant; what is kept below ``out`` of the same files is not asked again."""
    group, scenarios = planned.group, list(planned.scenarios)
    bench = Bench(group.before, scenarios, config, out, command)
    trials = tuple(run_trial(bench, entrant, progress) for entrant in group.entrants)
    risks = {trial.entrant.name: tuple(risks_of(trial, scenarios, policy)) for trial in trials}
    try:
        frontier = build_frontier(scenarios, list(trials), seed=config.seed)
    except DataError:  # no risk could be measured of every entrant: each one's reasons stand among its risks
        frontier = None
    return GroupAssessment(group, planned.scenarios, trials, risks, frontier)
