"""What a patient table knows, as patterns to search a patient's own reports for: in any case, at the ends of words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import polars as pl

from leadapron.attacks.reports.open_words import LEAST, RUN
from leadapron.attacks.reports.residual_measures import NAME_PART
from leadapron.errors import DataError

BEGIN, END = r"(?<![^\W_])", r"(?![^\W_])"
"""No letter or digit stands before or behind."""
BETWEEN = r"[\W_]{0,3}"
"""What may stand between the parts of a number or an address: 555-0101, (555) 0101."""
NAMES_APART = r"(?:,?[ \t\r\n]+(?:[^\W\d_]\.?[ \t\r\n]+)?|-)"
"""Between two parts of a name: a space or a comma, perhaps with an initial, or a hyphen."""
ISO, AMERICAN = re.compile(r"(\d{4})-(\d{2})-(\d{2})"), re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip

Patterns = Mapping[str, re.Pattern[str]]
"""By column of the table."""


@dataclass(frozen=True)
class PatientTable:
    """By patient, what to search for, and one of the cells as it is written."""

    patterns: Mapping[str, Patterns]
    columns: tuple[str, ...]
    samples: Mapping[str, str]


def read_table(file: Path, patients: Sequence[str]) -> PatientTable:
    """A CSV or Parquet table with ``patient_id``; every other cell is searched for in that patient's reports."""
    if not file.is_file():
        raise DataError("there is no patient table here", where=file)
    try:
        table = pl.read_csv(file, infer_schema=False) if file.suffix == ".csv" else pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"the patient table cannot be read ({type(error).__name__})", where=file) from error
    if "patient_id" not in table.columns or len(table.columns) < 2:
        allowed = "patient_id and any of name, birth_date, mrn, accession, phone, address and others"
        raise DataError(
            "the patient table has other columns", where=file, got=", ".join(table.columns), allowed=allowed
        )
    text = table.select(pl.all().cast(pl.String))
    if not set(patients) & set(text["patient_id"].drop_nulls()):
        raise DataError("no patient of the reports is in the patient table", where=file)
    return table_of(text)


def table_of(text: pl.DataFrame) -> PatientTable:
    """A patient may have several rows: several numbers, former names."""
    columns = [name for name in text.columns if name != "patient_id"]
    found: dict[str, dict[str, list[str]]] = {}
    samples: dict[str, str] = {}
    for row in text.iter_rows(named=True):
        patient = str(row["patient_id"])
        own = found.setdefault(patient, {})
        for column in columns:
            cell = (row[column] or "").strip()
            for kind, pattern in patterns_of(column, cell).items():
                own.setdefault(kind, []).append(pattern)
                samples.setdefault(patient, cell)
    compiled = {
        patient: {kind: re.compile("|".join(dict.fromkeys(all_)), re.IGNORECASE) for kind, all_ in own.items()}
        for patient, own in found.items()
    }
    return PatientTable(compiled, tuple(columns), samples)


def patterns_of(column: str, cell: str) -> dict[str, str]:
    """What a cell is searched as. One of fewer than three letters or digits would be found everywhere, and is not."""
    runs = RUN.findall(cell)
    if sum(map(len, runs)) < LEAST:
        return {}
    if "name" in column.lower():
        return _name(column, runs)
    day = _day(cell)
    if day is not None:
        return {column: _bounded(_date_forms(day))}
    whole = [BETWEEN.join(map(re.escape, runs))]
    street = RUN.findall(cell.partition(",")[0])
    if "address" in column.lower() and any(run.isdigit() for run in street) and 1 < len(street) < len(runs):
        whole.append(BETWEEN.join(map(re.escape, street)))
    return {column: _bounded(whole)}


def _name(column: str, runs: list[str]) -> dict[str, str]:
    """Any two parts beside each other, in either order; each part alone is another, weaker sign.

    Alone it counts with a capital only: Young is a name, young is not.
    """
    parts = [re.escape(run) for run in runs if len(run) > 1]
    pairs = [f"{one}{NAMES_APART}{other}" for one in parts for other in parts if one != other]
    alone = [f"(?-i:{_capitals(part)})" for part in parts if len(part) >= LEAST]
    found = {column: _bounded(pairs or parts)}
    return found | ({NAME_PART: _bounded(alone)} if alone and pairs else {})


def _capitals(part: str) -> str:
    return f"(?:{part.capitalize()}|{part.upper()})"


def _day(cell: str) -> date | None:
    if match := ISO.fullmatch(cell.split("T")[0].split(" ")[0]):
        year, month, day = map(int, match.groups())
    elif match := AMERICAN.fullmatch(cell):
        month, day, year = map(int, match.groups())
    else:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _date_forms(day: date) -> list[str]:
    """4/23/1951, 04-23-51, 1951-04-23, 19510423, 23.04.1951, April 23rd, 1951, 23 Apr 1951."""
    long = MONTHS[day.month - 1]
    month, number = f"0?{day.month}", f"0?{day.day}"
    name = f"(?:{long}|{long[:3]}\\.?|{long[:4]}\\.?)"
    years = f"(?:{day.year}|{day.year % 100:02d})"
    sign, ordinal = r"[/.\- ]", "(?:st|nd|rd|th)?"
    return [
        f"{month}{sign}{number}{sign}{years}",
        f"{number}{sign}{month}{sign}{years}",
        f"{day.year}{sign}{month}{sign}{number}",
        f"{day:%Y%m%d}",
        f"{name}[ ]?{number}{ordinal},?[ ]{years}",
        f"{number}{ordinal}[ -]{name},?[ -]{years}",
    ]


def _bounded(patterns: list[str]) -> str:
    return f"{BEGIN}(?:{'|'.join(patterns)}){END}"
