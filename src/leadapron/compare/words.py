"""What a comparison says in words and cells."""

from __future__ import annotations

from leadapron.compare.comparison import Change, Comparison, PairedChange
from leadapron.compare.pairing import MEMBERSHIP
from leadapron.report.numerals import interval, p_value, percent

LEVEL = 0.05
POOLS = ("random", "hard")
CAVEAT = (
    "A p-value tells whether the two audits differ by more than the choice of patients explains. It does not tell "
    "whether the risk that remains is acceptable."
)


def shown(comparison: Comparison) -> list[Change]:
    """The rows of the short table: the headline's metric, all patients together. The JSON file holds every row."""
    metrics = {pair.metric for pair in comparison.paired}
    if comparison.attack == MEMBERSHIP:
        metrics |= {"auc@top=0.01", "true-patients-above=0.9"}
    return [change for change in comparison.changes if change.metric in metrics and change.group is None]


def columns() -> list[str]:
    return ["direction", "attacker", "pool", "chance", "before", "after", "change"]


def cells(change: Change) -> list[str]:
    return [
        change.direction,
        change.attacker if change.protocol in POOLS else f"{change.attacker}, {change.metric}",
        f"{change.protocol} {change.pool:,}",
        percent(change.chance),
        f"{percent(change.before)} ({interval(change.before_low, change.before_high)})",
        f"{percent(change.after)} ({interval(change.after_low, change.after_high)})",
        "–" if change.relative is None else f"{100 * change.relative:+.0f} %",
    ]


def conclusion(change: PairedChange) -> str:
    """Whether the strongest attacker does better or worse than before, in one sentence."""
    if change.p > LEVEL:
        found = "no difference could be shown"
    else:
        found = "the risk is lower" if change.difference < 0 else "the risk is HIGHER"
    models = change.protocol == "patient"  # of membership there is no pool
    place = f"by {change.pool:,} models" if models else f"in a {change.protocol} pool of {change.pool:,}"
    before = f"{percent(change.before)} ({change.attacker_before})"
    after = f"{percent(change.after)} ({change.attacker_after})"
    return (
        f"{change.direction}: {found}. {change.metric} {place} was {before} and is {after}; "
        f"paired difference {_points(change.difference)} percentage points, "
        f"95 % interval {_points(change.low)} to {_points(change.high)}, p {_p(change.p)}; "
        f"{change.records:,} records of {change.patients:,} patients."
    )


def _points(difference: float) -> str:
    return f"{100 * difference:+.3g}"


def _p(p: float) -> str:
    written = p_value(p)
    return written if written.startswith("<") else f"= {written}"
