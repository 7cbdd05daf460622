"""The outcome of a control or a check, which stands beside the numbers that it vouches for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Ending = Literal["pass", "warn", "fail", "error", "not-run"]
"""The last two never count as a pass."""
OUTCOMES: tuple[str, ...] = get_args(Ending)


@dataclass(frozen=True)
class Outcome:
    """A control or a check, how it ended, and why.

    A control names the attackers that it vouches for, if any; a check that is none names nobody (None).
    """

    check: str
    outcome: Ending
    reason: str
    attackers: tuple[str, ...] | None = None
