"""Which of two audits is the one before: a defence stands on the other side, and so does what is made from it."""

from __future__ import annotations

from leadapron.results import Inputs, Results


def looks_swapped(before: Results, after: Results) -> str | None:
    """A sentence where the sides look swapped; None where nothing says so."""
    old, new = before.inputs, after.inputs
    if set(_line(old)[1:]) & set(_line(new)[:1]):
        why = "what was audited before is made from what was audited after"
    elif old.defence and not new.defence:
        why = "a defence stands before, and none after"
    else:
        return None
    return f"The sides look swapped: {why}. What is called lower risk may be higher, and the reverse."


def _line(inputs: Inputs) -> list[str]:
    """The release and what it was made from, the nearest first; of models, the release that they were trained on."""
    own = [inputs.subject.id] if inputs.subject.kind == "release" else []
    return [*own, *inputs.subject.made_from]
