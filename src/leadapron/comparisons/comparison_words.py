"""A comparison in sentences: what is clearly lost, what is higher or lower, how sure that is, and who attacked."""

from __future__ import annotations

from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.basis import rests_on
from leadapron.audits.wording import (
    change_sentence,
    counted_of,
    difference_unit,
    lowered,
    place_of,
    title_of,
    written_difference,
)  # fmt: skip
from leadapron.comparisons.comparison import Comparison, PairedChange
from leadapron.comparisons.use_words import LOSS, worst_in_words
from leadapron.pages.numerals import NBSP, p_value

FOUND = {
    "risk": {None: "No difference could be shown", False: "The risk is lower", True: "The risk is HIGHER"},
    "use": {None: "No difference could be shown", False: "The use is higher", True: "The use is LOWER"},
}


def verdict(comparison: Comparison) -> str:
    """What is clearly lost, if anything; whether the risk or the use is higher, in natural frequencies, on how many."""
    change, audit = comparison.paired[0], find_audit(comparison.audit)
    worst = worst_in_words(list(comparison.uses))
    lost = f"{worst}. By the measure that is tested: " if worst.startswith(LOSS) else ""
    found = FOUND[audit.about][change.more_risk]
    found = lowered(found) if lost else found
    return f"{lost}{found}. {_told(audit, change)}. {_basis(audit, comparison, change)}"


def support(comparison: Comparison) -> list[str]:
    """What belongs to the verdict: a warning, the test, who attacked, who was left out, and the other direction."""
    audit = find_audit(comparison.audit)
    tested, *rest = comparison.paired
    return [
        *([comparison.warning] if comparison.warning else []),
        _difference(audit, tested),
        f"{_attackers(audit, tested)}{_left_out(audit, tested)}",
        *(
            f"Described and not tested ({place_of(audit, other.at)}): {lowered(_told(audit, other))}. "
            f"{_basis(audit, comparison, other)} {_difference(audit, other)} "
            f"{_attackers(audit, other)}{_left_out(audit, other)}"
            for other in rest
        ),
    ]


def _told(audit: Audit, change: PairedChange) -> str:
    return change_sentence(audit, change.at, change.found.before, change.found.after)


def _basis(audit: Audit, comparison: Comparison, change: PairedChange) -> str:
    units = counted_of(audit, change.at)
    patients = change.found.clusters if comparison.patients_named and units != "patients" else None
    return rests_on(change.found.n, patients, units, comparison.part, verified=comparison.verified)


def _difference(audit: Audit, change: PairedChange) -> str:
    found, measure = change.found, audit.measure_of(change.at.metric)
    p = p_value(found.p) if p_value(found.p).startswith("<") else f"= {p_value(found.p)}"
    value, low, high = (written_difference(measure, end) for end in (found.difference, found.low, found.high))
    return (
        f"Paired difference {value}{difference_unit(measure)}, 95{NBSP}% interval {low} to {high}, p {p} "
        f"({lowered(title_of(audit, change.at))})."
    )


def _attackers(audit: Audit, change: PairedChange) -> str:
    if audit.about == "use":
        return f"The method is {change.at.attacker}, before and after."
    if change.rivals == 1:
        return f"One attacker was compared: {change.attacker_before}."
    if change.attacker_before == change.attacker_after:
        return f"The strongest attacker is {change.attacker_before}, before and after."
    return f"The strongest attacker is {change.attacker_before} before and {change.attacker_after} after."


def _left_out(audit: Audit, change: PairedChange) -> str:
    if not change.left_out:
        return ""
    return (
        f" {change.left_out:,} {counted_of(audit, change.at)} are left out: {' and '.join(change.held_out_by)} learnt "
        "from their true pairs, and no attacker is judged on what it was told."
    )
