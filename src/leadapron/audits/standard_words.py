"""Sentences that every page has: how sure the verdict is, who attacked, and what the checks mean together."""

from __future__ import annotations

from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.basis import basis
from leadapron.audits.fitted import fitted_too
from leadapron.audits.wording import counted_of, sentence, size_of, written, written_range
from leadapron.pages.numerals import NBSP, so_many, times
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, attackers, covered, headline, select, uncovered
from leadapron.results.withheld import told

WORST_FIRST = ("error", "fail", "not-run", "warn", "pass")


def verdict(results: Results) -> str:
    """The headline in words, what it rests on, and whether it counts patients that something was fitted on."""
    audit = find_audit(results.audit)
    say = audit.page.verdict or _plain_verdict
    return " ".join([say(results), *fitted_too(results)])


def _plain_verdict(results: Results) -> str:
    audit, row = find_audit(results.audit), headline(results)
    return f"{sentence(audit, row)}. {basis(results, row, counted_of(audit, row))}"


def certainty(results: Results) -> str:
    """How sure the verdict is, and whether it differs from guessing at all."""
    audit = find_audit(results.audit)
    if audit.page.certainty:
        return audit.page.certainty(results)
    return certainty_of(audit, headline(results)) if results.estimates else ""


def certainty_of(audit: Audit, row: Measured) -> str:
    """The same of any number that a verdict is on."""
    measure = audit.measure_of(row.metric)
    if measure.scale == "share":
        size = size_of(row)
        range_ = f"(95{NBSP}% interval: {so_many(row.low, size)} to {so_many(row.high, size)} of {size:,})"
    else:
        range_ = f"(95{NBSP}% interval: {written_range(measure.scale, row.low, row.high)})"
    sign = 1 if audit.about == "risk" else -1  # the side on which a leak is seen, or a use
    near, far = sorted(sign * measure.as_risk(end) for end in (row.low, row.high))
    guessed = sign * measure.as_risk(row.chance)
    if near > guessed:
        if measure.scale != "share":
            return f"That is more than guessing gives {range_}."
        return f"That is {times(row.enrichment).removesuffix('×')} times as often as guessing {range_}."
    if far < guessed:
        return f"That is less than guessing gives {range_}: look at the checks before trusting it."
    return f"That cannot be told from guessing {range_}."


def could_see(results: Results) -> str:
    """The smallest leak that the audit could have seen; nothing where the results do not tell."""
    audit = find_audit(results.audit)
    if audit.page.could_see:
        return audit.page.could_see(results)
    row = headline(results) if results.estimates else None
    return "" if row is None or row.detectable is None else smallest_leak(audit, row)


def smallest_leak(audit: Audit, row: Measured) -> str:
    assert row.detectable is not None
    measure = audit.measure_of(row.metric)
    seen = written(measure.scale, row.detectable)
    what = f"A true rate of {seen}" if measure.scale == "share" else f"A true value of {seen}"
    side = "more" if measure.higher_is == "worse" else "less"
    return (
        f"{what} or {side} would have been told from guessing in at least 8 of 10 audits of this size; a smaller leak "
        "may go unseen."
    )


def in_words(audit: Audit, attacker: str) -> str:
    """What an attacker does, with the key; the key alone where the audit has no words for it."""
    plain = audit.attackers.get(attacker)
    return f"{plain} ({attacker})" if plain else attacker


def strongest(results: Results) -> str:
    audit = find_audit(results.audit)
    if audit.page.strongest:
        return audit.page.strongest(results)
    if audit.about == "use":
        return ""
    known = attackers(results)
    shown = in_words(audit, known[0])
    if len(known) == 1:
        return f"One attacker was tried: {shown}."
    if better := _better(audit, results, known[1:]):
        row = headline(results)
        size = size_of(row)  # as the verdict counts
        return (
            f"Shown is the strongest of the attackers who rank candidates one query at a time: {shown}. "
            f"Stronger still is {in_words(audit, better.attacker)}, with {so_many(better.value, size)} "
            f"of {size:,}. An even stronger one may exist."
        )
    return f"The strongest of {len(known)} attackers is shown: {shown}. A stronger one may exist."


def _better(audit: Audit, results: Results, others: list[str]) -> Measured | None:
    """An attacker that has no ranks, and so cannot be the headline, may do better in the very same place."""
    row, spot = headline(results), results.spot.keys
    as_risk = audit.measure_of(row.metric).as_risk
    trusted = [name for name in others if name in audit.never_headline and name in covered(results)]
    rivals = [rival for name in trusted for rival in select(results, **(spot | {"attacker": name}))]
    best = max(rivals, key=lambda rival: as_risk(rival.value), default=row)
    return best if as_risk(best.value) > as_risk(row.value) else None


def counted(count: int | None) -> str:
    """A count that may be told; fewer than the smallest cell are not counted out."""
    shown = told(count)
    return f"< {SMALLEST_CELL}" if shown is None else f"{shown:,}"


def standing(results: Results) -> tuple[str, str]:
    """The worst outcome of the audit's own checks, and what it means. Error and not-run never count as a pass.

    They tell whether the measurement is sound and nothing of how large the risk is, and must not be read as praise.
    """
    outcomes = [row.outcome for row in results.outcomes]
    worst = next((name for name in WORST_FIRST if name in outcomes), "not-run")
    if worst in ("warn", "pass") and results.spot.attacker in uncovered(results):
        worst = "not-run"
    said = {
        "error": "A control of the audit went wrong: the numbers must not be relied on until that is explained.",
        "fail": "A check of the audit failed: see below which one, and why.",
        "not-run": "The audit is incomplete: not every check was run.",
        "warn": "The audit's own checks ended with a warning: read it before deciding.",
        "pass": "The audit's own controls passed: the measurement can be relied on. Whether this "
        f"{'risk is acceptable' if results.about == 'risk' else 'use is enough'} is for you to decide.",
    }[worst]
    if left := uncovered(results):
        trust = "do not rely on those numbers" if results.about == "risk" else "nothing vouches for those numbers"
        said += f" No control covers {', '.join(left)}: {trust}."
    return worst, said


def marked_verdict(results: Results) -> str:
    """The verdict; where a control went wrong, behind a warning that cannot be missed."""
    wrong = standing(results)[0] in ("error", "fail")
    said = verdict(results)
    return f"Not reliable, a control of this audit went wrong. {said}" if wrong else said
