"""Two audits of the same records: what changed, by how much, and whether chance alone would do it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leadapron.audits.audit import Audit
from leadapron.audits.basis import is_verified, part_of
from leadapron.audits.declared_rows import audit_of
from leadapron.audits.measure import PERCENTAGES
from leadapron.audits.wording import place_of, titled
from leadapron.comparisons.clear_change import more_risk
from leadapron.comparisons.pairing import (
    FEWEST_PATIENTS,
    Pairs,
    SideBySide,
    pair_strongest,
    side_by_side,
    tested_row,
    units_of,
)
from leadapron.comparisons.swapped import looks_swapped
from leadapron.comparisons.use_changes import UseChange, use_changes
from leadapron.errors import DataError
from leadapron.pages.html import framed, render_html
from leadapron.pages.terminal_text import wrapped
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, groups, select
from leadapron.stats import PairedDifference, mean_difference, share_differences

Key = tuple[object, ...]


@dataclass(frozen=True)
class PairedChange:
    """The strongest attacker before against the strongest after, unit by unit, at one place.

    The one at the headline is ``tested``; every other difference of a comparison only describes. ``left_out`` units are
    not compared, because the attackers in ``held_out_by`` knew their pairs.
    """

    at: Measured
    tested: bool
    attacker_before: str
    attacker_after: str
    found: PairedDifference
    left_out: int
    held_out_by: tuple[str, ...]
    rivals: int
    """How many attackers there were."""
    more_risk: bool | None
    """Whether all of the interval is on the side of more risk, or all of it on the other; None: neither."""


@dataclass(frozen=True)
class Change:
    """One estimate that both audits hold.

    ``paired`` is the difference over the units that this attacker was judged on in both audits; None where the evidence
    does not tell of each unit, as with groups and with numbers of whole patients.
    """

    before: Measured
    after: Measured
    paired: PairedDifference | None


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two audits of the same records, before and after: what is tested, and every number that both hold."""

    audit: str
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
    headline: str
    """The metric of the audits' own verdicts, which need not be the one that is tested."""
    paired: tuple[PairedChange, ...]
    """The one that is tested comes first."""
    changes: tuple[Change, ...]
    uses: tuple[UseChange, ...] = ()
    """Of a use: every change that can be judged, the worst clear one first."""
    title: str = ""

    def save(self, path: Path | str) -> Path:
        """Writes the comparison; the suffix picks the form: .html, .md or .json."""
        from leadapron.comparisons.comparison_page import write_comparison

        return write_comparison(self, Path(path))

    def __repr__(self) -> str:
        from leadapron.comparisons.comparison_words import support, verdict

        named = self.title or f"{self.before} → {self.after}"
        return "\n".join(map(wrapped, (named, verdict(self), *support(self))))

    def _repr_html_(self) -> str:
        from leadapron.comparisons.comparison_page import page_of

        return framed(render_html(page_of(self)), "comparison")

    @property
    def exit_code(self) -> int:
        """1 where the risk after is higher, or a use lower: all of the interval at the headline says so, or a clear
        loss by another measure or of a finding."""
        return int(bool(self.paired[0].more_risk) or any(change.status == "worse" for change in self.uses))


def compare(before: Results, after: Results, *, seed: int = 0, title: str = "") -> Comparison:
    """Paired differences with p-values, and side by side the estimates that both audits hold."""
    if before.audit != after.audit:
        raise DataError("results of different audits cannot be compared", got=f"{before.audit} and {after.audit}")
    audit, _ = audit_of(before), audit_of(after)
    if part_of(before) != part_of(after):
        fix = 'Audit both with the same --split (in Python: split="test").'
        raise DataError("the audits are of different patients", got=f"{part_of(before)} and {part_of(after)}", fix=fix)
    return Comparison(
        audit=audit.name,
        before=before.title,
        after=after.title,
        seed=seed,
        warning=looks_swapped(before, after),
        part=part_of(after),
        patients_named=before.patients_named and after.patients_named,
        verified=is_verified(before) and is_verified(after),
        headline=before.spot.metric,
        paired=_at_the_headline(audit, before, after, seed),
        changes=_changes(audit, before, after, seed),
        uses=tuple(use_changes(before, after)) if audit.about == "use" else (),
        title=title,
    )


def _at_the_headline(audit: Audit, before: Results, after: Results, seed: int) -> tuple[PairedChange, ...]:
    """The tested difference, and the same in the other direction where both audits have it.

    A number with a coordinate more is a part of it, as one finding is of the mean, and not another direction.
    """
    at = tested_row(audit, before)
    other = tested_row(audit, after)
    if (at.metric, at.at) != (other.metric, other.at):
        said = " and ".join(f"{row.metric} ({place_of(audit, row)})" for row in (at, other))
        raise DataError("the headlines are of different kinds", got=said, fix="Audit both with the same options.")
    kept = {name: value for name, value in at.at.items() if name not in audit.beside}
    later = [row.at for row in select(after, metric=at.metric)]
    alike = [row for row in select(before, metric=at.metric, **kept) if row.at.keys() == at.at.keys()]
    places = {tuple(row.at.items()): row for row in alike if row.at in later}
    described = [row for key, row in places.items() if key != tuple(at.at.items())]
    return tuple(_paired_change(audit, before, after, row, tested=row is at, seed=seed) for row in (at, *described))


def _paired_change(
    audit: Audit, before: Results, after: Results, at: Measured, *, tested: bool, seed: int
) -> PairedChange:
    measure = audit.measure_of(at.metric)
    if measure.paired is not None:
        found = measure.paired(before, after, at)
        if found is None:
            fix = "Keep the folder evidence/ beside results.json, as the audit wrote it."
            raise DataError("the two audits cannot be paired", where=before.where, got=titled(audit, at), fix=fix)
        pairs = None
    else:
        pairs = pair_strongest(audit, before, after, at)
        found = difference_of(audit, pairs, seed)
    return PairedChange(
        at=at,
        tested=tested,
        attacker_before=pairs.attacker_before if pairs else at.attacker,
        attacker_after=pairs.attacker_after if pairs else at.attacker,
        found=found,
        left_out=pairs.left_out if pairs else 0,
        held_out_by=pairs.held_out_by if pairs else (),
        rivals=pairs.rivals if pairs else 1,
        more_risk=more_risk(measure, found),
    )


def difference_of(audit: Audit, pairs: Pairs, seed: int) -> PairedDifference:
    """Shares have limits of their own; of other numbers the mean difference is redrawn."""
    if audit.measure_of(pairs.at.metric).scale in PERCENTAGES:
        sides = pairs.before[:, None], pairs.after[:, None]
        return share_differences(*sides, pairs.patients, weights=pairs.weights, seed=seed)[0]
    return mean_difference(pairs.before, pairs.after, pairs.patients, seed=seed)


def _changes(audit: Audit, before: Results, after: Results, seed: int) -> tuple[Change, ...]:
    later = {_key(row): row for row in _shown(after)}
    both = [(old, later[_key(old)]) for old in _shown(before) if _key(old) in later]
    paired = _paired(audit, before, after, both, seed)
    return tuple(Change(old, new, paired.get(_key(old))) for old, new in both)


def _paired(
    audit: Audit, before: Results, after: Results, both: list[tuple[Measured, Measured]], seed: int
) -> dict[Key, PairedDifference]:
    """Shares of the same units, which count for the same, are redrawn together."""
    found: dict[Key, PairedDifference] = {}
    together: dict[bytes, list[tuple[Key, SideBySide]]] = {}
    for old, new in both:
        measure = audit.measure_of(old.metric)
        if old.group is not None:
            continue
        if measure.paired is not None:
            if (difference := measure.paired(before, after, old)) is not None:
                found[_key(old)] = difference
            continue
        tables = units_of(audit, before, old), units_of(audit, after, new)
        if tables[0] is None or tables[1] is None:
            continue
        pair = side_by_side(tables[0], tables[1], place_of(audit, old))
        if pair.before["patient_id"].n_unique() < FEWEST_PATIENTS:
            continue
        if measure.scale not in PERCENTAGES:
            found[_key(old)] = mean_difference(*pair.values, pair.patients, seed=seed)
            continue
        same = np.sort(pair.before.select("record_id", "weight").hash_rows().to_numpy()).tobytes()
        together.setdefault(same, []).append((_key(old), pair))
    for pairs in together.values():
        keys = [key for key, _ in pairs]
        first = pairs[0][1]
        aligned = [pair if pair is first else _in_the_order_of(first, pair) for _, pair in pairs]
        columns = [np.stack([pair.values[side] for pair in aligned], axis=1) for side in (0, 1)]
        differences = share_differences(columns[0], columns[1], first.patients, weights=first.weights, seed=seed)
        found.update(zip(keys, differences, strict=True))
    return found


def _in_the_order_of(first: SideBySide, pair: SideBySide) -> SideBySide:
    order = first.before.select("record_id")
    before, after = (order.join(side, on="record_id", maintain_order="left") for side in (pair.before, pair.after))
    return SideBySide(before, after)


def _key(row: Measured) -> Key:
    return row.metric, row.attacker, row.group, *sorted(row.at.items())


def _shown(results: Results) -> list[Measured]:
    """The estimates of everybody, and of the groups that are large enough to be shown."""
    everybody = [row for row in select(results) if row.n >= SMALLEST_CELL]
    return everybody + [group.estimate for group in groups(results)]
