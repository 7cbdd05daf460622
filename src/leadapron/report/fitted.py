"""Whether a verdict counts patients on whom something of the release was fitted: then it says so."""

from __future__ import annotations

from collections.abc import Callable

from leadapron.report.results import Results


def told(verdict: Callable[[Results], str]) -> Callable[[Results], str]:
    """The verdict, with a sentence behind it where it counts such patients."""

    def whole(results: Results) -> str:
        return " ".join([verdict(results), *fitted_too(results)])

    return whole


def fitted_too(results: Results) -> list[str]:
    """The sentence, or none: audits of an older version and those of a model know nothing of splits."""
    attacked = results.content.get("attacked", {"splits": [], "fitted_on": []})
    parts = {
        f"the {part['part']} ({part['method']})": None
        for part in attacked["fitted_on"]
        if set(part["splits"]) & set(attacked["splits"])
    }
    if not parts:
        return []
    was = "were" if len(parts) > 1 else "was"
    return [f"This counts patients on whom {' and '.join(parts)} {was} fitted; of other patients fewer may be found."]
