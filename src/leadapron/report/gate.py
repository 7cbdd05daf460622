"""The gate: results and a policy in, one verdict out. Table, JSON, JUnit and exit code all come from ``judge``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leadapron.report.matching import select_estimates
from leadapron.report.policy import Control, Policy, Requirement
from leadapron.report.results import Results
from leadapron.report.ruling import EXIT_CODES, WORST_FIRST, in_words, rule
from leadapron.report.subject import bind, subject_of, why_absent

Check = dict[str, Any]


@dataclass(frozen=True)
class Judgement:
    """One entry of the policy, how it ended, and the reason in one sentence.

    The numbers are of the estimate that decided; there are none of controls, nor where nothing was judged.
    """

    id: str
    outcome: str
    reason: str
    why: str
    source: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    limit: float | None = None
    pool: int | None = None
    attacker: str | None = None


@dataclass(frozen=True)
class Verdict:
    """The worst outcome of all judgements, the exit code that belongs to it, and what it is about."""

    outcome: str
    exit_code: int
    policy: str
    release: str
    subject: str
    judgements: tuple[Judgement, ...]


def judge(results: Sequence[Results], policy: Policy) -> Verdict:
    """Whether the results of one release, an attack each, meet the policy: exit code 0 met, 1 not met, 3 incomplete.

    What could not be judged is never a pass. Where one limit is broken and another could not be judged, the policy is
    broken: a breach that is known must stop a release, whatever else is still to be found out.
    """
    about = bind(results)
    judgements = judge_entries(results, policy)
    outcome = min((judgement.outcome for judgement in judgements), key=WORST_FIRST.index)
    if outcome == "not-applicable":  # whatever the policy asks: nothing was judged
        outcome = "incomplete"
    name = about.content["inputs"]["release"]
    return Verdict(outcome, EXIT_CODES[outcome], policy.title, name, subject_of(about)["id"], judgements)


def judge_entries(results: Sequence[Results], policy: Policy) -> tuple[Judgement, ...]:
    """A judgement for each requirement and each control, and for each check that went wrong unasked."""
    checks = [{**check, "attack": one.content["attack"]} for one in results for check in one.content["outcomes"]]
    return (
        *(_judge_requirement(results, checks, entry, policy.controls) for entry in policy.requirements),
        *(_judge_control(results, checks, control) for control in policy.controls),
        *_broken_checks(checks, policy.controls),
    )


def _judge_requirement(
    results: Sequence[Results], checks: list[Check], entry: Requirement, controls: Sequence[Control]
) -> Judgement:
    attack = str(entry.select["attack"])
    if not _was_run(attack, results):
        return Judgement(entry.id, *why_absent(attack, results), entry.why, entry.source)
    selected, missing = select_estimates([row for one in results for row in one.estimates], entry.select)
    if not selected:
        return Judgement(entry.id, "incomplete", missing, entry.why, entry.source)
    vouching = [check for check in checks if check["attack"] == attack and _is_asked(check, controls)]
    ruling = rule(selected, entry, vouching)
    outcome, row, _ = ruling
    return Judgement(
        entry.id,
        outcome,
        in_words(ruling, entry, selected),
        entry.why,
        entry.source,
        limit=entry.limit_at(row["chance"]),
        **{key: row[key] for key in ("value", "low", "high", "pool", "attacker")},
    )


def _judge_control(results: Sequence[Results], checks: list[Check], control: Control) -> Judgement:
    """A control that failed says nothing of the release, but that the audit of it cannot be relied upon: an error."""
    found = [(_outcome_of(check), check["reason"]) for check in checks if _is_asked(check, [control])]
    if control.attack is not None and not _was_run(control.attack, results):
        found = [why_absent(control.attack, results)]
    outcome, reason = min(
        found, key=lambda one: WORST_FIRST.index(one[0]), default=("incomplete", "The results hold no such check.")
    )
    return Judgement(control.check, outcome, reason, control.why, control.source)


def _broken_checks(checks: list[Check], controls: Sequence[Control]) -> list[Judgement]:
    """Checks that the policy does not ask for, but that went wrong."""
    why = "An audit in which a check went wrong is not complete."
    return [
        Judgement(check["check"], "error", check["reason"], why, "The audit's own outcomes.")
        for check in checks
        if _outcome_of(check) == "error" and not _is_asked(check, controls)
    ]


def _was_run(attack: str, results: Sequence[Results]) -> bool:
    return any(one.content["attack"] == attack for one in results)


def _is_asked(check: Check, controls: Sequence[Control]) -> bool:
    return any(check["check"] == control.check and control.attack in (None, check["attack"]) for control in controls)


def _outcome_of(check: Check) -> str:
    renamed = {"fail": "error", "not-run": "incomplete"}
    return renamed.get(check["outcome"], str(check["outcome"]))
