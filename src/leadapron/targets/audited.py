"""The records that are dealt to the models, as the audit will read them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from leadapron.cohort.labels import with_known_labels
from leadapron.engine.twins import rows_of_twins
from leadapron.errors import DataError
from leadapron.targets.labels import AUDITED

KEPT = ("record_id", "patient_id", "sex", "age", "race", "view", "source")
CLASS = "label"


def audited_records(records: pl.DataFrame, labels: Sequence[str], where: str) -> pl.DataFrame:
    """The split 'train', or all where nothing is split: ids, attributes, and ``labels`` as 1, 0 or null (unknown).

    Without ``labels`` the column ``label`` is kept, if there is one, which holds a class a record.
    """
    for column in ("record_id", "patient_id"):
        if column not in records.columns or records[column].null_count():
            raise DataError(f"every record needs a {column}", where=where, got=", ".join(records.columns))
    records = with_known_labels(records, where=where)
    if "split" in records.columns:
        records = records.filter(pl.col("split").cast(pl.String) == AUDITED)
    if not len(records):
        raise DataError(f"no record is of the split {AUDITED!r}, whose patients are audited", where=where)
    if records["record_id"].is_duplicated().any():
        got = f"{rows_of_twins(records['record_id'])} of the audited records"
        raise DataError("a record is there twice", where=where, got=got)
    kept = records.select(name for name in KEPT if name in records.columns)
    if labels:
        return kept.hstack(records.select(labels))
    return kept.hstack([_classes(records, where)]) if CLASS in records.columns else kept


def _classes(records: pl.DataFrame, where: str) -> pl.Series:
    values = records[CLASS].cast(pl.Float64, strict=False)
    fine = ((values >= 0) & (values == values.round()) & values.is_finite()).fill_null(False)
    if not fine.all():
        at = int(fine.arg_min() or 0)
        got = f"{records[CLASS][at]} in row {at} of the audited records"
        raise DataError("not a class", where=where, got=got, allowed="0, 1, 2 and so on")
    return values.cast(pl.Int64)
