"""The policy: thresholds that other people own, each with its reason, its source, and what it was made for."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from leadapron.audits.audit import Audit
from leadapron.errors import ConfigError

RANDOM = "random"
"""The protocol whose pools an audit can be told to measure; other pools are its own."""


@dataclass(frozen=True)
class Requirement:
    """Which estimates are judged, and how high they may be; or how low, where lower is worse."""

    id: str
    select: Mapping[str, str | int]
    limits: Mapping[str, float]
    why: str
    source: str
    scope: str = "attack"
    """The kind of number that the limit was made for: table, attack or use."""
    first_hand: bool | None = None
    """Whether the source itself was read; None where the policy does not say."""
    read_in: str = ""
    """Where the number was read instead."""

    @property
    def attack(self) -> str:
        return str(self.select["attack"])

    def limit_at(self, chance: float) -> float:
        """In the measure's own unit, where guessing gives ``chance``; of two limits the stricter one."""
        if "at_least" in self.limits:
            return self.limits["at_least"]
        return min(self.limits.get("at_most", math.inf), self.limits.get("at_most_enrichment", math.inf) * chance)


@dataclass(frozen=True)
class Criterion:
    """A question that must have been examined by every audit of ``attacks`` that fits what was audited. No limit.

    Those that have ``metric`` among their measures must have measured it.
    """

    id: str
    attacks: tuple[str, ...]
    why: str
    source: str
    metric: str = ""
    first_hand: bool | None = None
    read_in: str = ""


@dataclass(frozen=True)
class Control:
    """A check of the audit itself that must have passed; of whichever audit has it, where no attack is named."""

    check: str
    why: str
    source: str
    attack: str | None = None


@dataclass(frozen=True)
class Policy:
    title: str
    requirements: tuple[Requirement, ...]
    controls: tuple[Control, ...] = ()
    criteria: tuple[Criterion, ...] = ()

    @property
    def entries(self) -> tuple[Requirement | Criterion, ...]:
        """All that is asked of numbers: limits, and then what must be examined."""
        return (*self.requirements, *self.criteria)

    def only(self, attacks: Collection[str]) -> Policy:
        """The limits and controls for these attacks."""
        return Policy(
            self.title,
            tuple(entry for entry in self.requirements if entry.attack in attacks),
            tuple(entry for entry in self.controls if entry.attack is None or entry.attack in attacks),
            self.criteria,
        )

    def asked(self, audit: Audit) -> dict[str, tuple[float, ...]]:
        """What an audit must be told to measure so that it can be judged, as options of its configuration.

        Pools, and the parameters of metrics that are options: ``small-cells@k=15`` asks for ``k`` of 15.
        """
        entries = [entry for entry in self.requirements if entry.attack == audit.name]
        found: list[tuple[str, float]]
        found = [("judged_pools", pool) for entry in entries if (pool := _random_pool(entry)) is not None]
        for entry in entries:
            name, _, number = str(entry.select["metric"]).partition("=")
            _, at, option = name.rpartition("@")
            if at and number:
                found.append((option, int(number) if number.isdigit() else float(number)))
        options = {key for key, _ in found} & set(audit.config.model_fields)
        return {name: tuple(sorted({number for key, number in found if key == name})) for name in sorted(options)}


def _random_pool(entry: Requirement) -> int | None:
    """The pool that is judged; "largest" is measured unasked, and so are pools that are no random ones."""
    pool = entry.select.get("pool")
    return pool if isinstance(pool, int) and entry.select.get("protocol", RANDOM) == RANDOM else None


def together(policies: Sequence[Policy]) -> Policy:
    """Several policies as one: limits of tables and of attacks usually come from two places."""
    requirements = tuple(entry for policy in policies for entry in policy.requirements)
    criteria = tuple(entry for policy in policies for entry in policy.criteria)
    controls = dict.fromkeys(entry for policy in policies for entry in policy.controls)
    joined = Policy(" + ".join(policy.title for policy in policies), requirements, tuple(controls), criteria)
    names = [entry.id for entry in joined.entries]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        fix = "Leave one of the policies out, or rename its entry."
        raise ConfigError("two policies have an entry of one name", got=twice[0], fix=fix)
    return joined
