"""Which columns of a release's table say something of a patient or of a picture, beside its findings."""

from __future__ import annotations

import polars as pl

from leadapron.cohort.labels import label_names
from leadapron.release.release import ID_COLUMNS

OF_THE_TABLE = (*ID_COLUMNS, "split", "date", "follow_up", "offset")
"""Which record it is, on which side it stands and when it was made: nothing that many patients share."""


def described_by(records: pl.DataFrame) -> tuple[str, ...]:
    """Sex, age, race, view and whatever else is there; not ids, dates and findings."""
    without = {*OF_THE_TABLE, *label_names(records)}
    return tuple(name for name in records.columns if name not in without)
