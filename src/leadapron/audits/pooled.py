"""Audits that look for somebody in a pool: a policy may judge pools that they would not measure by themselves."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from leadapron.audits.audit import AuditConfig
from leadapron.errors import ConfigError


class PooledConfig(AuditConfig):
    """With the pools that a policy judges, beside those that were asked for by size."""

    judged_pools: tuple[int, ...] = Field(
        default=(),
        description="Pools that a policy judges; the verdict of the audit is read off the largest.",
        json_schema_extra={"option": None},
    )

    def judged(self, most: int) -> list[int]:
        """Those pools, the largest last; one that there are too few candidates for becomes the largest possible."""
        return sorted({min(pool, most) for pool in self.judged_pools})


def check_each_once(attackers: Sequence[str]) -> None:
    """Refuses an attacker who is named twice: every number of an audit is of one attacker."""
    if twice := next((name for name in attackers if attackers.count(name) > 1), None):
        raise ConfigError("an attacker is given twice", where="--attacker", got=twice, fix="Name each once.")
