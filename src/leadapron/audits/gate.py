"""The gate: results and a policy in, one verdict out. Table, JSON, JUnit and exit code all come from ``judge``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from leadapron.audits.audit_registry import find_audit
from leadapron.audits.bound_subject import why_absent
from leadapron.audits.found_results import Unread, find_results
from leadapron.audits.judged_subject import Judged, choose
from leadapron.audits.matching import select_estimates
from leadapron.audits.policy import Control, Criterion, Policy, Requirement
from leadapron.audits.presets import PolicyGiven, policy_on
from leadapron.audits.ruling import EXIT_CODES, WORST_FIRST, in_words, rule
from leadapron.errors import ConfigError
from leadapron.results import Results
from leadapron.results.measured import Coordinates
from leadapron.stats import Outcome

Check = tuple[str, Outcome]
"""Of an audit, by its name."""
OUTCOMES = "The audit's own outcomes."
NO_LIMIT = (
    "It was measured, and no policy that was given has a limit for it: give one that does, such as --policy "
    "starting-point, or write one of your own."
)


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
    scope: str | None = None
    first_hand: bool | None = None
    read_in: str = ""
    attack: str | None = None
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
    also: tuple[str, ...] = ()
    """Subjects of other kinds that were judged with it: reports, images."""
    earlier: tuple[str, ...] = ()
    """Versions that it was made from, which were not judged."""

    def __repr__(self) -> str:
        """A line for each judgement with its reason below, the verdict last."""
        width = max(len(judgement.outcome) for judgement in self.judgements)
        lines = [f"Policy:  {self.policy}", f"Audited: {self.release}, id {self.subject}"]
        lines += [f"         {other}" for other in self.also]
        lines += [f"Earlier: {other}, not judged" for other in self.earlier]
        for judgement in self.judgements:
            told = f"{'':{width}}  {judgement.reason}"
            lines += ["", f"{judgement.outcome:<{width}}  {judgement.id}", told]
        return "\n".join([*lines, "", f"{IN_WORDS[self.exit_code]} ({self.outcome}); exit code {self.exit_code}."])


def gate(
    given: Sequence[Path | Results], policies: Sequence[PolicyGiven] = (), *, subject: str | None = None
) -> Verdict:
    """The verdict on all results in files and below folders: what cannot be relied on makes it incomplete."""
    found = find_results(given)
    judged = choose(found.results, subject)
    return _verdict(judged, found.unread, policy_on(judged.results, policies))


def judge(results: Sequence[Results], policy: Policy) -> Verdict:
    """Whether results meet the policy, all of it: exit code 0 met, 1 not met, 3 incomplete."""
    found = find_results(results)
    return _verdict(choose(found.results), found.unread, policy)


def _verdict(judged: Judged, unread: Sequence[Unread], policy: Policy) -> Verdict:
    """What could not be judged is never a pass. Where one limit is broken and another could not be judged, the policy
    is broken: a breach that is known must stop a release, whatever else is still to be found out.
    """
    results = judged.results
    entries = (*judge_entries(results, policy), *_without_limit(results, policy)) if results else ()
    judgements = (*entries, *map(_unread, unread))
    if not judgements:
        audits = ", ".join(sorted({one.audit for one in results}))
        raise ConfigError("the policy asks nothing of these results", got=audits, fix="Give a policy that does.")
    outcome = min((judgement.outcome for judgement in judgements), key=WORST_FIRST.index)
    if outcome in ("not-applicable", "examined"):  # whatever the policy asks: no number was judged
        outcome = "incomplete"
    names = [(version.name, version.id) for version in judged.versions] or [("nothing that can be relied on", "")]
    also = tuple(str(version) for version in judged.versions[1:])
    earlier = tuple(str(version) for version in judged.earlier)
    return Verdict(outcome, EXIT_CODES[outcome], policy.title, *names[0], judgements, also, earlier)


def judge_entries(results: Sequence[Results], policy: Policy) -> tuple[Judgement, ...]:
    """A judgement for each requirement, criterion and control, and for each check that went wrong unasked."""
    checks = [(one.audit, check) for one in results for check in one.outcomes]
    return (
        *(_judge_requirement(results, entry, policy.controls) for entry in policy.requirements),
        *(_judge_criterion(results, criterion) for criterion in policy.criteria),
        *(_judge_control(results, checks, control) for control in policy.controls),
        *_broken_checks(checks, policy.controls),
    )


def _judge_requirement(results: Sequence[Results], entry: Requirement, controls: Sequence[Control]) -> Judgement:
    """Where an attack was run several times, the worst judgement counts: no audit may hide what another found."""
    blank = Judgement(
        entry.id, "", "", entry.why, entry.source, entry.scope, entry.first_hand, entry.read_in, entry.attack
    )
    run = [one for one in results if one.audit == entry.attack]
    if not run:
        outcome, reason = why_absent(entry.attack, results)
        return replace(blank, outcome=outcome, reason=reason)
    judgements = [_judge_one(one, entry, controls, blank) for one in run]
    worst = min(judgements, key=lambda judgement: WORST_FIRST.index(judgement.outcome))
    if len(run) == 1:
        return worst
    title = run[judgements.index(worst)].title
    return replace(worst, reason=f"{worst.reason} The worst of {len(run)} audits: {title}.")


def _judge_one(results: Results, entry: Requirement, controls: Sequence[Control], blank: Judgement) -> Judgement:
    audit = find_audit(entry.attack)
    selected, missing = select_estimates(list(results.estimates), entry.select)
    if not selected:
        outcome, reason = _why_lacking(results, entry.select, missing)
        return replace(blank, outcome=outcome, reason=reason)
    vouching = [check for check in results.outcomes if _is_asked((results.audit, check), controls)]
    ruling = rule(audit, selected, entry, vouching)
    outcome, row, _ = ruling
    return replace(
        blank,
        outcome=outcome,
        reason=in_words(audit, ruling, entry, selected),
        value=row.value,
        low=row.low,
        high=row.high,
        limit=entry.limit_at(row.chance),
        metric=row.metric,
        group=row.group,
        attacker=row.attacker,
        at=row.at,
    )


def _judge_criterion(results: Sequence[Results], criterion: Criterion) -> Judgement:
    """Examined by every audit that fits the subject: how high a number is does not matter here."""
    run = [name for name in criterion.attacks if any(one.audit == name and one.estimates for one in results)]
    others = {name: why_absent(name, results) for name in criterion.attacks if name not in run}
    missing = [name for name, (outcome, _) in others.items() if outcome == "incomplete" or not run]
    lacking = {name: others[name][1] for name in missing} | _lacking_metric(results, criterion)
    outcome, reason = "examined", f"By {' and '.join(run)}. There is no limit: people decide what is too much."
    if lacking:
        outcome, reason = "incomplete", " ".join(f"{name}: {why}" for name, why in lacking.items())
    return Judgement(
        criterion.id,
        outcome,
        reason,
        criterion.why,
        criterion.source,
        first_hand=criterion.first_hand,
        read_in=criterion.read_in,
    )


def _lacking_metric(results: Sequence[Results], criterion: Criterion) -> dict[str, str]:
    """Of the audits that were run and could have measured what is asked for, why none of their results holds it."""
    lacking: dict[str, str] = {}
    select = {"metric": criterion.metric}
    measured = set()
    for one in results:
        if criterion.metric and one.audit in criterion.attacks and find_audit(one.audit).measures_it(criterion.metric):
            selected, missing = select_estimates(list(one.estimates), select)
            if selected:
                measured.add(one.audit)
            lacking.setdefault(one.audit, _why_lacking(one, select, missing)[1])
    return {name: why for name, why in lacking.items() if name not in measured}


def _why_lacking(results: Results, select: Mapping[str, str | int], missing: str) -> tuple[str, str]:
    """The outcome where an entry of the policy finds no number, and the reason: the audit's own, if it has one."""
    lacks = find_audit(results.audit).lacks
    return (lacks and lacks(results, select)) or ("incomplete", missing)


def _judge_control(results: Sequence[Results], checks: list[Check], control: Control) -> Judgement:
    """A control that failed says nothing of the release, but that the audit of it cannot be relied upon: an error."""
    found = [(_outcome_of(check), check[1].reason) for check in checks if _is_asked(check, [control])]
    if control.attack is not None and not any(one.audit == control.attack for one in results):
        found = [why_absent(control.attack, results)]
    outcome, reason = min(
        found, key=lambda one: WORST_FIRST.index(one[0]), default=("incomplete", "The results hold no such check.")
    )
    return Judgement(control.check, outcome, reason, control.why, control.source, attack=control.attack)


def _broken_checks(checks: list[Check], controls: Sequence[Control]) -> list[Judgement]:
    """Checks that the policy does not ask for, but that went wrong."""
    why = "An audit in which a check went wrong is not complete."
    return [
        Judgement(check[1].check, "error", check[1].reason, why, OUTCOMES, attack=check[0])
        for check in checks
        if _outcome_of(check) == "error" and not _is_asked(check, controls)
    ]


def _without_limit(results: Sequence[Results], policy: Policy) -> list[Judgement]:
    """Risks that were measured and that no limit is for."""
    judged = {entry.attack for entry in policy.requirements}
    unjudged = dict.fromkeys(one.audit for one in results if one.about == "risk" and one.audit not in judged)
    why = "A risk that was measured and not judged must not look like one that was cleared."
    return [Judgement(f"limit of {name}", "incomplete", NO_LIMIT, why, OUTCOMES, attack=name) for name in unjudged]


def _unread(one: Unread) -> Judgement:
    why = "Results that cannot be relied on may hide any risk."
    return Judgement(f"results {one.name}", "error", one.reason, why, OUTCOMES)


def _is_asked(check: Check, controls: Sequence[Control]) -> bool:
    return any(check[1].check == control.check and control.attack in (None, check[0]) for control in controls)


def _outcome_of(check: Check) -> str:
    renamed = {"fail": "error", "not-run": "incomplete"}
    return renamed.get(check[1].outcome, check[1].outcome)
