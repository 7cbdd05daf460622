"""Whether a verdict counts patients on whom something of the release was fitted: then it says so."""

from __future__ import annotations

from leadapron.results import Results


def fitted_too(results: Results) -> list[str]:
    """The sentence, or none: audits of a model know nothing of splits."""
    if results.attacked is None:
        return []
    parts = {
        f"the {part.part} ({part.method})": None
        for part in results.attacked.fitted_on
        if set(part.splits) & set(results.attacked.splits)
    }
    if not parts:
        return []
    was = "were" if len(parts) > 1 else "was"
    others = "of other patients fewer may be found" if results.about == "risk" else "it may be of less use for others"
    return [f"This counts patients on whom {' and '.join(parts)} {was} fitted; {others}."]
