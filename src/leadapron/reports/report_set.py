"""Reports as a table: whose they are and what they say, read from a cohort, a CSV file or a folder of text files."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from leadapron.cohort import Cohort, read_cohort
from leadapron.cohort.cohort import write_cohort_files
from leadapron.engine import sha256
from leadapron.engine.files import atomic_folder
from leadapron.errors import ConfigError, DataError, did_you_mean
from leadapron.reports.identifiers.categories import CATEGORIES, TERM
from leadapron.reports.unreadable import Unreadable, refuse, sift, spreadsheet_row

COLUMNS = ("record_id", "patient_id", "report")
SPANS = {
    "record_id": pl.String,
    "start": pl.Int64,
    "end": pl.Int64,
    "category": pl.String,
    "recogniser": pl.String,
}
"""Where something was found in the source's report; what stood there is never kept."""
TABLE, SPANS_FILE, CARD, COHORT = "reports.csv", "spans.parquet", "card.json", "cohort.json"
OTHER_NAMES = "Other names are told by `leadapron defend reports --column report=NAME`."
FOREIGN, RAGGED = "is not UTF-8", "has another number of cells than the header"
OTHER_KIND = "is no .txt file"


@dataclass(frozen=True)
class ReportSet:
    """Reports by record and patient.

    ``table`` has all columns of the source, ``columns`` says which of them are the record's id, the patient's id and
    the report. ``cohort`` is the cohort that they are of, if any. ``spans`` is what a defence found in their source.
    """

    table: pl.DataFrame
    name: str
    columns: Mapping[str, str] = field(default_factory=lambda: {name: name for name in COLUMNS})
    card: Mapping[str, object] = field(default_factory=dict)
    cohort: Cohort | None = None
    spans: pl.DataFrame | None = None
    left_out: tuple[Unreadable, ...] = ()

    @property
    def where(self) -> str:
        return self.name

    @property
    def records(self) -> pl.DataFrame:
        """The three columns, by their own names; a record without a report has null."""
        return self.table.select(pl.col(self.columns[name]).alias(name) for name in COLUMNS)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def patients(self) -> int:
        return self.table[self.columns["patient_id"]].n_unique()

    def with_reports(self, reports: list[str | None], spans: pl.DataFrame) -> ReportSet:
        """The same records with other reports, in the same order."""
        written = pl.Series(self.columns["report"], reports, dtype=pl.String)
        table = self.table.with_columns(written)
        cohort = None if self.cohort is None else replace(self.cohort, records=table)
        return replace(self, table=table, cohort=cohort, spans=spans)


def of_cohort(cohort: Cohort) -> ReportSet:
    return ReportSet(cohort.records, cohort.name, card=cohort.card, cohort=cohort)


def checked(reports: ReportSet) -> ReportSet:
    """Those of a cohort in memory, if every one of them can be read; a record may have none."""
    bad = sift(reports.records, may_be_empty=True, called=_nth_record)
    return refuse(reports, bad, skip=False, where=reports.where)


def read_reports(path: Path, *, columns: Mapping[str, str] | None = None, skip_unreadable: bool = False) -> ReportSet:
    """Reports from a cohort folder, from a CSV file, from a folder of ``.txt`` files, or as a defence wrote them.

    ``columns`` tells which column of a CSV file is which. Rows that cannot be read are named and refused, or left out
    with ``skip_unreadable``.
    """
    if not path.exists():
        raise DataError("there are no reports here", where=path)
    table = path / TABLE if path.is_dir() else path
    if columns and (not table.is_file() or (path / COHORT).is_file()):
        raise ConfigError("only the columns of a CSV file are named", where="--column", got=", ".join(columns))
    if path.is_dir() and (path / COHORT).is_file():
        found, bad = _read_cohort(path)
    elif not table.is_file():
        found, bad = _read_folder(path)
    else:
        card = _read_card(path / CARD) if path.is_dir() else {}
        own = card.pop("columns", {})
        found, bad = _read_table(table, {**{name: name for name in COLUMNS}, **own, **(columns or {})})
        name = path.resolve().name if path.is_dir() else found.name
        found = replace(found, name=name, card={**card, **found.card})
    spans = path / SPANS_FILE
    if path.is_dir() and spans.is_file():
        found = replace(found, spans=read_spans(spans))
    return refuse(found, bad, skip=skip_unreadable, where=path)


def write_reports(reports: ReportSet, folder: Path, *, overwrite: bool = False) -> None:
    """A cohort as a cohort, other reports as ``reports.csv`` with a card; the spans beside, where there are any.

    All of it is for its owner's eyes alone, until the owner hands the reports over: spans tell which words are
    stand-ins.
    """
    with atomic_folder(folder, overwrite=overwrite, private=True) as partial:
        if reports.cohort is not None:
            write_cohort_files(replace(reports.cohort, card=reports.card), partial)
        else:
            with (partial / TABLE).open("w", encoding="utf-8", newline="") as stream:
                writer = csv.writer(stream)
                writer.writerow(reports.table.columns)
                writer.writerows(reports.table.iter_rows())
            (partial / CARD).write_text(
                json.dumps({"name": reports.name, "columns": dict(reports.columns), **reports.card}, indent=1)
            )
        if reports.spans is not None:
            reports.spans.write_parquet(partial / SPANS_FILE)


def read_spans(file: Path, reports: ReportSet | None = None) -> pl.DataFrame:
    """A table of spans, as Parquet or CSV; ``recogniser`` may be missing.

    With ``reports`` it may name studies instead of records, as a phantom's truth does: all records of a study share
    its report.
    """
    try:
        spans = pl.read_csv(file, infer_schema=False) if file.suffix == ".csv" else pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"the spans cannot be read ({type(error).__name__})", where=file) from error
    by_study = "record_id" not in spans.columns and "study_id" in spans.columns
    if by_study and reports is not None and "study_id" in reports.table.columns:
        studies = reports.table.select(pl.col(reports.columns["record_id"]).alias("record_id"), "study_id")
        strangers = spans.join(studies, on="study_id", how="anti")
        if len(strangers):
            raise DataError(f"{len(strangers):,} spans are of studies that are not there", where=file)
        spans = spans.join(studies, on="study_id")
    for name in list(SPANS)[:-1]:
        if name not in spans.columns:
            raise DataError(f"column {name!r} is missing", where=file, got=", ".join(spans.columns))
    try:
        typed = spans.select(pl.col(name).cast(kind) for name, kind in SPANS.items() if name in spans.columns)
    except pl.exceptions.PolarsError as error:
        raise DataError("start and end must be whole numbers", where=file) from error
    if (empty := typed.select(pl.any_horizontal(pl.all().is_null()).arg_true())).height:
        raise DataError(f"a cell is empty in row {empty.item(0, 0) + 1}", where=file)
    for category in typed["category"].unique(maintain_order=True):
        if category not in (*CATEGORIES, TERM):
            allowed = did_you_mean(category, (*CATEGORIES, TERM))
            raise DataError("a span has an unknown category", where=file, got=category, allowed=allowed)
    return typed


def _read_cohort(folder: Path) -> tuple[ReportSet, list[Unreadable]]:
    cohort = read_cohort(folder)
    hashes = {"records.parquet": sha256(folder / "records.parquet")}
    found = of_cohort(replace(cohort, card={**cohort.card, "sha256": hashes}))
    return found, sift(found.records, may_be_empty=True, called=_nth_record)


def _read_table(file: Path, columns: Mapping[str, str]) -> tuple[ReportSet, list[Unreadable]]:
    """A CSV file, byte by byte: rows may be in different encodings, and each that is not UTF-8 is named."""
    head, body = _rows(file)
    for name in (*columns.values(), *head):
        if head.count(name) != 1:
            what = f"column {name!r} {'is missing' if name not in head else 'is there twice'}"
            raise DataError(what, where=file, got=", ".join(head), fix=OTHER_NAMES)
    if not body:
        raise DataError("the file has a header and no rows", where=file)
    bad = {at: RAGGED for at, row in enumerate(body) if len(row) != len(head)}
    decoded = [[_utf8(cell) for cell in row] if at not in bad else [""] * len(head) for at, row in enumerate(body)]
    bad |= {at: FOREIGN for at, row in enumerate(decoded) if None in row}
    safe = [[cell if cell is not None else "" for cell in row] for row in decoded]
    table = pl.DataFrame(safe, schema=dict.fromkeys(head, pl.String), orient="row")
    found = ReportSet(table, file.stem, columns, {"sha256": {file.name: sha256(file)}})
    return found, _all_bad(found, bad, spreadsheet_row)


def _rows(file: Path) -> tuple[list[str], list[list[str]]]:
    """The header, and the other rows as they are: of cells of bytes, each as a character."""
    csv.field_size_limit(sys.maxsize)
    content = file.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("latin-1")  # delimiters are plain, the rest waits
    reader = csv.reader(io.StringIO(content, newline=""), strict=True)
    try:
        rows = list(reader)
    except csv.Error as error:
        raise DataError(f"the file is not CSV ({error})", where=file, got=f"line {reader.line_num}") from error
    while rows and not rows[-1]:  # lines at the end with nothing in them
        rows.pop()
    if not rows:
        raise DataError("the file is empty", where=file)
    head = [_utf8(cell) for cell in rows[0]]
    if any(name is None or not name.isprintable() for name in head):
        raise DataError("the file is not text in UTF-8", where=file, fix="Save it as CSV in UTF-8.")
    return [name or "" for name in head], rows[1:]


def _read_folder(folder: Path) -> tuple[ReportSet, list[Unreadable]]:
    """Text files, at any depth. The folder around a file is the patient; files side by side are a patient each. All
    other files are named as unreadable, but for hidden ones such as .DS_Store."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not _is_hidden(path.relative_to(folder)))
    told = [file.suffix.lower() == ".txt" for file in files]
    if not any(told):
        raise DataError("the folder holds neither a cohort nor reports as .txt files", where=folder)
    decoded = [
        _utf8_bytes(file.read_bytes().removeprefix(b"\xef\xbb\xbf")) if text else ""
        for file, text in zip(files, told, strict=True)
    ]
    # another file keeps its ending, lest it look like the report beside it
    named = [path.with_suffix("") if text else path for path, text in zip(files, told, strict=True)]
    names = [path.relative_to(folder).as_posix() for path in named]
    whose = [file.stem if file.parent == folder else file.parent.relative_to(folder).as_posix() for file in files]
    table = pl.DataFrame(
        {"record_id": names, "patient_id": whose, "report": [text or "" for text in decoded]},
        schema=dict.fromkeys(COLUMNS, pl.String),
    )
    hashes = {name: sha256(file) for name, file, text in zip(names, files, told, strict=True) if text}
    found = ReportSet(table, folder.resolve().name, card={"sha256": hashes})
    bad = {at: OTHER_KIND for at, text in enumerate(told) if not text}
    bad |= {at: FOREIGN for at, text in enumerate(decoded) if text is None}
    return found, _all_bad(found, bad, _nth_file)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _all_bad(found: ReportSet, bad: Mapping[int, str], called: Callable[[int], str]) -> list[Unreadable]:
    """Rows whose bytes cannot be read, and of the others those whose text cannot."""
    known = [Unreadable(at, why, called) for at, why in bad.items()]
    return known + [one for one in sift(found.records, called=called) if one.row not in bad]


def _nth_file(row: int) -> str:
    return f"file {row + 1} in the order of their names"


def _nth_record(row: int) -> str:
    return f"record {row + 1}"


def _utf8(cell: str) -> str | None:
    return cell if cell.isascii() else _utf8_bytes(cell.encode("latin-1"))


def _utf8_bytes(content: bytes) -> str | None:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _read_card(file: Path) -> dict[str, Any]:
    try:
        card = json.loads(file.read_text()) if file.is_file() else {}
    except ValueError as error:
        raise DataError("the card cannot be read", where=file) from error
    return {key: value for key, value in card.items() if key != "name"}
