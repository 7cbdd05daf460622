"""What a user has: paths of any kind, sorted into what belongs together, each before what was made from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from leadapron.cohort import write_cohort
from leadapron.cohort.sources import SOURCES, ReadOptions, dicom_folder
from leadapron.engine.ours import claim
from leadapron.engine.private import private_folder
from leadapron.errors import ConfigError
from leadapron.release import Release
from leadapron.trials.entrants import Entrant, read_entrants
from leadapron.trials.trial_config import TrialConfig
from leadapron.trials.trial_kinds import RELEASE, kind_of

Input = Release | Path
OF_RECORDS = ("release", "cohort", "reports")
NO_BEFORE = "What was defended was not given, only the result."


@dataclass(frozen=True)
class InputGroup:
    """What is of one kind and of the same records: as it was, and its defended versions."""

    entrants: tuple[Entrant, ...]

    @property
    def kind(self) -> str:
        return self.before.kind

    @property
    def before(self) -> Entrant:
        return self.entrants[0]

    @property
    def defended(self) -> tuple[Entrant, ...]:
        return tuple(one for one in self.entrants if one.role == "defence")

    @property
    def lacks_before(self) -> bool:
        """Whether records stand here defended alone: what a defence has left out of them nobody can ask about."""
        return bool(self.before.inputs.defence) and self.kind in OF_RECORDS

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said of the group: what stands first may be defended itself. Of a run that is a setting."""
        return (NO_BEFORE,) if self.before.inputs.defence and self.kind != "run" else ()


def read_inputs(given: Sequence[Input], config: TrialConfig, *, work: Path, verify: bool = True) -> list[InputGroup]:
    """Every input, read once. DICOM folders become cohorts in ``work`` first."""
    by_kind: dict[str, list[Input]] = {}
    for one in given:
        taken = one if isinstance(one, Release) else _place(one, work)
        kind = RELEASE if isinstance(taken, Release) else kind_of(taken)
        by_kind.setdefault(kind, []).append(taken)
    groups = [_group(found, config, verify=verify) for found in by_kind.values()]
    _refuse_strangers(groups)
    return groups


def _place(path: Path, work: Path) -> Path:
    if (path / "results.json").is_file():
        fix = "Give what was audited; audits in the dossier's folder that fit are not run again."
        raise ConfigError("this is an audit, and a dossier is made of what is audited", where=path, fix=fix)
    return _as_cohort(path, work) if _holds_dicom(path) else path


def _group(given: list[Input], config: TrialConfig, *, verify: bool) -> InputGroup:
    """Whichever way round they were given: what another was made from comes first."""
    before, *afters = given
    entrants = read_entrants(before, tuple(afters), verify=verify, config=config)
    ancestors = _made_from(entrants[0])
    named = [entrant for entrant in entrants if entrant.role != "control"]
    for at, entrant in enumerate(named[1:], start=1):
        if entrant.inputs.subject.id in ancestors:
            return _group([given[at], *given[:at], *given[at + 1 :]], config, verify=verify)
    return InputGroup(tuple(entrants))


def _made_from(entrant: Entrant) -> set[str]:
    """The ids of what it was made from, as its card and that of its defence tell."""
    return {*entrant.inputs.subject.made_from, *(entrant.inputs.defence or {}).get("made_from", ())}


def _refuse_strangers(groups: list[InputGroup]) -> None:
    """One dossier is about one set of patients: a model of others would vouch for what nobody looked at."""
    named = {group.before.name: ids for group in groups if (ids := _record_ids(group.before)) is not None}
    (first, ids), *others = named.items() if named else [("", set())]
    for name, theirs in others:
        if not ids & theirs:
            raise ConfigError(
                "the inputs have no record in common, and a dossier is about one set of patients",
                got=f"{first} and {name}",
                fix="Assess each by itself.",
            )


def _record_ids(entrant: Entrant) -> set[str] | None:
    records = getattr(entrant.subject, "records", None)
    if not isinstance(records, pl.DataFrame) or "record_id" not in records.columns:
        return None
    return set(records["record_id"].cast(pl.String))


def _holds_dicom(path: Path) -> bool:
    """A folder of DICOM files, and none of our own."""
    if not path.is_dir() or (path / "cohort.json").is_file():
        return False
    return next(path.rglob("*.dcm"), None) is not None


def _as_cohort(path: Path, work: Path) -> Path:
    made = work / path.resolve().name
    if not made.exists():
        claim(private_folder(work), made.name)
        write_cohort(SOURCES[dicom_folder.NAME](path, ReadOptions()), made)
    return made
