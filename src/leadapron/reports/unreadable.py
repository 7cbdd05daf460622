"""Rows that no report can be read from: each is named, and none leaves unexamined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from leadapron.errors import DataError

if TYPE_CHECKING:
    from leadapron.reports.report_set import ReportSet

LONGEST = 1_000_000
"""Characters. A radiology report has some thousand; a longer text is another kind of file."""
SHOWN = 8
CONTROL = "[\\x00-\\x08\\x0e-\\x1f\\x7f]"
"""Characters that no written report has; tab, line breaks and form feed are left out."""


def spreadsheet_row(row: int) -> str:
    """As a spreadsheet counts, the header being the first; ids may tell of patients."""
    return f"row {row + 2}"


@dataclass(frozen=True)
class Unreadable:
    """A row, counted from zero, what is wrong with it, and what to call it."""

    row: int
    why: str
    called: Callable[[int], str] = spreadsheet_row

    def __str__(self) -> str:
        return f"{self.called(self.row)} {self.why}"


def sift(
    records: pl.DataFrame, *, may_be_empty: bool = False, called: Callable[[int], str] = spreadsheet_row
) -> list[Unreadable]:
    """The rows whose ids or report cannot be worked with, the first reason each."""
    report = pl.col("report")
    blank = report.is_null() if may_be_empty else pl.lit(False)
    reasons = (
        (pl.col("record_id").fill_null("").str.strip_chars() == "", "has no record_id"),
        (pl.col("patient_id").fill_null("").str.strip_chars() == "", "has no patient_id"),
        (pl.col("record_id").is_duplicated(), "has a record_id that another row has, too"),
        (~blank & (report.fill_null("").str.strip_chars() == ""), "has an empty report"),
        (report.str.strip_chars_start().str.starts_with("{\\rtf"), "is RTF and not plain text"),
        (report.str.contains(CONTROL), "holds control characters and is not plain text"),
        (report.str.contains("\ufffd", literal=True), "holds characters that were lost in another encoding"),
        (report.str.len_chars() > LONGEST, f"is longer than {LONGEST:,} characters"),
    )
    first = pl.coalesce([pl.when(condition).then(pl.lit(why)) for condition, why in reasons])
    found = records.select(first.alias("why")).with_row_index().drop_nulls()
    return [Unreadable(int(row), str(why), called) for row, why in found.iter_rows()]


def refuse(reports: ReportSet, bad: Sequence[Unreadable], *, skip: bool, where: str | Path) -> ReportSet:
    """The reports, if every row can be read; with ``skip`` those that can, and a list of the others."""
    if not bad:
        return reports
    if not skip:
        raise DataError(
            f"{len(bad):,} of {len(reports):,} rows cannot be read: {in_words(bad)}",
            where=where,
            fix="Mend them; `leadapron defend reports --skip-unreadable` leaves them out.",
        )
    if len(bad) == len(reports):
        raise DataError(f"no row can be read: {in_words(bad)}", where=where)
    kept = pl.Series([True] * len(reports)).scatter([one.row for one in bad], False)
    table, cohort = reports.table.filter(kept), reports.cohort
    if cohort is not None:
        funnel = cohort.funnel.then("readable reports", len(table), "left out with --skip-unreadable")
        cohort = replace(cohort, records=table, funnel=funnel)
    return replace(reports, table=table, cohort=cohort, left_out=tuple(sorted(bad, key=lambda one: one.row)))


def in_words(bad: Sequence[Unreadable], most: int = SHOWN) -> str:
    """What is wrong with which rows, the first ones."""
    told = [str(one) for one in sorted(bad, key=lambda one: one.row)[:most]]
    rest = f"; and {len(bad) - most:,} more" if len(bad) > most else ""
    return "; ".join(told) + rest
