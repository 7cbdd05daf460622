"""The estimates that two audits both hold, side by side, and paired wherever the evidence tells of each record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.evidence import metrics_in_pool
from leadapron.compare.pairing import SideBySide, pair_attackers, place_of
from leadapron.report import Results
from leadapron.report.selection import SMALLEST_CELL, Estimate, groups
from leadapron.stats import PairedDifference, share_differences

KEYS = ("direction", "attacker", "group", "protocol", "pool", "metric")
Key = tuple[Any, ...]
Place = tuple[str, int, str]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Change:
    """One estimate that both audits hold. ``relative`` is the change as a fraction of before; None where that is 0.

    ``paired`` is the difference over the records that this attacker was judged on in both audits; None where the
    evidence does not tell of each record, as with groups and with numbers of whole patients.
    """

    direction: str
    attacker: str
    group: str | None
    protocol: str
    pool: int
    metric: str
    chance: float
    before: float
    before_low: float
    before_high: float
    after: float
    after_low: float
    after_high: float
    relative: float | None
    paired: PairedDifference | None


def find_changes(before: Results, after: Results, seed: int) -> tuple[Change, ...]:
    later = {_key(estimate): estimate for estimate in _shown(after)}
    both = [(old, later[_key(old)]) for old in _shown(before) if _key(old) in later]
    paired = _paired(before, after, [_key(old) for old, _ in both], seed)
    return tuple(_change(old, new, paired.get(_key(old))) for old, new in both)


def _change(old: Estimate, new: Estimate, paired: PairedDifference | None) -> Change:
    return Change(
        **{key: old[key] for key in KEYS},
        chance=old["chance"],
        before=old["value"],
        before_low=old["low"],
        before_high=old["high"],
        after=new["value"],
        after_low=new["low"],
        after_high=new["high"],
        relative=(new["value"] - old["value"]) / old["value"] if old["value"] else None,
        paired=paired,
    )


def _paired(before: Results, after: Results, keys: list[Key], seed: int) -> dict[Key, PairedDifference]:
    """All columns of an attacker and direction at once."""
    headline = place_of(before)
    found: dict[Key, PairedDifference] = {}
    for direction, attacker, both in pair_attackers(before, after):
        asked = [key for key in keys if key[:3] == (direction, attacker, None)]
        columns = _columns(both, {(protocol, pool) for *_, protocol, pool, _ in asked}, headline)
        paired = [key for key in asked if key[3:] in columns]
        if paired:
            old, new = (np.stack([columns[key[3:]][side] for key in paired], axis=1) for side in (0, 1))
            differences = share_differences(old, new, both.patients.to_numpy(), seed=seed)
            found.update(zip(paired, differences, strict=True))
    return found


def _columns(
    both: SideBySide, pools: Iterable[tuple[str, int]], headline: Mapping[str, Any]
) -> dict[Place, tuple[Floats, Floats]]:
    """What each record got before and after, by protocol, pool and metric."""
    columns = {}
    for protocol, pool in pools:
        old, new = (metrics_in_pool(rows, protocol, pool) for rows in (both.before, both.after))
        columns.update({(protocol, pool, metric): (old[metric], new[metric]) for metric in old if metric in new})
    if "above" in both.before.columns:  # recall is that at the headline; of the one-to-one matching it is not
        recall = [rows["recall"].to_numpy().astype(np.float64) for rows in (both.before, both.after)]
        columns[headline["protocol"], headline["pool"], headline["metric"]] = (recall[0], recall[1])
    return columns


def _key(estimate: Estimate) -> Key:
    return tuple(estimate[key] for key in KEYS)


def _shown(results: Results) -> list[Estimate]:
    """The estimates of everybody, and of the groups that are large enough to be shown."""
    everybody = [row for row in results.estimates if row["group"] is None and row["n"] >= SMALLEST_CELL]
    return everybody + [group.estimate for group in groups(results)]
