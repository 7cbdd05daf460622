"""Every risk of every entrant, and whether it is worse, better or not clearly changed against the undefended one."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.comparisons.clear_change import Status
from leadapron.results import Measured
from leadapron.results.selection import select
from leadapron.stats import PairedDifference
from leadapron.trials.frontier import Frontier, Point
from leadapron.trials.scenario import Scenario
from leadapron.trials.scenario_answer import Answer


@dataclass(frozen=True)
class RiskStatus:
    """One risk of one entrant. ``now`` and ``before`` hold value, low, high and chance; limits are nobody's here.

    They are the number by which a risk is set beside others: the headline, or a share of patients in its place.
    """

    scenario: Scenario
    entrant: str
    role: str
    before: Measured
    now: Measured
    change: PairedDifference | None
    """The tested difference, patient by patient; None of the undefended release."""
    status: Status | None


def risk_statuses(frontier: Frontier) -> list[RiskStatus]:
    """Scenario by scenario, and entrant by entrant in their order."""
    return [
        RiskStatus(scenario, point.name, point.role, found.before, found.placed, found.change, found.status)
        for scenario in frontier.scenarios
        if scenario.audit.about == "risk"
        for point, found in frontier.answers(scenario.key)
    ]


def several_attackers(answer: Answer) -> bool:
    """Whether somebody could be the strongest: several attackers were asked for the same number."""
    own = select(answer.results, metric=answer.row.metric)
    return len({row.attacker for row in own if row.at == answer.row.at}) > 1


def has_strongest(frontier: Frontier) -> bool:
    """Whether of any risk there were several attackers."""
    answers = [answer for point in frontier.points for answer in point.answers.values()]
    return any(several_attackers(answer) for answer in answers if answer.audit.about == "risk")


def made_worse(point: Point) -> dict[str, Answer]:
    """The risks that an entrant clearly raises, by scenario."""
    return {key: one for key, one in point.answers.items() if one.audit.about == "risk" and one.status == "worse"}
