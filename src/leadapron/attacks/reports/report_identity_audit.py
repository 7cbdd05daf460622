"""The report-identity audit: are two reports recognised as one patient's, by their words alone?

Identity's own attackers, figures and controls, on vectors of reports in the place of radiographs.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import polars as pl
from pydantic import Field

from leadapron.attacks.identity import ALL_ATTACKERS, IDENTITY, IdentityConfig, audit_identity
from leadapron.attacks.identity import identity_controls as controls
from leadapron.attacks.reports.in_reports import COORDINATES, DIRECTION, MEASURES, PLAIN, in_reports
from leadapron.attacks.reports.report_cases import reports_of
from leadapron.attacks.reports.report_identity_page import PAGE
from leadapron.attacks.reports.report_subject import inputs_of, read_released
from leadapron.audits import release_subject
from leadapron.audits.audit import NOTHING, Audit, Knowledge, Loaded
from leadapron.audits.release_subject import TunedSplitConfig
from leadapron.engine import Progress, silent
from leadapron.engine.documents import Config
from leadapron.errors import DataError
from leadapron.release import Release, with_split_by
from leadapron.release.release import split_columns
from leadapron.reports.report_set import COLUMNS, ReportSet
from leadapron.reports.report_vectors import report_vectors
from leadapron.results import Findings, Measured, Spot
from leadapron.stats import Outcome

NULL, PLANTED = "null control (reports dealt at random)", "planted copies of reports"
CHECKS = {controls.NULL: NULL, controls.PLANTED: PLANTED}
LIMITS = (
    "The attackers compare words. One with a language model, or with radiographs beside the reports, may do better.",
    "The headline is the attacker that did best on these very data; its interval does not allow for that choice.",
    "Reports of a patient share findings, an author and a hospital: what is recognised need not be a leftover "
    "identifier. Read the figures on matched strangers beside the headline, and audit the reports before and after.",
    "Where a patient has the same stand-ins in all reports, these alone link them: that is what they are for.",
    "A report whose patient has no other one cannot be answered; it is counted and left out.",
)


class ReportIdentityConfig(IdentityConfig):
    """The same as of identity, of reports."""

    pools: tuple[int, ...] = Field(
        default=(),
        description="Size of a gallery; all other reports come on top. [default: 10, 100, 1000, 10000]",
        json_schema_extra={"option": "--pool"},
    )
    attackers: tuple[str, ...] = Field(
        default=ALL_ATTACKERS,
        description="Only these. [default: all that do not need a trained network]",
        json_schema_extra={"option": "--attacker", "choices": list(ALL_ATTACKERS)},
    )


def load_report_identity(path: Path, asked: Config, _verify: bool) -> Loaded:
    assert isinstance(asked, TunedSplitConfig)
    released = read_released(path)
    keep = () if asked.split_by is None else (asked.split_by,)
    release = vectors_of(released, keep)
    if asked.split_by is not None:
        release = with_split_by(release, asked.split_by)
    return release_subject.load(IDENTITY, release, inputs_of(path, released), asked)


def vectors_of(released: ReportSet, keep: Sequence[str] = ()) -> Release:
    """Every report once, with what else is known of its study."""
    reports = reports_of(released)
    patients = [report.patient for report in reports]
    if not 1 < len(set(patients)) < len(patients):
        what = "no patient has two reports" if len(set(patients)) > 1 else "there is one patient in all"
        raise DataError(f"{what}, so there is nobody to recognise", where=released.where)
    names = {released.columns[name]: name for name in COLUMNS}
    table = released.table.rename(names)
    first = pl.DataFrame({"record_id": [report.record for report in reports]})
    records = first.join(table, on="record_id", how="left", maintain_order="left")
    known = ("record_id", "patient_id", *keep)
    if released.cohort is None:
        records = records.select(name for name in records.columns if name in known)
    else:
        records = split_columns(records.drop("view"), keep)[0]
    return Release(records, {"image": report_vectors([report.text for report in reports])}, where=released.where)


def audit_report_identity(
    release: Release,
    config: ReportIdentityConfig | None = None,
    knowledge: Knowledge = NOTHING,
    *,
    progress: Progress = silent,
) -> Findings:
    """Identity's audit of vectors of reports, said of reports."""
    config = config or ReportIdentityConfig()
    found = audit_identity(release, config, known=knowledge.known, tuning=knowledge.tuning, progress=progress)
    tables = {name: table for name in found.tables if (table := found.evidence(name)) is not None}
    own = {
        name: table.with_columns(direction=pl.lit(DIRECTION)) if "direction" in table.columns else table
        for name, table in tables.items()
    }
    return found.updated(
        audit=REPORT_IDENTITY.name,
        spot=Spot(**found.spot.keys | {"direction": DIRECTION}),
        estimates=tuple(Measured(**row.model_dump() | {"direction": DIRECTION}) for row in found.estimates),
        outcomes=tuple(_outcome(outcome) for outcome in found.outcomes),
        limits=LIMITS,
        details={key: value for key, value in found.details.items() if key in ("matched_on", "threshold")},
    ).with_evidence(own)


def _outcome(outcome: Outcome) -> Outcome:
    check = CHECKS.get(outcome.check, outcome.check)
    return Outcome(check, outcome.outcome, in_reports(outcome.reason), outcome.attackers)


def _run(
    release: Release, config: ReportIdentityConfig, knowledge: Knowledge = NOTHING, progress: Progress = silent
) -> Findings:
    return audit_report_identity(release, config, knowledge, progress=progress)


REPORT_IDENTITY = Audit(
    name="report-identity",
    answers="recognised",
    question="are two reports recognised as one patient's?",
    config=ReportIdentityConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    coordinates=COORDINATES,
    place="among {pool:,} reports, {against}",
    risk="recognition of patients by their reports",
    subject="reports",
    takes=frozenset({"image"}),
    knows=frozenset({"known", "tuning"}),
    reads=TunedSplitConfig,
    load=load_report_identity,
    policy=files("leadapron.attacks.reports").joinpath("report_identity_policy.toml").read_text(),
    page=PAGE,
)
