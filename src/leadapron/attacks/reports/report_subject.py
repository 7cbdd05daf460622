"""Reports as the subject of an audit: as they were released, with their source and the truth where these are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from leadapron.attacks.reports.patient_table import PatientTable, read_table
from leadapron.attacks.reports.report_cases import Case, Report, cases_of, reports_of
from leadapron.attacks.reports.true_spans import read_truth
from leadapron.audits.audit import NOTHING, Loaded
from leadapron.engine import sha256
from leadapron.engine.documents import Config
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import ConfigError, DataError
from leadapron.reports.report_set import SPANS_FILE, ReportSet, read_reports
from leadapron.results import Inputs, Subject

TRUTH = (
    "Where every identifier stood: the cohort of the original reports with identifiers.parquet, or a table of spans "
    "(record_id, start, end, category; CSV or Parquet) together with --source."
)
SOURCE = "The original reports: a cohort, a CSV file or a folder of .txt files. [default: those of the cohort --truth]"


class ResidualReads(Config):
    """What the reports are compared with."""

    truth: Path | None = Field(default=None, description=TRUTH)
    source: Path | None = Field(default=None, description=SOURCE)
    known: Path | None = Field(
        default=None,
        description="A patient table (CSV or Parquet): patient_id and any of name, birth_date, mrn, accession, phone, "
        "address and others. Every cell is searched for in that patient's reports.",
    )


class ParrotReads(Config):
    """What tells leaks from stand-ins."""

    truth: Path = Field(description=TRUTH)
    source: Path | None = Field(default=None, description=SOURCE)


@dataclass(frozen=True)
class ReleasedReports:
    """Reports as they were released. ``cases`` has their source and the truth, ``table`` what a patient table knows."""

    reports: Sequence[Report]
    cases: Sequence[Case] | None = None
    table: PatientTable | None = None
    replaced: str = ""
    """How what was found was replaced, as the card says: by stand-ins (surrogate), by tags, or by nothing."""


def load_residual(path: Path, asked: Config, _verify: bool) -> Loaded:
    assert isinstance(asked, ResidualReads)
    if asked.source is not None and asked.truth is None:
        raise ConfigError("a source alone tells no identifiers", where="--source", fix="Give --truth, too.")
    released = read_released(path)
    reports = reports_of(released)
    cases = None if asked.truth is None else cases_of(released, read_truth(asked.truth, asked.source))
    patients = [report.patient for report in reports]
    table = None if asked.known is None else read_table(asked.known, patients)
    subject = ReleasedReports(reports, cases, table, replaced_by(released))
    given = {name: getattr(asked, name) for name in ("truth", "source", "known")}
    said = {name: None if one is None else one.resolve().name for name, one in given.items()}
    return Loaded(subject, NOTHING, inputs_of(path, released), said)


def load_parrot(path: Path, asked: Config, _verify: bool) -> Loaded:
    assert isinstance(asked, ParrotReads)
    released = read_released(path)
    cases = cases_of(released, read_truth(asked.truth, asked.source))
    said = {
        "truth": asked.truth.resolve().name,
        "source": None if asked.source is None else asked.source.resolve().name,
    }
    subject = ReleasedReports(reports_of(released), cases, replaced=replaced_by(released))
    return Loaded(subject, NOTHING, inputs_of(path, released), said)


def read_released(path: Path) -> ReportSet:
    released = read_reports(path)
    if not released.records["report"].drop_nulls().len():
        raise DataError("no record has a report", where=path)
    return released


def replaced_by(released: ReportSet) -> str:
    """From the card of the defence, wherever it wrote that down."""
    defence = released.card.get("defence")
    places = (released.card, defence, defence.get("settings") if isinstance(defence, dict) else None)
    return next((str(place["replace"]) for place in places if isinstance(place, dict) and "replace" in place), "")


def inputs_of(path: Path, released: ReportSet) -> Inputs:
    """The same files for every audit of reports, so that the gate can bind them together."""
    recorded = released.card.get("sha256")
    hashes = {str(name): str(digest) for name, digest in recorded.items()} if isinstance(recorded, dict) else {}
    if len(hashes) > 1:  # a folder of text files: one hash for all of them, and no name of theirs
        hashes = {"reports": id_of_files(hashes)}
    if path.is_dir() and (path / SPANS_FILE).is_file():
        hashes[SPANS_FILE] = sha256(path / SPANS_FILE)
    defence = released.card.get("defence")
    return Inputs(
        release=path.resolve().name,
        cohort=released.name if released.cohort is not None else None,
        defence=defence if isinstance(defence, dict) else None,
        sha256=hashes,
        subject=Subject(kind="reports", id=id_of_files(hashes)),
    )
