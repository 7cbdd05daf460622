"""Who enters a trial: a subject, its defended versions, and the controls that lie beside these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from leadapron.audits import release_subject
from leadapron.audits.release_subject import notes_of
from leadapron.cohort.image_set import ImageSet
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, with_split, with_split_by
from leadapron.release.beside import controls_beside
from leadapron.results import Inputs
from leadapron.trials.trial_config import TrialConfig
from leadapron.trials.trial_kinds import IDS, KINDS, RELEASE, in_memory, kind_of

Given = Release | ImageSet | Path
SAME_RELEASE = "Make both from the same records; --split-by COLUMN takes the same split of both."


@dataclass(frozen=True)
class Entrant:
    """A subject as it was read. A control stands beside the defence that it is ``of``."""

    name: str
    role: str
    subject: Any
    inputs: Inputs
    of: str | None = None

    @property
    def kind(self) -> str:
        """What it is: release, run, cohort, reports, signals or model."""
        return self.inputs.subject.kind

    @property
    def notes(self) -> tuple[str, ...]:
        """How its patients came to their sides, where that must be said."""
        return notes_of(self.subject) if isinstance(self.subject, Release) else ()


def read_entrants(
    before: Given, afters: tuple[Given, ...], *, verify: bool = True, config: TrialConfig | None = None
) -> list[Entrant]:
    """Each by its name, and the controls that lie beside a defended one; each is read and hashed once."""
    found: list[tuple[str, str, Given, str | None]] = [(_name(before, "before"), "before", before, None)]
    for number, after in enumerate(afters, start=1):
        name = _name(after, f"after-{number}", [name for name, *_ in found])
        found.append((name, "defence", after, None))
        if isinstance(after, Path):
            controls = sorted(folder for folder in controls_beside(after).glob("[!.]*") if folder.is_dir())
            found += [(f"{name}/{control.name}", "control", control, name) for control in controls]
    names = [name for name, *_ in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ConfigError("two entrants have the same name", got=", ".join(sorted(twice)), fix="Rename a folder.")
    config = config or TrialConfig()
    entrants = [_entrant(*one, verify=verify, config=config) for one in found]
    _check_alike(entrants)
    return entrants


def _name(given: Given, otherwise: str, taken: Sequence[str] = ()) -> str:
    """A folder's, or what was done to a subject in memory and how strongly, unless another is called that."""
    if isinstance(given, Path):
        return given.resolve().name
    if not taken:
        return "release" if isinstance(given, Release) else "images"
    done = given.card.get("defence")
    if not isinstance(done, dict):
        return otherwise
    strength = done.get("strength")
    name = str(done["method"]) if strength is None else f"{done['method']}-{strength:g}"
    return otherwise if name in taken else name


def _entrant(name: str, role: str, given: Given, of: str | None, *, verify: bool, config: TrialConfig) -> Entrant:
    subject: Any
    if isinstance(given, ImageSet):
        subject, inputs = in_memory(given, config.size)
    elif isinstance(given, Path) and (kind := kind_of(given)) != RELEASE:
        subject, inputs = KINDS[kind].read(given, config.size, verify)
    else:
        subject, inputs = _release(given, verify=verify, split_by=config.split_by)
    return Entrant(name, role, subject, inputs.model_copy(update={"release": name}), of)


def _release(given: Release | Path, *, verify: bool, split_by: str | None) -> tuple[Release, Inputs]:
    if isinstance(given, Path):
        release, inputs = release_subject.read(given, verify=verify, split_by=split_by)
    else:
        release = given if split_by is None else with_split_by(given, split_by)
        inputs = release_subject.origin_of(release, None)
    return with_split(release), inputs


def _check_alike(entrants: list[Entrant]) -> None:
    """Refused now, and not after hours: entrants are compared unit by unit, and attackers learn from some patients."""
    before, *others = entrants
    for entrant in others:
        if entrant.kind != before.kind:
            got = f"{before.name}, a {noun(before.kind)}, and {entrant.name}, a {noun(entrant.kind)}"
            raise ConfigError("a trial compares what is of one kind", got=got)
    first = _whose(before)
    for entrant in others:
        records = _whose(entrant)
        if not first.equals(records):
            raise DataError(
                f"the {noun(entrant.kind)} is not of the same records, patients and splits as the one before",
                where=entrant.name,
                got=f"{len(records):,} records, and {len(first):,} before",
                fix=SAME_RELEASE if entrant.kind == RELEASE else KINDS[entrant.kind].same,
            )


def noun(kind: str) -> str:
    """What a subject of this kind is called in a sentence."""
    return RELEASE if kind == RELEASE else KINDS[kind].noun


def _whose(entrant: Entrant) -> pl.DataFrame:
    """What must be the same of all entrants, a row per record."""
    if entrant.kind != RELEASE:
        return KINDS[entrant.kind].whose(entrant.subject)
    records: pl.DataFrame = entrant.subject.records
    if "patient_id" not in records.columns:
        what = "a trial needs patients: attackers learn from some and are judged on others"
        raise DataError(what, where=entrant.name, got=", ".join(records.columns), allowed="a column patient_id")
    return records.select(pl.col([name for name in IDS if name in records.columns]).cast(pl.String)).sort("record_id")
