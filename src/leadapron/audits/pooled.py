"""Audits that look for somebody in a pool: a policy may judge pools that they would not measure by themselves."""

from __future__ import annotations

from pydantic import Field

from leadapron.audits.audit import AuditConfig


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
