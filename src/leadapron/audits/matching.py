"""Which estimates a requirement of the policy speaks of."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from leadapron.audits.measure import family
from leadapron.errors import did_you_mean
from leadapron.results import Measured

EVERYBODY = "everybody"


def select_estimates(everything: list[Measured], select: Mapping[str, str | int]) -> tuple[list[Measured], str]:
    """The estimates that fit every selector; where none does, a sentence that says at which one the last were lost."""
    estimates = everything
    for key, wanted in select.items():
        remaining = [estimate for estimate in estimates if _fits(estimate, key, wanted)]
        if not remaining:
            return [], f"The results hold no estimate with {key} {wanted!r}; {_what_is_there(estimates, key, wanted)}."
        estimates = remaining
    if "pool" not in select:
        return estimates, ""
    return _in_judged_pools(estimates, everything, math.inf if select["pool"] == "largest" else int(select["pool"]))


def _fits(estimate: Measured, key: str, wanted: str | int) -> bool:
    match key, wanted:
        case ("attacker", "strongest") | ("pool", _):
            return True
        case "group", "any":
            return estimate.group is not None
        case "group", "everybody":
            return estimate.group is None
        case "metric", _:
            return wanted in (estimate.metric, family(estimate.metric)[0])
        case "attack", _:  # the rows of one audit are matched at a time
            return True
    return estimate.has(**{key: wanted})


def _in_judged_pools(estimates: list[Measured], everything: list[Measured], most: float) -> tuple[list[Measured], str]:
    """Of each attacker the largest pool up to ``most``: who learns from known pairs has a few candidates fewer.

    A smaller pool will do only where there are no more candidates: against chance, attacks look weaker there. How many
    there are is known by the largest pool of all, in which every attacker is measured by some metric.
    """
    candidates: dict[tuple[Any, ...], int] = {}
    for row in everything:
        candidates[_whose(row)] = max(row.pool, candidates.get(_whose(row), 0))
    wanted = {whose: min(most, largest) for whose, largest in candidates.items()}
    judged = [row for row in estimates if row.pool == wanted[_whose(row)]]
    there = ", ".join(f"{pool:,}" for pool in sorted({row.pool for row in estimates}))
    size = max(wanted[_whose(row)] for row in estimates)
    missing = f"It was measured in a pool of {there}, and the one to judge is of {size:,}: audit with --pool {size}."
    return judged, missing


def _whose(row: Measured) -> tuple[Any, ...]:
    return row.attacker, *sorted((key, value) for key, value in row.at.items() if key != "pool")


def _what_is_there(estimates: list[Measured], key: str, wanted: str | int) -> str:
    values = {getattr(estimate, key, None) for estimate in estimates}
    if not values:
        return "there are none at all"
    return f"there are: {did_you_mean(str(wanted), {value or EVERYBODY for value in values})}"
