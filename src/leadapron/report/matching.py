"""Which estimates a requirement of the policy speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leadapron.errors import did_you_mean

EVERYBODY = "everybody"


def select_estimates(
    estimates: list[dict[str, Any]], select: Mapping[str, str | int]
) -> tuple[list[dict[str, Any]], str]:
    """The estimates that fit every selector; where none does, a sentence that says at which one the last were lost."""
    for key, wanted in select.items():
        remaining = [estimate for estimate in estimates if _fits(estimate, key, wanted)]
        if not remaining:
            return [], f"The results hold no estimate with {key} {wanted!r}; {_what_is_there(estimates, key, wanted)}."
        estimates = remaining
    return _largest_pools(estimates) if select.get("pool") == "largest" else estimates, ""


def _fits(estimate: dict[str, Any], key: str, wanted: str | int) -> bool:
    match key, wanted:
        case ("attacker", "strongest") | ("pool", "largest"):
            return True
        case "group", "any":
            return estimate["group"] is not None
        case "group", "everybody":
            return estimate["group"] is None
    return bool(estimate[key] == wanted)


def _largest_pools(estimates: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of each attacker the largest pool: who learns from known pairs has a few candidates fewer than the others."""
    largest: dict[tuple[Any, ...], dict[str, Any]] = {}
    for estimate in sorted(estimates, key=lambda estimate: int(estimate["pool"])):
        largest[tuple(estimate[key] for key in ("direction", "protocol", "group", "attacker"))] = estimate
    return list(largest.values())


def _what_is_there(estimates: list[dict[str, Any]], key: str, wanted: str | int) -> str:
    values = {estimate[key] for estimate in estimates}
    if not values:
        return "there are none at all"
    if key == "pool":
        return f"there are {', '.join(f'{pool:,}' for pool in sorted(values))}"
    return f"there are: {did_you_mean(str(wanted), {value or EVERYBODY for value in values})}"
