"""The cohort: an immutable table of records and the funnel that made it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort.funnel import Funnel, Step
from leadapron.cohort.labels import LABEL_COLUMNS, check_labels
from leadapron.cohort.split import check_split, split_by_patient
from leadapron.engine.files import atomic_folder
from leadapron.engine.twins import rows_of_twins
from leadapron.errors import DataError

ID_COLUMNS = ("record_id", "patient_id", "study_id")
TEXT_COLUMNS = ("view", "report", "image_path")


@dataclass(frozen=True)
class Cohort:
    """Records, one a row, with the columns

    - ``record_id`` (unique), ``patient_id``, ``study_id``: text; the images of a study share its report
    - ``view``: ``AP``, ``PA`` or null; ``report``: text or null; ``image_path``: text or null
    - ``label_*``: the 14 findings as 1, 0 or null (unknown)
    - ``split``: ``train``, ``validate`` or ``test``
    - any attributes (``age``, ``sex``, ``race``, ``date`` …)

    ``card`` is what else is known of it: where it was defended, ``defence`` tells how and what is promised.
    """

    name: str
    records: pl.DataFrame
    funnel: Funnel
    card: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        records, where = self.records, self.name
        for column in (*ID_COLUMNS, *TEXT_COLUMNS, *LABEL_COLUMNS, "split"):
            if column not in records.columns:
                raise DataError(f"column {column!r} is missing", where=where, got=", ".join(records.columns))
        for column in (*ID_COLUMNS, *TEXT_COLUMNS, "split"):
            if records[column].dtype != pl.String:
                raise DataError(
                    f"column {column!r} is not text", where=where, got=str(records[column].dtype), allowed="String"
                )
        if not len(records):
            raise DataError(f"no record is left: {self.funnel.in_words()}", where=where)
        for column in ID_COLUMNS:
            empty = records[column].fill_null("") == ""
            if empty.any():
                raise DataError(f"column {column!r} is empty in row {empty.arg_true()[0] + 1}", where=where)
        twice = records["record_id"].is_duplicated()
        if twice.any():
            raise DataError(
                f"column 'record_id' holds the same id more than once ({int(twice.sum())} rows)",
                where=where,
                got=rows_of_twins(records["record_id"], counted_from=1),
                allowed="unique ids",
            )
        check_labels(records, where=where)
        check_split(records, where=where)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def patients(self) -> int:
        return self.records["patient_id"].n_unique()

    @property
    def handed_on(self) -> dict[str, object]:
        """Of the card, what holds for every release that is made of it."""
        return {key: value for key, value in self.card.items() if key == "defence"}

    def labels(self) -> NDArray[np.float32]:
        """The labels as a matrix of 1, 0 and NaN (unknown), a column a finding."""
        return self.records.select(LABEL_COLUMNS).cast(pl.Float32).fill_null(float("nan")).to_numpy()

    def keep(self, condition: pl.Expr, what: str, why: str = "") -> Cohort:
        """The records that meet the condition, with the step in the funnel."""
        kept = self.records.filter(condition)
        funnel = self.funnel if self.funnel.steps else Funnel.start("records", len(self))
        return replace(self, records=kept, funnel=funnel.then(what, len(kept), why))


def build_cohort(
    name: str, table: pl.DataFrame, funnel: Funnel, *, seed: int = 0, official_split: bool = False
) -> Cohort:
    """A cohort from a source's table: columns that the source does not have are added as unknown.

    ``official_split`` takes the table's own ``split`` column; otherwise patients are split by their id.
    """
    if official_split and "split" not in table.columns:
        raise DataError("this source has no official split", where=name, fix="Leave --official-split out.")
    for column in ID_COLUMNS:
        if column not in table.columns:
            raise DataError(f"column {column!r} is missing", where=name, got=", ".join(table.columns))
    absent = [column for column in (*TEXT_COLUMNS, *LABEL_COLUMNS) if table.schema.get(column, pl.Null) == pl.Null]
    unknown = [pl.lit(None, dtype=pl.String if column in TEXT_COLUMNS else pl.Int8).alias(column) for column in absent]
    table = table.with_columns(pl.col(*ID_COLUMNS).cast(pl.String), *unknown)
    if not official_split:
        table = table.with_columns(split_by_patient(table["patient_id"], seed))
    leading = [*ID_COLUMNS, "split", *TEXT_COLUMNS, *LABEL_COLUMNS]
    attributes = [column for column in table.columns if column not in leading]
    return Cohort(name, table.select(*leading, *attributes), funnel)


def write_cohort(cohort: Cohort, folder: Path, *, overwrite: bool = False) -> None:
    """A folder with ``records.parquet`` and ``cohort.json`` (name, funnel and card), whole or not at all.

    It is for its owner's eyes alone: the reports stand in it.
    """
    with atomic_folder(folder, overwrite=overwrite, private=True) as partial:
        write_cohort_files(cohort, partial)


def write_cohort_files(cohort: Cohort, folder: Path) -> None:
    """The files of a cohort, into a folder that the caller makes whole."""
    cohort.records.write_parquet(folder / "records.parquet")
    steps = [[step.what, step.kept, step.dropped, step.why] for step in cohort.funnel.steps]
    described = {"name": cohort.name, "funnel": steps, **cohort.card}
    (folder / "cohort.json").write_text(json.dumps(described, indent=1))


def is_cohort(folder: Path) -> bool:
    return (folder / "cohort.json").is_file()


def read_cohort(folder: Path) -> Cohort:
    """A cohort that ``write_cohort`` wrote. Relative image paths are relative to its folder."""
    card = folder / "cohort.json"
    if not card.is_file():
        raise DataError(
            "this is not a cohort folder: it has no cohort.json",
            where=folder,
            fix="Make one with `leadapron cohort SOURCE PATH --out FOLDER` or `leadapron phantom --out FOLDER`.",
        )
    try:
        name, funnel, described = _read_card(card)
        cohort = Cohort(name, pl.read_parquet(folder / "records.parquet"), funnel, described)
    except (DataError, OSError, ValueError, pl.exceptions.PolarsError) as error:
        reason = str(error) if isinstance(error, DataError) else f"{type(error).__name__}: {error}"
        raise DataError(f"the cohort cannot be read ({reason})", where=folder) from error
    path = pl.col("image_path")
    inside = pl.concat_str(pl.lit(f"{folder.resolve()}/"), path)
    absolute = pl.when(path.str.starts_with("/")).then(path).otherwise(inside).alias("image_path")
    return replace(cohort, records=cohort.records.with_columns(absolute))


def _read_card(file: Path) -> tuple[str, Funnel, dict[str, Any]]:
    described = json.loads(file.read_text())
    try:
        name, funnel = str(described["name"]), Funnel(tuple(Step(*step) for step in described["funnel"]))
        return name, funnel, {key: value for key, value in described.items() if key not in ("name", "funnel")}
    except (KeyError, TypeError):
        raise DataError(
            "the file does not hold what it must",
            where=file.name,
            got=", ".join(described) if isinstance(described, dict) else described,
            allowed="'name' and 'funnel', a list of [what, kept, dropped, why]",
        ) from None
