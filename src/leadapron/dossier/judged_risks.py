"""Risks, judged: each number of an audit against the limit that a policy sets for it, worst first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from leadapron.audits.gate import Judgement, judge_entries
from leadapron.audits.measure import PERCENTAGES
from leadapron.audits.policy import Policy, Requirement
from leadapron.audits.standard_words import standing
from leadapron.pages.numerals import fitted
from leadapron.results import Measured, Results
from leadapron.results.selection import first, headline
from leadapron.trials.entrant_trial import Trial
from leadapron.trials.scenario import Scenario


class Status(StrEnum):
    """How a risk stands to its limit. What is not known is never good."""

    OVER = "over"
    CLOSE = "close"
    UNKNOWN = "unknown"
    UNDER = "under"


WORST_FIRST = tuple(Status)
STATUS_OF = {"fail": Status.OVER, "too-close": Status.CLOSE, "pass": Status.UNDER, "warn": Status.UNDER}
"""Of the gate's outcomes; all others leave the risk unknown."""
EXIT_CODES = {Status.OVER: 1, Status.CLOSE: 1, Status.UNKNOWN: 3, Status.UNDER: 0}
"""As the gate has them."""
NOT_MEASURED = "On these records it could not be measured."
NO_LIMIT = "no limit is set for it"


def in_short(reason: str, length: int) -> str:
    """The first sentence, where all of it is too long: the rest stands behind page 1."""
    if len(reason) <= length:
        return reason
    first = reason.partition("; got ")[0].partition(". ")[0].rstrip(".")
    return fitted(f"{first}.", length)


@dataclass(frozen=True)
class Risk:
    """One number of one entrant beside its limit; without a number, why there is none."""

    scenario: Scenario
    entry: str
    """The entry of the policy; empty where no limit is set."""
    status: Status
    reason: str
    row: Measured | None = None
    limit: float | None = None
    source: str = ""
    results: Results | None = None
    of: str = ""
    """What it is of in few words, where its measure has them."""

    @property
    def answers(self) -> str:
        """The question of a board, by its key."""
        return self.scenario.audit.answers_of(self.row)

    @property
    def is_share(self) -> bool:
        return self.row is not None and self.scenario.audit.measure_of(self.row.metric).scale in PERCENTAGES

    @property
    def is_headline(self) -> bool:
        """Whether the audit's own verdict is on this number, too."""
        if self.row is None or self.results is None:
            return False
        spot = self.results.spot
        return (self.row.metric, self.row.at) == (spot.metric, spot.at)

    @property
    def over_limit(self) -> float:
        """How many times its limit a number is, to tell the worst of several; 0 where that is not known."""
        if self.row is None or not self.limit:
            return 0.0
        return self.row.value / self.limit


def worst(risks: Sequence[Risk]) -> Risk:
    """By status; of several, one that counts people, that the audit's verdict is on, and farthest above its limit."""
    return min(
        risks,
        key=lambda risk: (WORST_FIRST.index(risk.status), not risk.is_share, not risk.is_headline, -risk.over_limit),
    )


def status_of(risks: Sequence[Risk]) -> Status:
    """Of all together; where nothing was examined, nothing is known."""
    return min((risk.status for risk in risks), key=WORST_FIRST.index, default=Status.UNKNOWN)


def risks_of(trial: Trial, scenarios: Sequence[Scenario], policy: Policy) -> list[Risk]:
    """Every risk of an entrant: a number for each limit of the policy, the headline where it sets none."""
    found: list[Risk] = []
    for scenario in scenarios:
        if scenario.audit.about != "risk":
            continue
        if scenario.key in trial.results:
            found += _of_results(scenario, trial.results[scenario.key], policy)
        else:
            found.append(Risk(scenario, "", Status.UNKNOWN, trial.absent.get(scenario.key, "It was not run.")))
    return found


def _of_results(scenario: Scenario, results: Results, policy: Policy) -> list[Risk]:
    asked = policy.only({results.audit})
    entries = asked.requirements
    if standing(results)[0] in ("error", "fail"):
        broken = "A control of this audit went wrong: its number is not to be relied on."
        return [Risk(scenario, "", Status.UNKNOWN, broken, headline(results), results=results)]
    if not entries:
        return [Risk(scenario, "", Status.UNKNOWN, NO_LIMIT, headline(results), results=results)]
    judged = zip(judge_entries([results], asked)[: len(entries)], entries, strict=True)
    return [_judged(scenario, results, one, entry) for one, entry in judged if one.outcome != "not-applicable"]


def _judged(scenario: Scenario, results: Results, one: Judgement, entry: Requirement) -> Risk:
    row = None
    if one.metric is not None:
        row = first(results, metric=one.metric, attacker=one.attacker, group=one.group, **(one.at or {}))
    status = STATUS_OF.get(one.outcome, Status.UNKNOWN)
    reason = one.reason if row is not None else f"{NOT_MEASURED} {one.reason}"
    of = scenario.audit.measure_of(str(entry.select["metric"])).risk
    return Risk(scenario, one.id, status, reason, row, one.limit, one.source, results, of)
