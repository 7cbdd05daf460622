"""Who enters a trial: a release, its defended versions, and the controls that lie beside these; or federated runs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from leadapron.attacks.federation import FederatedRun, RunConfig, load_run
from leadapron.audits import release_subject
from leadapron.audits.release_subject import notes_of
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, with_split, with_split_by
from leadapron.release.beside import controls_beside
from leadapron.results import Inputs

SAME_PATIENTS = {
    "release": "Make both from the same records; --split-by COLUMN takes the same split of both.",
    "run": "Train both on the same release, with the same hospitals, patients, public set and seed.",
}


@dataclass(frozen=True)
class Entrant:
    """A release or a run as it was read. A control stands beside the defence that it is ``of``."""

    name: str
    role: str
    subject: Any
    inputs: Inputs
    of: str | None = None

    @property
    def kind(self) -> str:
        """What it is: release or run."""
        return self.inputs.subject.kind

    @property
    def notes(self) -> tuple[str, ...]:
        """How its patients came to their sides, where that must be said."""
        return notes_of(self.subject) if isinstance(self.subject, Release) else ()


def read_entrants(
    before: Release | Path, afters: tuple[Release | Path, ...], *, verify: bool = True, split_by: str | None = None
) -> list[Entrant]:
    """The releases or runs by name, and the controls that lie beside a defended one; each is read and hashed once."""
    found: list[tuple[str, str, Release | Path, str | None]] = [(_name(before, "release"), "before", before, None)]
    for number, after in enumerate(afters, start=1):
        name = _name(after, f"after-{number}", [name for name, *_ in found])
        found.append((name, "defence", after, None))
        if isinstance(after, Path):
            controls = sorted(card.parent for card in controls_beside(after).glob("*/release.json"))
            found += [(f"{name}/{control.name}", "control", control, name) for control in controls]
    names = [name for name, *_ in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ConfigError("two entrants have the same name", got=", ".join(sorted(twice)), fix="Rename a folder.")
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
    if isinstance(given, Path) and (given / "run.json").is_file():
        loaded = load_run(given, RunConfig(), verify)
        return Entrant(name, role, loaded.subject, loaded.inputs.model_copy(update={"release": name}), of)
    if isinstance(given, Path):
        release, inputs = release_subject.read(given, verify=verify, split_by=split_by)
    else:
        release = given if split_by is None else with_split_by(given, split_by)
        inputs = release_subject.origin_of(release, None)
    return Entrant(name, role, with_split(release), inputs.model_copy(update={"release": name}), of)


def _check_alike(entrants: list[Entrant]) -> None:
    """Refused now, and not after hours: entrants are compared unit by unit, and attackers learn from some patients."""
    before, *others = entrants
    for entrant in others:
        if entrant.kind != before.kind:
            what = "releases and federated runs cannot be compared"
            raise ConfigError(what, got=f"{before.name}, a {before.kind}, and {entrant.name}, a {entrant.kind}")
    first = _whose(before)
    for entrant in others:
        records = _whose(entrant)
        if not first.equals(records):
            raise DataError(
                f"the {entrant.kind} is not of the same records, patients and splits as the one before",
                where=entrant.name,
                got=f"{len(records):,} records, and {len(first):,} before",
                fix=SAME_PATIENTS[entrant.kind],
            )


def _whose(entrant: Entrant) -> pl.DataFrame:
    """What must be the same of all entrants, a row per record."""
    if isinstance(entrant.subject, FederatedRun):
        return _dealt(entrant.subject)
    records: pl.DataFrame = entrant.subject.records
    if "patient_id" not in records.columns:
        what = "a trial needs patients: attackers learn from some and are judged on others"
        raise DataError(what, where=entrant.name, got=", ".join(records.columns), allowed="a column patient_id")
    named = [name for name in ("record_id", "patient_id", "split") if name in records.columns]
    return records.select(pl.col(named).cast(pl.String)).sort("record_id")


def _dealt(run: FederatedRun) -> pl.DataFrame:
    """Every record of every place, by a hash of what the place holds of it."""
    rows = []
    for station in (*run.hospitals.values(), run.test):
        halves = [half for half in (station.image, station.text) if half is not None]
        for row in range(len(station)):
            held = b"".join(array[row].tobytes() for array in (station.truth, *halves))
            rows.append((station.name, int(station.patients[row]), hashlib.sha256(held).hexdigest()))
    return pl.DataFrame(rows, schema=["place", "patient", "record"], orient="row")
