"""Who is in a cohort: patients, radiographs, age, sex, views and findings, of each split.

Age and sex are told of patients, each by the first record that says them; views and findings are told of radiographs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort.cohort import Cohort
from leadapron.cohort.labels import FINDINGS, label_column
from leadapron.cohort.split import SPLITS

NOT_KNOWN = "not known"
Row = tuple[str, ...]


def characteristics(cohort: Cohort) -> list[Row]:
    """A table: the head, and a row for each characteristic, of all records and of each split."""
    of = [cohort.records, *(cohort.records.filter(pl.col("split") == split) for split in SPLITS)]
    told = [dict(_told(records)) for records in of]
    whats = list(dict.fromkeys(what for column in told for what in column))
    return [("", "all", *SPLITS), *((what, *(column.get(what, "–") for column in told)) for what in whats)]


def as_text(table: list[Row]) -> str:
    """Columns that stand below each other: words to the left, numbers to the right."""
    widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in table
    )


def _told(records: pl.DataFrame) -> Iterator[tuple[str, str]]:
    patients = records.group_by("patient_id", maintain_order=True).agg(
        pl.col(column).drop_nulls().first() for column in ("age", "sex") if column in records.columns
    )
    yield "patients", f"{len(patients):,}"
    yield "radiographs", f"{len(records):,}"
    yield "with a report", f"{records['report'].count():,}"
    if not len(records):
        return
    if "age" in patients.columns:
        yield from _ages(patients["age"].cast(pl.Float64, strict=False).drop_nulls().drop_nans().to_numpy())
    if "sex" in patients.columns:
        yield from _shares("sex, % of patients", patients["sex"])
    yield from _shares("view, % of radiographs", records["view"])
    for finding in FINDINGS:
        known = records[label_column(finding)].drop_nulls().to_numpy()
        if len(known):
            yield f"{finding.lower()}, % of those known", f"{100 * (known == 1).mean():.1f}"


def _ages(ages: NDArray[np.float64]) -> Iterator[tuple[str, str]]:
    if len(ages):
        spread = ages.std(ddof=1) if len(ages) > 1 else 0.0
        yield "age, median", f"{np.median(ages):.0f}"
        yield "age, mean ± sd", f"{ages.mean():.1f} ± {spread:.1f}"
        yield "age, range", f"{ages.min():.0f}–{ages.max():.0f}"


def _shares(what: str, values: pl.Series) -> Iterator[tuple[str, str]]:
    """One row a value, the most frequent first; which values there are, every split says in the same words."""
    counts = values.cast(pl.String).fill_null(NOT_KNOWN).value_counts(sort=True)
    for value, count in sorted(counts.iter_rows(), key=lambda row: (-row[1], row[0])):
        yield f"{what}: {value}", f"{100 * count / len(values):.1f}"
