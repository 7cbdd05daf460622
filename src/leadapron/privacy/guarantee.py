"""The guarantee: what a defence promises, to whom, and what it does not. Printed only where it is proved."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from leadapron.errors import ConfigError

KINDS = ("differential privacy", "k-anonymity", "none")
UNITS = ("patient", "record", "vector")


@dataclass(frozen=True)
class Guarantee:
    """What is proved about a defence, with a paragraph that a board can read.

    ``unit`` is whose contribution is protected; a promise for a ``vector`` holds where only that one is known of a
    patient. ``epsilon`` and ``delta`` are set only for differential privacy that is proved: a number that a method
    prints without a proof belongs into ``details`` under a name that says so.
    """

    kind: str
    unit: str | None = None
    epsilon: float | None = None
    delta: float | None = None
    statement: str = ""
    details: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        where = "guarantee"
        if self.kind not in KINDS:
            raise ConfigError("unknown kind", where=where, got=self.kind, allowed=", ".join(KINDS))
        if self.unit is not None and self.unit not in UNITS:
            raise ConfigError("unknown unit", where=where, got=self.unit, allowed=f"{', '.join(UNITS)} or none")
        if not self.statement.strip():
            raise ConfigError("a guarantee without words", where=where, fix="Say what is promised, and what is not.")
        proved = self.kind == "differential privacy"
        if (self.epsilon is not None, self.delta is not None) != (proved, proved):
            raise ConfigError(
                "epsilon and delta belong to differential privacy, and to nothing else",
                where=where,
                got=(self.kind, self.epsilon, self.delta),
            )
        if (self.unit is not None) != (self.kind != "none"):
            raise ConfigError("a promise names whom it protects", where=where, got=(self.kind, self.unit))
        if self.epsilon is not None and not (math.isfinite(self.epsilon) and self.epsilon >= 0):
            raise ConfigError("not an epsilon", where=where, got=self.epsilon, allowed="a finite number of 0 or more")
        if self.delta is not None and not 0 <= self.delta < 1:
            raise ConfigError("not a delta", where=where, got=self.delta, allowed="0 or more, less than 1")
        try:
            json.dumps(dict(self.details), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"details that JSON cannot hold ({error})", where=where) from error

    def as_dict(self) -> dict[str, object]:
        """For the card of a release."""
        return {
            "kind": self.kind,
            "unit": self.unit,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "statement": self.statement,
            "details": dict(self.details),
        }
