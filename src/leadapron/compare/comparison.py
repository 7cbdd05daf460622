"""Two audits of the same records: what changed, by how much, and whether chance alone would do it."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.attacks.measures import as_risk
from leadapron.compare.changes import Change, find_changes
from leadapron.compare.pairing import MEMBERSHIP, pair_records, place_of
from leadapron.compare.swapped import looks_swapped
from leadapron.errors import DataError
from leadapron.report import Results
from leadapron.report.basis import is_verified, part_of
from leadapron.report.selection import headline
from leadapron.stats import mean_difference, share_differences


@dataclass(frozen=True)
class PairedChange:
    """The strongest attacker before against the strongest after, record by record, at the audits' headline.

    The one in the headline's own direction is ``tested``; every other difference of a comparison only describes.
    ``left_out`` records are not compared, because the attackers in ``held_out_by`` knew their pairs.
    """

    direction: str
    tested: bool
    attacker_before: str
    attacker_after: str
    protocol: str
    pool: int
    metric: str
    chance: float
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    records: int
    patients: int
    left_out: int
    held_out_by: tuple[str, ...]

    @property
    def more_risk(self) -> bool | None:
        """Whether all of the interval is on the side of more risk, or all of it on the other; None: neither."""
        low, high = sorted(as_risk(self.metric, end) for end in (self.low, self.high))
        return True if low > 0 else False if high < 0 else None


@dataclass(frozen=True)
class Comparison:
    attack: str
    before: str
    after: str
    seed: int
    warning: str | None
    """Where the sides look swapped."""
    part: str
    """Of the release: the splits that were attacked."""
    patients_named: bool
    verified: bool
    """False where the files of one of the two were not compared with their recorded hashes, by choice."""
    paired: tuple[PairedChange, ...]
    """The one that is tested comes first."""
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
        warning=looks_swapped(before, after),
        part=part_of(after),
        patients_named=before.patients_named and after.patients_named,
        verified=is_verified(before) and is_verified(after),
        paired=_paired_changes(before, after, seed),
        changes=find_changes(before, after, seed),
    )


def _paired_changes(before: Results, after: Results, seed: int) -> tuple[PairedChange, ...]:
    place = [place_of(results) for results in (before, after)]
    if place[0] != place[1]:
        said = " and ".join(f"{one['metric']} in a {one['protocol']} pool of {one['pool']}" for one in place)
        raise DataError("the headlines are of different kinds", got=said, fix="Audit both with the same pools.")
    tested = before.content["headline"]["direction"]
    chance = 0.5 if before.content["attack"] == MEMBERSHIP else headline(before)["chance"]
    changes = []
    for pairs in pair_records(before, after):
        if before.content["attack"] == MEMBERSHIP:  # AUCs, and no shares
            found = mean_difference(pairs.before, pairs.after, pairs.patients, seed=seed)
        else:
            old, new = pairs.before[:, None], pairs.after[:, None]
            found = share_differences(old, new, pairs.patients, seed=seed)[0]
        changes.append(
            PairedChange(
                direction=pairs.direction,
                tested=pairs.direction == tested,
                attacker_before=pairs.attacker_before,
                attacker_after=pairs.attacker_after,
                **place[0],
                chance=chance,
                before=found.before,
                after=found.after,
                difference=found.difference,
                low=found.low,
                high=found.high,
                p=found.p,
                records=found.n,
                patients=found.clusters,
                left_out=pairs.left_out,
                held_out_by=pairs.held_out_by,
            )
        )
    return tuple(sorted(changes, key=lambda change: not change.tested))
