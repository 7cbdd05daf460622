"""What a comparison says in sentences and cells."""

from __future__ import annotations

from collections.abc import Iterable

from leadapron.compare.changes import Change
from leadapron.compare.comparison import Comparison, PairedChange
from leadapron.compare.names import direction_name, place_name
from leadapron.compare.pairing import MEMBERSHIP
from leadapron.report.basis import rests_on
from leadapron.report.linkage.words import NOUNS
from leadapron.report.numerals import NBSP, interval, out_of, p_value, percent, round_percent, significant, so_many

MEMBERSHIP_METRICS = {"auc@top=0.01", "true-patients-above=0.9"}
COLUMNS = ("Attacker", "Before", "After", "Difference, points", "p")
CAVEAT = (
    "A p-value tells whether the two audits differ by more than the choice of patients explains. It does not tell "
    "whether the risk that remains is acceptable."
)
ONE_TEST = (
    "One difference is tested: that of the verdict, whose direction, pool and measure are the audits' headline. All "
    "others only describe: their p-values are not adjusted for their number, and of many a few are small by chance."
)
IN_BRACKETS = (
    f"In brackets the 95{NBSP}% interval; patients are its units. A difference is paired, the same attacker on the "
    "same records before and after; judge by its interval and not by whether the other two overlap. A dash stands "
    "where what each record got is not kept."
)


def shown(comparison: Comparison) -> list[Change]:
    """The rows of the first tables: the headline's metric, all patients together, attackers side by side in a pool."""
    metrics = {pair.metric for pair in comparison.paired}
    if comparison.attack == MEMBERSHIP:
        metrics |= MEMBERSHIP_METRICS
    return _by_pool(change for change in comparison.changes if change.metric in metrics and change.group is None)


def others(comparison: Comparison) -> list[Change]:
    """The other rows that are paired; the JSON file holds every row."""
    first = shown(comparison)
    return _by_pool(change for change in comparison.changes if change.paired and change not in first)


def tables(rows: list[Change]) -> dict[str, list[list[str]]]:
    """The rows' cells, a table for each measure and pool by its name."""
    found: dict[str, list[list[str]]] = {}
    for change in rows:
        name = f"{place_name(change)} (guessing: {round_percent(change.chance)})"
        found.setdefault(name, []).append(cells(change))
    return found


def directions(rows: list[Change]) -> list[str]:
    return list(dict.fromkeys(change.direction for change in rows))


def _by_pool(rows: Iterable[Change]) -> list[Change]:
    return sorted(rows, key=lambda change: (change.protocol != "random", change.pool))


def cells(change: Change) -> list[str]:
    paired = change.paired
    return [
        change.attacker,
        f"{percent(change.before)} ({interval(change.before_low, change.before_high)})",
        f"{percent(change.after)} ({interval(change.after_low, change.after_high)})",
        f"{points(paired.difference)} ({points(paired.low)} to {points(paired.high)})" if paired else "–",
        p_value(paired.p) if paired else "–",
    ]


def verdict(comparison: Comparison) -> str:
    """Whether the strongest attacker does better or worse than before, in natural frequencies, and on how many."""
    change = comparison.paired[0]
    return f"{_found(change)}: {_frequencies(change)}. {_basis(comparison, change)}"


def _basis(comparison: Comparison, change: PairedChange) -> str:
    by_patient = change.protocol == "patient"
    what = "patients" if by_patient else _queries(change)
    patients = change.patients if comparison.patients_named and not by_patient else None
    return rests_on(change.records, patients, what, comparison.part, verified=comparison.verified)


def support(comparison: Comparison) -> list[str]:
    """What belongs to the verdict: a warning, the test, who attacked, who was left out, and the other direction."""
    tested, *rest = comparison.paired
    return [
        *([comparison.warning] if comparison.warning else []),
        _difference(tested),
        f"{_attackers(tested)}{_left_out(tested)}",
        *(
            f"The other direction, {direction_name(other.direction)}, is described and not tested: "
            f"{_frequencies(other)}. {_basis(comparison, other)} {_difference(other)} "
            f"{_attackers(other)}{_left_out(other)}"
            for other in rest
        ),
    ]


def points(difference: float) -> str:
    """Percentage points, with a sign and a true minus."""
    size = significant(100 * abs(difference))
    return size if size == "0" else f"{'−' if difference < 0 else '+'}{size}"


def _found(change: PairedChange) -> str:
    return {None: "No difference could be shown", False: "The risk is lower", True: "The risk is HIGHER"}[
        change.more_risk
    ]


def _frequencies(change: PairedChange) -> str:
    size = 100 if change.protocol == "patient" else out_of(change.chance, change.records)
    before, after, guess = (so_many(share, size) for share in (change.before, change.after, change.chance))
    if change.protocol == "patient":
        return (
            f"in {size} comparisons, a model that learnt from a patient is told from one that did not {before} times "
            f"before and {after} times after; guessing would be right {guess} times ({change.pool:,} models)"
        )
    if change.direction in NOUNS:
        queries, _ = NOUNS[change.direction]
        sought = place_name(change)
        what = f"the strongest attacker finds the {sought[0].lower()}{sought[1:]},"
    else:
        queries, what = (
            "radiographs",
            f"the strongest attacker finds the right patient first in a gallery of {change.pool:,}",
        )
    return f"of {size:,} {queries}, {what} for {before} before and {after} after; guessing would find {guess}"


def _difference(change: PairedChange) -> str:
    written = p_value(change.p)
    p = written if written.startswith("<") else f"= {written}"
    return (
        f"Paired difference {points(change.difference)} percentage points, "
        f"95{NBSP}% interval {points(change.low)} to {points(change.high)}, p {p}."
    )


def _attackers(change: PairedChange) -> str:
    if change.attacker_before == change.attacker_after:
        return f"The strongest attacker is {change.attacker_before}, before and after."
    return f"The strongest attacker is {change.attacker_before} before and {change.attacker_after} after."


def _left_out(change: PairedChange) -> str:
    if not change.left_out:
        return ""
    return (
        f" {change.left_out:,} {_queries(change)} are left out: {' and '.join(change.held_out_by)} learnt from their "
        "true pairs, and nobody is judged on what they were told."
    )


def _queries(change: PairedChange) -> str:
    return NOUNS[change.direction][0] if change.direction in NOUNS else "radiographs"
