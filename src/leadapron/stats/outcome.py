"""The outcome of a control or a check, which stands beside the numbers that it vouches for."""

from __future__ import annotations

from dataclasses import dataclass

OUTCOMES = ("pass", "warn", "fail", "error", "not-run")
"""The last two never count as a pass."""


@dataclass(frozen=True)
class Outcome:
    """A control or a check, how it ended, and why; of a control, which attackers it vouches for."""

    check: str
    outcome: str
    reason: str
    attackers: tuple[str, ...] = ()
