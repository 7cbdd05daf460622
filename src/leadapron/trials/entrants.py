"""Who enters a trial: a release, its defended versions, and the controls that lie beside these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from leadapron.audits import release_subject
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, with_split, with_split_by
from leadapron.release.beside import controls_beside
from leadapron.results import Inputs


@dataclass(frozen=True)
class Entrant:
    """A release that enters the trial, as it was read. A control stands beside the defence that it is ``of``."""

    name: str
    role: str
    release: Release
    inputs: Inputs
    of: str | None = None


def read_entrants(
    before: Release | Path, afters: tuple[Release | Path, ...], *, verify: bool = True, split_by: str | None = None
) -> list[Entrant]:
    """The releases by name, and the controls that lie beside a defended one; each is read and hashed once."""
    found: list[tuple[str, str, Release | Path, str | None]] = [(_name(before, "release"), "before", before, None)]
    for number, after in enumerate(afters, start=1):
        name = _name(after, f"after-{number}", [name for name, *_ in found])
        found.append((name, "defence", after, None))
        if isinstance(after, Path):
            controls = sorted(card.parent for card in controls_beside(after).glob("*/release.json"))
            found += [(f"{name}/{control.name}", "control", control, name) for control in controls]
    names = [name for name, *_ in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ConfigError("two releases have the same name", got=", ".join(sorted(twice)), fix="Rename a folder.")
    entrants = [_entrant(*one, verify=verify, split_by=split_by) for one in found]
    _check_alike(entrants)
    return entrants


def _name(given: Release | Path, otherwise: str, taken: Sequence[str] = ()) -> str:
    """A folder's, or what was done to a release in memory and how strongly, unless another is called that."""
    if isinstance(given, Path):
        return given.resolve().name
    done = given.card.get("defence")
    if not taken or not isinstance(done, dict):
        return otherwise
    strength = done.get("strength")
    name = str(done["method"]) if strength is None else f"{done['method']}-{strength:g}"
    return otherwise if name in taken else name


def _entrant(
    name: str, role: str, given: Release | Path, of: str | None, *, verify: bool, split_by: str | None
) -> Entrant:
    if isinstance(given, Path):
        release, inputs = release_subject.read(given, verify=verify, split_by=split_by)
    else:
        release = given if split_by is None else with_split_by(given, split_by)
        inputs = release_subject.origin_of(release, None)
    return Entrant(name, role, with_split(release), inputs.model_copy(update={"release": name}), of)


def _check_alike(entrants: list[Entrant]) -> None:
    """Refused now, and not after hours: entrants are compared unit by unit, and attackers learn from some patients."""
    first, *others = (one.release.records for one in entrants)
    if "patient_id" not in first.columns:
        what = "a trial needs patients: attackers learn from some and are judged on others"
        raise DataError(what, where=entrants[0].name, got=", ".join(first.columns), allowed="a column patient_id")
    for entrant, records in zip(entrants[1:], others, strict=True):
        if not _whose(first).equals(_whose(records)):
            raise DataError(
                "the release is not of the same records, patients and splits as the one before",
                where=entrant.name,
                got=f"{len(records):,} records, and {len(first):,} before",
                fix="Make both from the same records; --split-by COLUMN takes the same split of both.",
            )


def _whose(records: pl.DataFrame) -> pl.DataFrame:
    named = [name for name in ("record_id", "patient_id", "split") if name in records.columns]
    return records.select(pl.col(named).cast(pl.String)).sort("record_id")
