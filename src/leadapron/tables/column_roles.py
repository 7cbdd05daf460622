"""What each column of a table is to somebody who looks for a patient in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import polars as pl

from leadapron.cohort.labels import label_names
from leadapron.errors import ConfigError, DataError, did_you_mean
from leadapron.release.release import ID_COLUMNS, NEVER_RELEASED

PATIENT = "patient_id"
SPLIT = "split"
"""Made in the house by a hash: it tells nothing that somebody outside knows."""


@dataclass(frozen=True)
class Roles:
    """Names of columns, each in one place."""

    known: tuple[str, ...]
    """Quasi-identifiers: what others may know about a patient, and together singles somebody out."""
    findings: tuple[str, ...] = ()
    """Labels: known to those who read the report."""
    direct: tuple[str, ...] = ()
    """Ids: each is a name by itself."""
    silent: tuple[str, ...] = ()
    """The same in every row, or empty: they tell nobody apart."""
    apart: tuple[str, ...] = ()
    """Texts, paths and vectors, which other audits look at."""


def names_in(said: Iterable[str]) -> tuple[str, ...]:
    """Names of columns, given one by one or with commas between them."""
    return tuple(name.strip() for one in said for name in one.split(",") if name.strip())


def roles_of(records: pl.DataFrame, asked: Collection[str] = (), *, patient: str = PATIENT, where: str = "") -> Roles:
    """The roles of all columns; ``asked`` are the quasi-identifiers where the user names them."""
    direct = tuple(name for name in records.columns if name in (*ID_COLUMNS, patient))
    apart = tuple(
        name
        for name, kind in records.schema.items()
        if name in NEVER_RELEASED or kind.is_nested() or kind in (pl.Object, pl.Binary)
    )
    usable = [name for name in records.columns if name not in (*direct, *apart, SPLIT)]
    for name in asked:
        if name in direct:
            fix = "Name columns that others may know; ids are told apart in every audit."
            raise ConfigError("an id singles out everybody", where="--columns", got=name, fix=fix)
        if name not in usable:
            raise ConfigError("no such column", where="--columns", got=name, allowed=did_you_mean(name, usable))
    labels = set(label_names(records))
    silent = tuple(name for name in usable if records[name].n_unique() <= 1)
    known = tuple(name for name in usable if (name in asked if asked else name not in labels))
    known = tuple(name for name in known if name not in silent)
    if not known:
        got = ", ".join(asked or usable) or "no column"
        what = "no column tells patients apart: all are ids, labels, texts, empty or the same in every row"
        raise DataError(what, where=where or None, got=got, fix="Name others with --columns, if there are any.")
    findings = tuple(name for name in usable if name in labels - set(known) - set(silent))
    return Roles(known, findings, direct, silent, apart)
