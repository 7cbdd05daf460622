"""The gate: results and a policy in, one verdict out. Table, JSON, JUnit and exit code all come from ``judge``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from leadapron.audits.audit_registry import find_audit
from leadapron.audits.bound_subject import bind, why_absent
from leadapron.audits.declared_rows import audit_of
from leadapron.audits.matching import select_estimates
from leadapron.audits.policy import Control, Policy, Requirement
from leadapron.audits.ruling import EXIT_CODES, WORST_FIRST, in_words, rule
from leadapron.results import Results
from leadapron.results.measured import Coordinates
from leadapron.stats import Outcome

Check = tuple[str, Outcome]
"""Of an audit, by its name."""


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
    metric: str | None = None
    group: str | None = None
    attacker: str | None = None
    at: Coordinates | None = None
    """Where it was measured: direction, pool, whatever the audit names."""


IN_WORDS = {0: "The policy is met", 1: "The policy is NOT met", 3: "The audit is INCOMPLETE"}


@dataclass(frozen=True, repr=False)
class Verdict:
    """The worst outcome of all judgements, the exit code that belongs to it, and what it is about."""

    outcome: str
    exit_code: int
    policy: str
    release: str
    subject: str
    judgements: tuple[Judgement, ...]

    def __repr__(self) -> str:
        """A line for each judgement with its reason below, the verdict last."""
        width = max(len(judgement.outcome) for judgement in self.judgements)
        lines = [f"Policy:  {self.policy}", f"Audited: {self.release}, id {self.subject}", ""]
        for judgement in self.judgements:
            lines += [f"{judgement.outcome:<{width}}  {judgement.id}", f"{'':{width}}  {judgement.reason}"]
        return "\n".join([*lines, "", f"{IN_WORDS[self.exit_code]} ({self.outcome}); exit code {self.exit_code}."])


def judge(results: Sequence[Results], policy: Policy) -> Verdict:
    """Whether the results of one release, an attack each, meet the policy: exit code 0 met, 1 not met, 3 incomplete.

    What could not be judged is never a pass. Where one limit is broken and another could not be judged, the policy is
    broken: a breach that is known must stop a release, whatever else is still to be found out.
    """
    for one in results:
        audit_of(one)
    about = bind(results)
    judgements = judge_entries(results, policy)
    outcome = min((judgement.outcome for judgement in judgements), key=WORST_FIRST.index)
    if outcome == "not-applicable":  # whatever the policy asks: nothing was judged
        outcome = "incomplete"
    about_it = about.inputs.release, about.inputs.subject.id
    return Verdict(outcome, EXIT_CODES[outcome], policy.title, *about_it, judgements)


def judge_entries(results: Sequence[Results], policy: Policy) -> tuple[Judgement, ...]:
    """A judgement for each requirement and each control, and for each check that went wrong unasked."""
    checks = [(one.audit, check) for one in results for check in one.outcomes]
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
    rows = [row for one in results if one.audit == attack for row in one.estimates]
    selected, missing = select_estimates(rows, entry.select)
    if not selected:
        return Judgement(entry.id, "incomplete", missing, entry.why, entry.source)
    vouching = [check[1] for check in checks if check[0] == attack and _is_asked(check, controls)]
    audit = find_audit(attack)
    ruling = rule(audit, selected, entry, vouching)
    outcome, row, _ = ruling
    return Judgement(
        entry.id,
        outcome,
        in_words(audit, ruling, entry, selected),
        entry.why,
        entry.source,
        value=row.value,
        low=row.low,
        high=row.high,
        limit=entry.limit_at(row.chance),
        metric=row.metric,
        group=row.group,
        attacker=row.attacker,
        at=row.at,
    )


def _judge_control(results: Sequence[Results], checks: list[Check], control: Control) -> Judgement:
    """A control that failed says nothing of the release, but that the audit of it cannot be relied upon: an error."""
    found = [(_outcome_of(check), check[1].reason) for check in checks if _is_asked(check, [control])]
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
        Judgement(check[1].check, "error", check[1].reason, why, "The audit's own outcomes.")
        for check in checks
        if _outcome_of(check) == "error" and not _is_asked(check, controls)
    ]


def _was_run(attack: str, results: Sequence[Results]) -> bool:
    return any(one.audit == attack for one in results)


def _is_asked(check: Check, controls: Sequence[Control]) -> bool:
    return any(check[1].check == control.check and control.attack in (None, check[0]) for control in controls)


def _outcome_of(check: Check) -> str:
    renamed = {"fail": "error", "not-run": "incomplete"}
    return renamed.get(check[1].outcome, check[1].outcome)
