"""Limits for the open world, where there is no number for them to judge: why, and how that ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leadapron.attacks.open_world import FEWEST_ALARMS, FPIR, METRIC
from leadapron.attacks.open_world_words import AGAINST
from leadapron.audits.measure import family
from leadapron.results import Measured, Results
from leadapron.results.withheld import FEWEST_PATIENTS
from leadapron.stats import Outcome

CHECK = "open world"
"""The check that says why it was not measured."""
PROBES = round(FEWEST_ALARMS / FPIR)
FEW = f"Fewer than {PROBES} were looked for."
SMALL_POOLS = "Its pools hold less than a thousandth of all candidates."
NO_RANKS = "No attacker who ranks candidates was run."
EARLIER = "These results were made before the open world was measured: audit again."
NOTHING_BEFORE = "Nothing that was released before was given (--against): nobody was looked for there."
FEW_BEFORE = (
    "In what was released before it was not measured: it takes an attacker who compares vectors, "
    f"{FEWEST_PATIENTS} with a match there, and {PROBES} in all."
)


def not_measured(estimates: Sequence[Measured], directions: Sequence[str]) -> list[Outcome]:
    """An outcome that the open world is missing in one of the directions; nothing where it was measured in all."""
    for direction in directions:
        rows = [row for row in estimates if row.has(direction=direction, protocol="random", group=None)]
        if not any(row.metric == METRIC for row in rows):
            most = max((row.n for row in rows), default=0)
            return [Outcome(CHECK, "not-run", NO_RANKS if not rows else FEW if most < PROBES else SMALL_POOLS)]
    return []


def without_open_world(results: Results, select: Mapping[str, str | int]) -> tuple[str, str] | None:
    """For an entry of a policy that is for the open world and finds no number: the gate's outcome, and the reason.

    None where there are such numbers in other places: then the gate says which.
    """
    if family(str(select["metric"]))[0] != family(METRIC)[0]:
        return None
    protocol = select.get("protocol", "random")
    if protocol == AGAINST and AGAINST not in results.details:
        return "not-applicable", NOTHING_BEFORE
    direction = select.get("direction")
    rows = [row for row in results.estimates if row.has(metric=METRIC, protocol=protocol)]
    if any(direction in (None, row.direction) for row in rows):
        return None
    if protocol == AGAINST:
        return "incomplete", FEW_BEFORE
    said = [check.reason for check in results.outcomes if check.check == CHECK]
    return "incomplete", said[0] if said else EARLIER
