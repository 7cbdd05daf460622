"""What was released before: other releases, in which the patients of this one are looked for. Refused where they do not
fit, before anything is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from leadapron.audits.audit import Audit
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, read_release
from leadapron.release.provenance import inputs_of
from leadapron.results import Inputs

OPTION = "--against"
ARRAYS = ("image", "text")


def read_before(audit: Audit, release: Release, own: Inputs, paths: Sequence[Path]) -> tuple[Release, list[str]]:
    """The records of all of them as one release, and their ids; ``own`` is what is known of this one's files."""
    found = [(path, _read(path)) for path in paths]
    ids = [own.subject.id]
    for path, other in found:
        mine = inputs_of(path, other)["subject"]
        assert isinstance(mine, dict)
        if mine["id"] in ids:
            what = "a release is set against itself" if mine["id"] == ids[0] else "a release is given twice"
            raise ConfigError(what, where=f"{OPTION} {path}", fix="Give another release, of other days.")
        ids.append(mine["id"])
    return one_of(audit, release, [other for _, other in found]), ids[1:]


def _read(path: Path) -> Release:
    """The release; of a path that is none, the option is named with it."""
    try:
        return read_release(path)
    except DataError as error:
        raise DataError(f"{OPTION} {error}") from error


def one_of(audit: Audit, release: Release, others: Sequence[Release]) -> Release:
    """Everything that was released before in one, checked against this release."""
    for other in others:
        if other is release or _same(other, release):
            raise ConfigError("a release is set against itself", where=other.where, fix="Give another release.")
        _check(audit, release, other)
    arrays = [name for name in ARRAYS if name in audit.takes and all(name in other.arrays for other in others)]
    if not arrays:
        got = "; ".join(f"{other.where}: {', '.join(other.arrays)}" for other in others)
        needed = f"one of {', '.join(sorted(audit.takes))}, the same in all"
        raise DataError("what was released before holds nothing to search", where=OPTION, got=got, allowed=needed)
    records = pl.concat([_named(other.records, place) for place, other in enumerate(others)])
    if not set(records["patient_id"]) & set(release.records["patient_id"].cast(pl.String)):
        got = f"{records['patient_id'].n_unique():,} patients there, none of them in this release"
        raise DataError("no patient is in both releases", where=OPTION, got=got, fix="Name patients alike in both.")
    where = " and ".join(Path(other.where).name for other in others)
    return Release(
        records, {name: np.concatenate([one.arrays[name] for one in others]) for name in arrays}, where=where
    )


def _check(audit: Audit, release: Release, other: Release) -> None:
    for one in (release, other):
        if "patient_id" not in one.records.columns:
            what = "it is not known which patients are in both releases"
            raise DataError(what, where=one.where, got="no patient_id", fix="Add a column patient_id to the records.")
    mine, theirs = (_encoder(one) for one in (release, other))
    if mine and theirs and mine != theirs:
        got = " and ".join(f"{name}{f' ({weights[:12]})' if weights else ''}" for name, weights in (mine, theirs))
        raise DataError(
            "the releases are of different encoders", where=other.where, got=got, allowed="the same encoder"
        )
    for name in sorted(audit.takes & set(other.arrays)):
        width, own = other.arrays[name].shape[1], release.arrays["image"].shape[1]
        if width != own:
            got = f"{name} embeddings of {width} dimensions, and {own} here"
            raise DataError(
                "the releases are not in one space", where=other.where, got=got, allowed=f"{own} dimensions"
            )


def _encoder(release: Release) -> tuple[str, str] | None:
    """Its name, and the hashes of its weights; None where the card does not tell."""
    encoder = release.card.get("encoder")
    if not isinstance(encoder, Mapping) or "name" not in encoder:
        return None
    weights = encoder.get("weights")
    hashes = [str(one.get("sha256")) for one in weights.values()] if isinstance(weights, Mapping) else []
    return str(encoder["name"]), ",".join(sorted(hashes))


def _named(records: pl.DataFrame, place: int) -> pl.DataFrame:
    """Ids alone; those of records and reports are told apart by the release that they are of."""
    report = "report_id" if "report_id" in records.columns else "record_id"
    return records.select(
        record_id=pl.format(f"{place}/{{}}", pl.col("record_id")),
        report_id=pl.format(f"{place}/{{}}", pl.col(report)),
        patient_id=pl.col("patient_id").cast(pl.String),
    )


def _same(one: Release, other: Release) -> bool:
    if one.records["record_id"].to_list() != other.records["record_id"].to_list():
        return False
    return all(np.array_equal(one.arrays[name], other.arrays[name]) for name in one.arrays if name in other.arrays)
