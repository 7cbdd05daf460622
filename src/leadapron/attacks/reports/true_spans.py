"""What stands in the source's reports in truth: identifiers that must go, clinical terms that must stay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import polars as pl

from leadapron.errors import ConfigError, DataError
from leadapron.reports.identifiers.categories import TERM
from leadapron.reports.report_set import ReportSet, read_reports, read_spans

IDENTIFIERS, TERMS = "identifiers.parquet", "terms.parquet"


class Span(NamedTuple):
    """Characters of the source's report."""

    start: int
    end: int
    category: str


ByRecord = Mapping[str, tuple[Span, ...]]


@dataclass(frozen=True)
class Truth:
    """The source, and by record what stands in it."""

    source: ReportSet
    identifiers: ByRecord
    terms: ByRecord


def read_truth(path: Path, source: Path | None) -> Truth:
    """A cohort folder with its identifiers, or a table of spans beside the source that they are of."""
    if not path.exists():
        raise DataError("there is no truth here", where=path)
    if source is not None and not source.exists():
        raise DataError("there is no source here", where=source)
    if path.is_dir():
        return _of_cohort(path, source)
    if source is None:
        raise ConfigError(
            "a table of spans needs the reports that it is of", where="--truth", fix="Name them with --source."
        )
    reports = read_reports(source)
    spans = read_spans(path)
    _check(spans, reports, "record_id", path)
    by_term = pl.col("category") == TERM
    return Truth(reports, *(by_key(spans.filter(part), "record_id") for part in (~by_term, by_term)))


def _of_cohort(folder: Path, source: Path | None) -> Truth:
    """Identifiers and terms are kept by study there: all images of a study share its report."""
    if not (folder / IDENTIFIERS).is_file():
        fix = "Give the cohort of the original reports, or a table of spans with --source."
        raise DataError(f"the folder has no {IDENTIFIERS}", where=folder, fix=fix)
    own = read_reports(folder)
    if "study_id" not in own.table.columns:
        raise DataError("the identifiers are kept by study, and the records name none", where=folder)
    reports = own if source is None else read_reports(source)
    study = dict(own.table.select(own.columns["record_id"], "study_id").iter_rows())
    found: list[ByRecord] = []
    for name in (IDENTIFIERS, TERMS):
        if not (folder / name).is_file():
            found.append({})
            continue
        table = _study_spans(folder / name)
        _check(table, own, "study_id", folder / name)
        by_study = by_key(table, "study_id")
        found.append({record: by_study[key] for record, key in study.items() if key in by_study})
    truth = Truth(reports, *found)
    if source is not None:
        _check_inside(truth, folder / IDENTIFIERS)
    return truth


def _study_spans(file: Path) -> pl.DataFrame:
    try:
        table = pl.read_parquet(file)
        return table.select(
            pl.col("study_id", "category").cast(pl.String), pl.col("start").cast(pl.Int64), pl.col("end").cast(pl.Int64)
        )
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"the spans cannot be read ({type(error).__name__})", where=file) from error


def by_key(spans: pl.DataFrame, key: str) -> dict[str, tuple[Span, ...]]:
    """The spans of each record or study, in their order."""
    ordered = spans.unique([key, "start", "end", "category"]).sort(key, "start", "end", "category")
    found: dict[str, list[Span]] = {}
    for name, start, end, category in ordered.select(key, "start", "end", "category").iter_rows():
        found.setdefault(name, []).append(Span(start, end, category))
    return {name: tuple(own) for name, own in found.items()}


def check_spans(spans: pl.DataFrame, reports: ReportSet, where: str | Path) -> None:
    """Every span is of a report that is there, and lies within it."""
    _check(spans, reports, "record_id", where)


def _check(spans: pl.DataFrame, reports: ReportSet, key: str, where: str | Path) -> None:
    """Rows are named by their number: ids may tell of patients."""
    name = reports.columns["record_id"] if key == "record_id" else key
    text = pl.col(reports.columns["report"])
    longest = reports.table.group_by(pl.col(name).alias(key)).agg(
        text.fill_null("").str.len_chars().max().alias("most")
    )
    joined = spans.join(longest, on=key, how="left", maintain_order="left").with_row_index("row")
    strangers = joined.filter(pl.col("most").is_null())
    if len(strangers):
        what = f"{len(strangers):,} of {len(spans):,} spans are of reports that are not there"
        raise DataError(what, where=where, got=f"row {strangers['row'][0] + 1}", allowed="the ids of the source")
    outside = joined.filter(
        (pl.col("start") < 0) | (pl.col("start") >= pl.col("end")) | (pl.col("end") > pl.col("most"))
    )
    if len(outside):
        row, start, end, most = outside.select("row", "start", "end", "most").row(0)
        what = f"{len(outside):,} spans do not lie within their report"
        raise DataError(what, where=where, got=f"row {row + 1}: {start} to {end}", allowed=f"0 to {most}")


def _check_inside(truth: Truth, where: Path) -> None:
    """Where another source is named, the spans must fit its reports, too."""
    lengths = {record: len(text or "") for record, _, text in truth.source.records.iter_rows()}
    for record, spans in truth.identifiers.items():
        if any(span.end > lengths.get(record, span.end) for span in spans):
            raise DataError("the spans do not lie within the reports of --source", where=where)
