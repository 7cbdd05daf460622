"""A release as the subject of an audit: which patients are attacked, and which ones the attacker knows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, create_model

from leadapron.audits.audit import NOTHING, Audit, Knowledge, Loaded
from leadapron.audits.audit_registry import every_audit
from leadapron.audits.released_before import read_before
from leadapron.cohort import SPLITS
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, read_release, with_split
from leadapron.release.fitting import fitted_splits, unseen_splits
from leadapron.release.provenance import has_recurring_patients, holds_of, inputs_in_memory, inputs_of
from leadapron.release.split_rule import split_note
from leadapron.results import Inputs

ALL = "all"
Split = Literal["train", "validate", "test"]


class WholeConfig(Config):
    """The audit itself deals out which patients have which part."""

    split_by: str | None = Field(
        default=None,
        description="The column that says train, validate or test. [default: split; without it a hash of the patient "
        "decides, where a split is needed]",
    )


class AgainstReads(WholeConfig):
    """Releases that are searched for the patients of this one."""

    against: tuple[Path, ...] = Field(
        default=(),
        description="Another release, or everything that was released before (may be given several times). The audit "
        "looks there for the patients of this release; most of them need not be there.",
        json_schema_extra={"option": "--against"},
    )


class TruthReads(WholeConfig):
    """What was handed over is audited with what was kept."""

    truth: Path | None = Field(
        default=None,
        description="Of a folder that `leadapron handover` wrote: the file DIR.truth, which stays in the house.",
    )


class SplitConfig(WholeConfig):
    """Which patients of a release have which part."""

    split: Literal["train", "validate", "test", "all"] | None = Field(
        default=None,
        description="Attack the patients of this split. [default: those that neither encoder nor alignment nor "
        "defence was fitted on; of an audit that sets a threshold, test]",
    )


class KnownSplitConfig(SplitConfig):
    known_split: Split | None = Field(
        default=None,
        description="The attacker who learns knows the patients of this split; the attacked one must be another.",
    )


class TunedSplitConfig(KnownSplitConfig):
    tune_split: Split | None = Field(
        default=None,
        description="Thresholds are set on the patients of this split. [default: validate, where test is attacked]",
    )


def splits_config(audit: Audit) -> type[WholeConfig]:
    """The options that an audit of a release has, by what its attacker may know."""
    if audit.split is not None:
        return _of_release(WholeConfig)
    before = "before" in audit.knows
    if "tuning" in audit.knows:
        return _of_release(TunedSplitConfig, before)
    return _of_release(KnownSplitConfig if "known" in audit.knows else SplitConfig, before)


@cache
def _of_release(splits: type[WholeConfig], before: bool = False) -> type[WholeConfig]:
    """The same options, and where the truth lies: other subjects that have splits are not handed over so."""
    bases: tuple[type[WholeConfig], ...] = (AgainstReads, TruthReads, splits) if before else (TruthReads, splits)
    return create_model(f"{splits.__name__}OfRelease{'Against' if before else ''}", __base__=bases)


def truth_of(asked: Config) -> Path | None:
    return asked.truth if isinstance(asked, TruthReads) else None


def read(
    path: Path, *, verify: bool = True, split_by: str | None = None, truth: Path | None = None
) -> tuple[Release, Inputs]:
    release = read_release(path, verify=verify, split_by=split_by, truth=truth)
    return release, Inputs.model_validate(inputs_of(path, release))


def load(audit: Audit, release: Release, inputs: Inputs | None = None, asked: WholeConfig | None = None) -> Loaded:
    """What is attacked of a release, and what the attacker knows; a release in memory is named by what it holds."""
    holds = holds_of(release)
    if missing := sorted(audit.takes - set(holds)):
        held = ", ".join(holds)
        what = f"the audit takes {' and '.join(sorted(audit.takes))}, and the release holds no {missing[0]}"
        fitting = [other.name for other in every_audit() if _fits(other, audit, holds)]
        fix = f"Such a release is audited by `leadapron audit {fitting[0]}`." if fitting else None
        raise DataError(what, where=release.where, got=held, fix=fix)
    asked = asked or splits_config(audit)()
    kept = truth_of(asked)
    told: dict[str, object] = {} if kept is None else {"truth": kept.name}
    before = None
    if isinstance(asked, AgainstReads) and asked.against:
        before, ids = read_before(audit, release, origin_of(release, inputs), asked.against)
        told |= {"against": [path.name for path in asked.against], "against_ids": ids}
    if audit.split == ALL:
        return Loaded(release, NOTHING, origin_of(release, inputs), {"split": None, **told})
    if audit.split is not None:
        release = with_split(release)
        return Loaded(release, NOTHING, origin_of(release, inputs), {"split": audit.split, **told}, notes_of(release))
    split, known, tune = (getattr(asked, name, None) for name in ("split", "known_split", "tune_split"))
    if any(name not in (None, ALL) for name in (split, known, tune)):
        release = with_split(release)
    if "tuning" in audit.knows:
        splits, known, tune = _three_sides(release, split, known, tune)
    else:
        splits = attacked_splits(release, split)
    chosen = [name for name in (*splits, known, tune) if name is not None]
    if len(set(chosen)) < len(chosen) or (not splits and (known or tune)):
        sides = {"attacked": "+".join(splits) or ALL, "known": known, "tuning": tune}
        got = ", ".join(f"{side} {name}" for side, name in sides.items() if name)
        free = next((name for name in ("test", "validate", "train") if name not in (known, tune)), "test")
        what = "attacked, known and tuning patients must be of different splits"
        raise ConfigError(what, where="--split", got=got, fix=f"Give --split {free}.")
    learnt, tuned = (None if name is None else release.of_split(name) for name in (known, tune))
    knowledge = Knowledge(learnt, tuned, before)
    said = {"split": "+".join(splits) or None, "known_split": known, "tune_split": tune}
    named = {name: value for name, value in said.items() if name in type(asked).model_fields}
    part = release.of_splits(splits) if splits else release
    return Loaded(part, knowledge, origin_of(release, inputs), named | told, notes_of(release))


def notes_of(release: Release) -> tuple[str, ...]:
    return tuple(filter(None, [split_note(release)]))


def _fits(other: Audit, audit: Audit, holds: Sequence[str]) -> bool:
    return other.about == audit.about and other.subject == "release" and other.takes <= set(holds)


def origin_of(release: Release, inputs: Inputs | None) -> Inputs:
    return inputs or Inputs.model_validate(inputs_in_memory(release))


def attacked_splits(release: Release, asked: str | None) -> tuple[str, ...]:
    """The splits under attack; none are named where all records are."""
    if asked is not None:
        return () if asked == ALL else (asked,)
    fitted, unseen = fitted_splits(release), unseen_splits(release)
    if fitted and not unseen:
        raise ConfigError(
            "something was fitted on patients of every split, so nobody is left to attack fairly",
            where=release.where,
            got="; ".join(f"{one.name}: {', '.join(one.splits)}" for one in release.fitted if one.splits),
            fix=f"Audit a release of other patients, or everybody with --split {ALL}: the verdict then says so.",
        )
    return unseen if fitted else ()


def _can_tune(release: Release) -> bool:
    """Whether there is a pair of one patient to be told from strangers; of a single patient there is none."""
    return has_recurring_patients(release.of_split("validate")) is not False


def _three_sides(
    release: Release, split: str | None, known: str | None, tune: str | None
) -> tuple[tuple[str, ...], str | None, str | None]:
    """Who is attacked, who is known, and on whom the threshold is set: different patients each.

    Where all three splits are there, test patients alone are attacked, though nothing may have been fitted on the
    validation patients either: these are worth more to an attacker who sets a threshold on them.
    """
    there = set(release.records["split"]) if "split" in release.records.columns else set()
    if split is None and there >= set(SPLITS) and "test" not in fitted_splits(release):
        split = "test"
    splits = attacked_splits(release, split)
    if splits == ("test",):
        known = known or ("train" if "train" in there else None)
        tune = tune or ("validate" if "validate" in there and _can_tune(release) else None)
    return splits, known, tune
