"""A table as the subject of an audit: that of a release, of what was handed over, of a cohort, or one by itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from leadapron.audits import release_subject
from leadapron.audits.audit import NOTHING, Loaded
from leadapron.audits.release_subject import WholeConfig, truth_of
from leadapron.cohort import read_cohort
from leadapron.cohort.cohort import is_cohort
from leadapron.engine.documents import Config
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import ConfigError, DataError, did_you_mean
from leadapron.release.handed_over import is_handover, read_handed
from leadapron.release.provenance import hashes_of, inputs_of
from leadapron.release.release_folder import read_table
from leadapron.results import Inputs, Subject
from leadapron.tables.column_roles import PATIENT

SUFFIXES = (".csv", ".parquet")


@dataclass(frozen=True)
class PlainTable:
    """A table of records without any vectors."""

    records: pl.DataFrame
    where: str
    card: dict[str, Any] = field(default_factory=dict)
    must_name: bool = False
    """Whether it must say whose its rows are; of what was handed over that is not known on purpose."""


def load_table(path: Path, asked: Config, verify: bool) -> Loaded:
    assert isinstance(asked, WholeConfig)
    subject: Any
    truth = truth_of(asked)
    if is_cohort(path):
        cohort = read_cohort(path)
        subject = PlainTable(cohort.records, str(path), dict(cohort.card))
        inputs = _inputs(path, "cohort", cohort.card.get("defence"))
    elif is_table(path):
        subject = PlainTable(read_table(path), str(path), must_name=True)
        inputs = _inputs(path, "table", None)
    elif is_handover(path) and truth is None:
        handed = read_handed(path, verify=verify)
        subject = PlainTable(handed.records, str(path), dict(handed.card))
        inputs = Inputs.model_validate(inputs_of(path, handed))
    else:
        subject, inputs = release_subject.read(path, verify=verify, split_by=asked.split_by, truth=truth)
    said = {} if truth is None else {"truth": truth.name}
    return Loaded(subject, NOTHING, inputs, {"split": None, **said})


def is_table(path: Path) -> bool:
    """A CSV file, or a Parquet file that is no release: one without lists of numbers."""
    if not path.is_file() or path.suffix not in SUFFIXES:
        return False
    if path.suffix == ".csv":
        return True
    try:
        return not any(kind.is_nested() for kind in pl.read_parquet_schema(path).values())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise DataError(f"the file cannot be read as parquet ({error})", where=path) from error


def read_population(file: Path) -> pl.DataFrame:
    if not file.is_file() or file.suffix not in SUFFIXES:
        raise DataError("there is no such table", where=file, allowed=f"a file that ends in {' or '.join(SUFFIXES)}")
    return read_table(file)


def with_patient(subject: Any, named: str | None) -> pl.DataFrame:  # noqa: ANN401 (whatever has records)
    """The records, in which the column that says whose a row is, if there is one, is called patient_id."""
    records: pl.DataFrame = subject.records
    if not len(records):
        raise DataError("there is no row in it", where=subject.where)
    must_name = isinstance(subject, PlainTable) and subject.must_name
    asked = named if named is not None else PATIENT if must_name else None
    if asked is not None:
        if asked not in records.columns:
            raise ConfigError(
                "no column says whose the rows are",
                where=subject.where,
                got=named,
                allowed=did_you_mean(asked, records.columns),
                fix="Name it with --patient COLUMN. Where every row is a patient, name one that differs in every row.",
            )
        if asked != PATIENT:
            records = records.drop(PATIENT, strict=False).rename({asked: PATIENT})
    if PATIENT in records.columns and records[PATIENT].null_count():
        row = records[PATIENT].is_null().arg_true()[0]
        raise DataError(f"the column of patients is empty in row {row}", where=subject.where, allowed="an id")
    return records


def _inputs(path: Path, kind: str, defence: object) -> Inputs:
    hashes = hashes_of(path)
    return Inputs(
        release=path.resolve().name,
        defence=defence if isinstance(defence, dict) else None,
        sha256=hashes,
        subject=Subject(kind=kind, id=id_of_files(hashes)),
    )
