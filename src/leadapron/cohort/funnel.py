"""The funnel: how many rows each step kept and dropped, and why."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One step from what was there to what was kept."""

    what: str
    kept: int
    dropped: int
    why: str = ""


@dataclass(frozen=True)
class Funnel:
    """The steps that made a cohort, in order. Immutable: a further step makes a new funnel."""

    steps: tuple[Step, ...] = ()

    @classmethod
    def start(cls, what: str, rows: int) -> Funnel:
        return cls((Step(what, rows, 0),))

    def then(self, what: str, kept: int, why: str = "") -> Funnel:
        """The funnel with one more step, which kept this many of the rows that the step before had kept."""
        return Funnel((*self.steps, Step(what, kept, self.steps[-1].kept - kept, why)))

    def in_words(self) -> str:
        """The table as one line, for an error message."""
        steps = (f"{step.what}: {step.kept:,} kept, {step.dropped:,} dropped" for step in self.steps)
        reasons = (f" ({step.why})" if step.why else "" for step in self.steps)
        return "; ".join(step + reason for step, reason in zip(steps, reasons, strict=True))

    def __str__(self) -> str:
        """The table that the loaders print."""
        width = max(len(what) for what in ("step", *(step.what for step in self.steps)))
        lines = [f"{'step':<{width}}  {'kept':>9}  {'dropped':>9}  why"]
        lines += [
            f"{step.what:<{width}}  {step.kept:>9,}  {step.dropped:>9,}  {step.why}".rstrip() for step in self.steps
        ]
        return "\n".join(lines)
