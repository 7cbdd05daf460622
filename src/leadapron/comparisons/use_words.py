"""What a defence costs, in words and in a table: the worst clear change first."""

from __future__ import annotations

from leadapron.audits.wording import (
    difference_unit,
    lowered,
    title_of,
    written,
    written_change,
    written_difference,
)  # fmt: skip
from leadapron.comparisons.dumbbell import at_once
from leadapron.comparisons.use_changes import UseChange
from leadapron.pages.numerals import p_value
from leadapron.pages.page import Table, table
from leadapron.results.withheld import FEWEST_POSITIVES

LOSS = "CLEAR LOSS"
CLEAR = {"worse": "clear loss", "better": "clear gain", "no clear change": "not clear"}
HOW_CLEAR = (
    f"A change is clear if its p is below 0.05 after Holm's adjustment for the number of changes, among the means and "
    f"among single findings. A finding is told by itself if {FEWEST_POSITIVES} records have it and as many have not. A "
    "threshold that is set anew may win back some of a sensitivity or specificity."
)
COLUMNS = ("Use", "Records with it", "Before", "After", "Change", "adjusted p", "Outcome")


def worst_in_words(changes: list[UseChange]) -> str:
    """The largest clear loss, and how many there are; or that there is none."""
    losses = [change for change in changes if change.status == "worse"]
    if not changes:
        return "what it costs could not be compared"
    if not losses:
        return f"no use is clearly lost ({len(changes)} compared)"
    more = f", the largest of {len(losses)} clear losses" if len(losses) > 1 else ""
    return f"{LOSS}: {moved(losses[0])}{more}"


def moved(change: UseChange) -> str:
    """Sensitivity at 0.5, all together, from 39.0 % to 30.0 %: −9.0 (−13 to −5) percentage points, adjusted p 0.008."""
    before, after = ends(change)
    unit = difference_unit(change.audit.measure_of(change.row.metric))
    p = f"adjusted p {p_value(change.p_adjusted)}"
    return f"{lowered(name_of(change))} from {before} to {after}: {_difference(change)}{unit}, {p}"


def ends(change: UseChange) -> tuple[str, str]:
    scale = change.audit.measure_of(change.row.metric).scale
    return written(scale, change.change.before), written(scale, change.change.after)


def name_of(change: UseChange) -> str:
    """The measure, and of which finding, or of all together."""
    title, place = title_of(change.audit, change.row), at_once(change.audit, change.row)
    count = "" if change.positives is None else f" ({change.positives:,} have it)"
    return f"{title}, {place}{count}"


def cost_table(caption: str, changes: list[UseChange]) -> Table:
    """Every change that is clear, and the means, clear or not."""
    told = [change for change in changes if change.status != "no clear change" or change.positives is None]
    rows = [
        (
            f"{title_of(one.audit, one.row)}, {at_once(one.audit, one.row)}",
            "–" if one.positives is None else f"{one.positives:,}",
            *ends(one),
            _difference(one),
            p_value(one.p_adjusted),
            CLEAR[one.status],
        )
        for one in told
    ]
    return table(caption, COLUMNS, rows, numbers=6)


def _difference(change: UseChange) -> str:
    measure, found = change.audit.measure_of(change.row.metric), change.change
    value = written_difference(measure, found.difference)
    return written_change(measure, found.low, found.high, told=value)
