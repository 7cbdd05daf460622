"""Two audits of the same records: what changed, by how much, and whether chance alone would do it."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.compare.pairing import pair_records, place_of
from leadapron.errors import DataError
from leadapron.report import Results
from leadapron.report.selection import SMALLEST_CELL, Estimate, groups
from leadapron.stats import paired_difference

KEYS = ("direction", "attacker", "group", "protocol", "pool", "metric")


@dataclass(frozen=True)
class PairedChange:
    """The strongest attacker before against the strongest after, record by record, at the audits' headline."""

    direction: str
    attacker_before: str
    attacker_after: str
    protocol: str
    pool: int
    metric: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    records: int
    patients: int


@dataclass(frozen=True)
class Change:
    """One estimate that both audits hold. ``relative`` is the change as a fraction of before; None where that is 0."""

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


@dataclass(frozen=True)
class Comparison:
    attack: str
    before: str
    after: str
    seed: int
    paired: tuple[PairedChange, ...]
    changes: tuple[Change, ...]


def compare(before: Results, after: Results, *, seed: int = 0) -> Comparison:
    """Paired differences with p-values, and side by side the estimates that both audits hold."""
    attacks = [results.content["attack"] for results in (before, after)]
    if attacks[0] != attacks[1]:
        raise DataError("results of different attacks cannot be compared", got=" and ".join(attacks))
    return Comparison(
        attack=attacks[0],
        before=before.content["title"],
        after=after.content["title"],
        seed=seed,
        paired=_paired_changes(before, after, seed),
        changes=_changes(before, after),
    )


def _paired_changes(before: Results, after: Results, seed: int) -> tuple[PairedChange, ...]:
    place = [place_of(results) for results in (before, after)]
    if place[0] != place[1]:
        said = " and ".join(f"{one['metric']} in a {one['protocol']} pool of {one['pool']}" for one in place)
        raise DataError("the headlines are of different kinds", got=said, fix="Audit both with the same pools.")
    changes = []
    for pairs in pair_records(before, after):
        found = paired_difference(pairs.before, pairs.after, pairs.patients, seed=seed)
        changes.append(
            PairedChange(
                direction=pairs.direction,
                attacker_before=pairs.attacker_before,
                attacker_after=pairs.attacker_after,
                **place[0],
                before=found.before,
                after=found.after,
                difference=found.difference,
                low=found.low,
                high=found.high,
                p=found.p,
                records=found.n,
                patients=found.clusters,
            )
        )
    return tuple(changes)


def _changes(before: Results, after: Results) -> tuple[Change, ...]:
    later = {tuple(estimate[key] for key in KEYS): estimate for estimate in _shown(after)}
    changes = []
    for old in _shown(before):
        new = later.get(tuple(old[key] for key in KEYS))
        if new is None:
            continue
        changes.append(
            Change(
                **{key: old[key] for key in KEYS},
                chance=old["chance"],
                before=old["value"],
                before_low=old["low"],
                before_high=old["high"],
                after=new["value"],
                after_low=new["low"],
                after_high=new["high"],
                relative=(new["value"] - old["value"]) / old["value"] if old["value"] else None,
            )
        )
    return tuple(changes)


def _shown(results: Results) -> list[Estimate]:
    """The estimates of everybody, and of the groups that are large enough to be shown."""
    everybody = [row for row in results.estimates if row["group"] is None and row["n"] >= SMALLEST_CELL]
    return everybody + [group.estimate for group in groups(results) if group.estimate is not None]
