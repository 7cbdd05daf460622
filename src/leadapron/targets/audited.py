"""Who is dealt to the models: the audited records, what is learnt of them, and who is in which model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort.labels import with_known_labels
from leadapron.cohort.truth import Labels, labels_of
from leadapron.engine.twins import rows_of_twins
from leadapron.errors import ConfigError, DataError

AUDITED = "train"
"""The split whose patients are dealt to the models; those of the others are held out from all."""
KEPT = ("record_id", "patient_id", "sex", "age", "race", "view", "source")
CLASS = "label"
FEWEST_MODELS = 8
STREAM = 1
"""Masks have their own stream of random numbers, apart from all that the models draw."""


def target_labels(records: pl.DataFrame, audited: NDArray[np.bool_], where: str) -> Labels:
    """Those with both classes among the audited records, of all records; what is unknown teaches nothing."""
    labels = labels_of(records, where)
    learnt = np.flatnonzero(labels.rows(audited).both_classes())
    if not len(learnt):
        raise DataError(
            "no label can be learnt: none has positive and negative audited records",
            where=where,
            got=", ".join(labels.column_names) or "no column label_*",
            allowed="columns label_<finding> with 1, 0 or null",
        )
    return labels.columns(learnt)


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


def balanced_masks(patients: NDArray[np.int64], models: int, seed: int) -> NDArray[np.bool_]:
    """Models by records, given the patient's number of each record.

    Every patient is dealt to half of the models by itself, all halves being equally likely: with every patient in as
    many models as out of them, no record has fewer models on one side than the audit counts on.
    """
    if models < FEWEST_MODELS or models % 2:
        raise ConfigError(
            "patients cannot be in half of so many models", got=models, allowed=f"even, {FEWEST_MODELS} or more"
        )
    rng = np.random.default_rng([seed, STREAM])
    half = np.arange(models) < models // 2
    of_patients = rng.permuted(np.repeat(half[:, None], int(patients.max()) + 1, axis=1), axis=0)
    one_sided = of_patients.all(axis=1) | ~of_patients.any(axis=1)
    if one_sided.any():
        raise DataError(
            f"model {int(one_sided.argmax())} was dealt all patients or none: there are too few to audit",
            got=f"{of_patients.shape[1]} patients",
        )
    members: NDArray[np.bool_] = of_patients[:, patients]
    return members
