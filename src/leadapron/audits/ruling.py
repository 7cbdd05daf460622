"""How estimates stand to a limit: one rule for all measures, and the words for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from leadapron.audits.audit import Audit
from leadapron.audits.policy import Requirement
from leadapron.audits.wording import SELDOM, named, place_of
from leadapron.results import About, Measured
from leadapron.results.selection import SMALLEST_CELL
from leadapron.stats import Outcome

EXIT_CODES = {
    "fail": 1,
    "too-close": 1,
    "error": 3,
    "incomplete": 3,
    "warn": 0,
    "pass": 0,
    "examined": 0,
    "not-applicable": 0,
}
WORST_FIRST = tuple(EXIT_CODES)

Ruling = tuple[str, Measured, str]
"""The outcome, the estimate that decided, and why."""


def rule(audit: Audit, estimates: Sequence[Measured], entry: Requirement, vouching: Sequence[Outcome]) -> Ruling:
    """The worst of what is said of each estimate.

    An attacker whom one of the ``vouching`` controls does not cover breaks no limit. But where it does better than all
    who are covered, nobody knows whether the leak is in the release or in the attacker.
    """
    missed = {row.attacker: _not_covering(row.attacker, vouching) for row in estimates}
    as_risk = audit.measure_of(estimates[0].metric).as_risk

    def far_end(row: Measured) -> float:
        return max(as_risk(row.low), as_risk(row.high))

    rulings = [_rule_on(row, entry, as_risk, audit.about) for row in estimates if missed[row.attacker] is None]
    strongest = max(estimates, key=far_end)
    if (control := missed[strongest.attacker]) is not None:
        rulings.append(("incomplete", strongest, f"the control “{control}” does not cover this attacker"))
    return min(rulings, key=lambda ruling: (WORST_FIRST.index(ruling[0]), -far_end(ruling[1])))


def in_words(audit: Audit, ruling: Ruling, entry: Requirement, tried: Sequence[Measured]) -> str:
    """One sentence, with the numbers, the pool, and who attacked."""
    _, row, because = ruling
    limit, lower = entry.limit_at(row.chance), audit.measure_of(row.metric).higher_is == "better"
    allowed = f"{'at least' if lower else 'at most'} {limit:.4g} is allowed"
    if not lower and row.chance >= SELDOM and entry.scope != "table":
        allowed += f", {limit / row.chance:.3g} times chance"
    asked = entry.select.get("pool")
    places = [
        ", ".join(filter(None, (place_of(audit, row), row.group))),
        f"there are no {asked:,} candidates" if isinstance(asked, int) and row.pool < asked else "",
        f"n = {row.n:,}" if row.n >= SMALLEST_CELL else f"n below {SMALLEST_CELL}",
        f"{audit.who} {row.attacker}, tried: {', '.join(sorted({one.attacker for one in tried}))}",
    ]
    ends = "" if row.low == row.high else f" ({row.low:.4g} to {row.high:.4g})"
    return f"{named(audit, row)} is {row.value:.4g}{ends}, {allowed}: {because} ({'; '.join(filter(None, places))})."


def _rule_on(row: Measured, entry: Requirement, as_risk: Callable[[float], float], about: About) -> Ruling:
    """All numbers are turned so that more is worse.

    An audit that could not have seen so small a leak says nothing of the limit, unless all of the interval is on one
    side of it. Of use there is no leak to be seen.
    """
    limit, seen = entry.limit_at(row.chance), row.detectable
    if limit >= 1 and "at_most_enrichment" in entry.limits:
        return "incomplete", row, "so many times chance is more than everybody, and nothing could break this limit"
    near, far = sorted(map(as_risk, (row.low, row.high)))
    bar, it = as_risk(limit), "it" if row.low == row.high else "all of the interval"
    if near > bar:
        return "fail", row, f"{it} breaks the limit"
    if far <= bar:
        return "pass", row, f"{it} keeps the limit"
    if seen is None and about == "risk":
        return "incomplete", row, "the limit lies within the interval, and how small a leak would be seen is not known"
    if seen is not None and as_risk(seen) > bar:
        because = f"the limit lies within the interval, and only a leak from {seen:.4g} on would have been seen"
        return "incomplete", row, f"{because}: audit more patients"
    return "too-close", row, "the limit lies within the interval, too close to call"


def _not_covering(attacker: str, vouching: Sequence[Outcome]) -> str | None:
    """The first of the controls that did not test this attacker."""
    return next((check.check for check in vouching if attacker not in (check.attackers or ())), None)
