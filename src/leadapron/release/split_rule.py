"""Which side each record is on: by the release's own split, by another column of it, or by a hash of the patient.

Whoever trains, fits or judges asks here. What was not the release's own split is written into its card, goes along with
whatever is made from the release, and is said on every page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from leadapron.cohort.split import SPLITS, check_split, split_by_patient
from leadapron.errors import DataError, did_you_mean
from leadapron.release.release import Release

SEED = 0
"""The same in every command, whatever seed it is given: a patient is on one side before and after a defence."""
CARD_KEY = "split_from"
MOST_LISTED = 10


def with_split(release: Release) -> Release:
    """The release, with a split if it has none: a hash of the patient's id decides, or of the record's without any."""
    if "split" in release.records.columns:
        return release
    unit = "patient" if "patient_id" in release.records.columns else "record"
    split = split_by_patient(release.records[f"{unit}_id"], SEED)
    return _on_sides(release, release.records.with_columns(split), {CARD_KEY: {"hash_of": unit, "seed": SEED}})


def with_split_by(release: Release, column: str) -> Release:
    """The release with ``column`` as its split, which takes the place of one that it has."""
    if column not in release.records.columns and _split_from(release).get("column") == column:
        return release  # made from a release of which this column was taken
    records = split_by_column(release.records, column, release.where)
    return _on_sides(release, records, taken(column))


def split_by_column(records: pl.DataFrame, column: str, where: str) -> pl.DataFrame:
    """The records with ``column`` under the name 'split'."""
    if column not in records.columns:
        raise DataError(
            f"there is no column {column!r} to split by",
            where=where,
            allowed=did_you_mean(column, records.columns),
            fix="A release that leadapron made has it after `leadapron encode --keep-column` or `leadapron defend "
            "METHOD --split-by`.",
        )
    sides = records[column].cast(pl.String).fill_null("(empty)")
    found = sides.unique().sort()
    if not found.is_in(SPLITS).all():
        listed = ", ".join(found) if len(found) <= MOST_LISTED else f"{len(found):,} different values"
        raise DataError(f"column {column!r} is no split", where=where, got=listed, allowed=", ".join(SPLITS))
    records = records.with_columns(sides.alias("split"))
    if "patient_id" in records.columns:
        check_split(records, where, called=column)
    return records if column == "split" else records.drop(column)


def split_note(release: Release) -> str:
    """For people: how the records came to their sides; nothing where the release says so itself."""
    source = _split_from(release)
    if "column" in source:
        return taken_as_split(str(source["column"]))
    if "hash_of" in source:
        dealt = f"its {source['hash_of']}s were dealt to {', '.join(SPLITS[:-1])} and {SPLITS[-1]}"
        return f"The release names no split of its own: {dealt} by a hash of their ids."
    return ""


def taken(column: str) -> dict[str, object]:
    """For the card of a release whose split was this column; its own needs no word."""
    return {} if column == "split" else {CARD_KEY: {"column": column}}


def taken_as_split(column: str) -> str:
    return f"The column {column!r} was taken as the split."


def _split_from(release: Release) -> Mapping[str, object]:
    source = release.card.get(CARD_KEY)
    return source if isinstance(source, Mapping) else {}


def _on_sides(release: Release, records: pl.DataFrame, said: Mapping[str, object]) -> Release:
    """What had been fitted was fitted on the same patients, who may be on other sides now."""
    fitted = tuple(one.on_sides(release.records, records) for one in release.fitted)
    return replace(release, records=records, card={**release.card, **said}, fitted=fitted)
