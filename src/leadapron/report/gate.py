"""The gate: results and a policy in, one verdict out. Table, JSON and exit code all come from ``judge``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from leadapron.errors import ConfigError
from leadapron.report.matching import select_estimates
from leadapron.report.policy import Control, Policy, Requirement
from leadapron.report.results import Results
from leadapron.report.selection import SMALLEST_CELL

EXIT_CODES = {"pass": 0, "warn": 0, "fail": 1, "error": 3, "not-run": 3}
WORST_FIRST = ("fail", "error", "not-run", "warn", "pass")
BOUND_NAMES = {"value": "", "low": "the lower end of the interval of ", "high": "the upper end of the interval of "}


@dataclass(frozen=True)
class Judgement:
    """One entry of the policy, how it ended, and the reason in one sentence."""

    id: str
    outcome: str
    number: float | None
    threshold: float | None
    reason: str
    why: str
    source: str


@dataclass(frozen=True)
class Verdict:
    """The worst outcome of all judgements, and the exit code that belongs to it."""

    outcome: str
    exit_code: int
    policy: str
    judgements: tuple[Judgement, ...]


def judge(results: Sequence[Results], policy: Policy) -> Verdict:
    """Whether the results of one release, an attack each, meet the policy: exit code 0 met, 1 broken, 3 incomplete.

    What could not be judged is never a pass. Where one threshold is broken and another could not be judged, the policy
    is broken: a breach that is known must stop a release, whatever else is still to be found out.
    """
    check_together(results)
    estimates = [estimate for one in results for estimate in one.estimates]
    checks = [{**check, "attack": one.content["attack"]} for one in results for check in one.content["outcomes"]]
    judgements = (
        *(_judge_requirement(estimates, requirement) for requirement in policy.requirements),
        *(_judge_control(checks, control) for control in policy.controls),
        *_broken_checks(checks, policy.controls),
    )
    outcome = _worst(judgement.outcome for judgement in judgements)
    return Verdict(outcome, EXIT_CODES[outcome], policy.title, judgements)


def check_together(results: Sequence[Results]) -> None:
    """Two audits of one attack, or of two releases, have no common verdict: one could hide what the other found."""
    attacks = [one.content["attack"] for one in results]
    if twice := sorted({attack for attack in attacks if attacks.count(attack) > 1}):
        raise ConfigError("two results are of one attack", got=twice[0], fix="Judge each by itself.")
    seen: dict[str, str] = {}
    for one in results:
        for file, digest in one.content["inputs"]["sha256"].items():
            if seen.setdefault(file, digest) != digest:
                raise ConfigError("the results are of different releases", where=one.folder, got=f"another {file}")


def _judge_requirement(estimates: list[dict[str, Any]], requirement: Requirement) -> Judgement:
    selected, missing = select_estimates(estimates, requirement.select)
    numbers = [_judged_number(estimate, requirement) for estimate in selected]
    number = None
    if not selected:
        outcome, reason = "not-run", missing
    elif not all(map(math.isfinite, numbers)):
        outcome, reason = "error", "An estimate is not a finite number, or its chance level is zero."
    else:
        number = max(numbers)
        outcome = _compare(number, requirement)
        worst = selected[numbers.index(number)]
        tried = sorted({estimate["attacker"] for estimate in selected})
        reason = _sentence(outcome, number, worst, requirement, tried)
    return Judgement(requirement.id, outcome, number, requirement.limit, reason, requirement.why, requirement.source)


def _judged_number(estimate: dict[str, Any], requirement: Requirement) -> float:
    """The chosen end of the interval; an upper end is never below the estimate itself, nor a lower one above it."""
    value, low, high = (float(estimate[key]) for key in ("value", "low", "high"))
    if not all(map(math.isfinite, (value, low, high))):
        return math.nan
    number = {"value": value, "low": min(value, low), "high": max(value, high)}[requirement.bound]
    if not requirement.enrichment:
        return number
    return number / estimate["chance"] if estimate["chance"] else math.nan


def _compare(number: float, requirement: Requirement) -> str:
    if number > requirement.limit:
        return "fail"
    return "warn" if requirement.warn_above is not None and number > requirement.warn_above else "pass"


def _sentence(outcome: str, number: float, worst: dict[str, Any], requirement: Requirement, tried: list[str]) -> str:
    unit = " times chance" if requirement.enrichment else ""
    allowed = f"{'above' if outcome == 'fail' else 'within'} the {requirement.limit:g}{unit} allowed"
    if outcome == "warn":
        allowed += f" but above the {requirement.warn_above:g} from which to warn"
    what = f"{BOUND_NAMES[requirement.bound]}{worst['metric']} is {number:.4g}{unit}"
    group = "" if worst["group"] is None else f", {worst['group']}"
    size = f"n = {worst['n']:,}" if worst["n"] >= SMALLEST_CELL else f"n below {SMALLEST_CELL}"
    return (
        f"{what[0].upper()}{what[1:]}, {allowed} "
        f"({worst['direction']}{group}, {worst['protocol']} pool of {worst['pool']:,}, {size}; "
        f"attacker {worst['attacker']}, tried: {', '.join(tried)})."
    )


def _judge_control(checks: list[dict[str, str]], control: Control) -> Judgement:
    """A control that failed says nothing of the release, but that the audit of it cannot be relied upon: an error."""
    found = [check for check in checks if _is_meant(check, control)]
    outcome = _worst(check["outcome"] for check in found) if found else "not-run"
    reason = next(
        (check["reason"] for check in found if check["outcome"] == outcome), "The results hold no such check."
    )
    return _of_check(control.check, outcome, reason, control.why, control.source)


def _is_meant(check: dict[str, str], control: Control) -> bool:
    return check["check"] == control.check and control.attack in (None, check["attack"])


def _broken_checks(checks: list[dict[str, str]], controls: tuple[Control, ...]) -> list[Judgement]:
    """Checks that the policy does not ask for, but that went wrong."""
    why = "An audit in which a check went wrong is not complete."
    return [
        _of_check(check["check"], check["outcome"], check["reason"], why, "The audit's own outcomes.")
        for check in checks
        if check["outcome"] in ("fail", "error") and not any(_is_meant(check, control) for control in controls)
    ]


def _of_check(name: str, outcome: str, reason: str, why: str, source: str) -> Judgement:
    return Judgement(name, "error" if outcome == "fail" else outcome, None, None, reason, why, source)


def _worst(outcomes: Iterable[str]) -> str:
    return min(outcomes, key=WORST_FIRST.index)
