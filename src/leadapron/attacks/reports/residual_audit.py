"""The residual audit: which identifiers are left in de-identified reports, and what was lost beside them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from leadapron.attacks.reports.against_truth import compare_cases
from leadapron.attacks.reports.other_recogniser import CATEGORY, add_looks, load_recogniser
from leadapron.attacks.reports.report_cases import Report, by_patient
from leadapron.attacks.reports.report_subject import ReleasedReports, ResidualReads, load_residual
from leadapron.attacks.reports.residual_controls import (
    alignment_checks,
    null_control,
    planted_control,
    recogniser_check,
)
from leadapron.attacks.reports.residual_measures import ALL, COORDINATES, MEASURES, OTHER, PLAIN, TABLE, TRUTH
from leadapron.attacks.reports.residual_page import PAGE
from leadapron.attacks.reports.residual_rows import ResidualGathering, add_truth
from leadapron.attacks.reports.table_search import add_search
from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.board_question import SINGLING_OUT
from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError
from leadapron.results import Findings, Spot
from leadapron.results.withheld import told
from leadapron.stats import Outcome


def audit_residual(
    subject: ReleasedReports, config: AuditConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """The whole audit. Nothing is drawn but the controls, and whose cells are sought in whose reports."""
    config = config or AuditConfig()
    found, outcomes, evidence = ResidualGathering(RESIDUAL, seed=config.seed), [], {}
    counts: dict[str, int | None] = {"reports": len(subject.reports), "patients": _patients(subject.reports)}
    recogniser = load_recogniser()
    if subject.cases is None and subject.table is None and recogniser is None:
        raise ConfigError(
            "there is nothing to compare the reports with",
            fix="Give --truth, --known or both, or install a recogniser.",
        )
    if subject.cases is not None:
        with found.stage("comparing with the truth"):
            progress("comparing", 0, 3)
            compared = compare_cases(subject.cases)
            add_truth(found, compared)
        outcomes += alignment_checks(compared, len(subject.cases))
        sizes = {"identifiers": compared.identifiers, "found": compared.found, "terms": compared.terms}
        counts |= {name: told(len(table)) for name, table in sizes.items()}
        leaks = compared.identifiers.filter("leaks")
        evidence["leaks"] = leaks.select("record_id", "patient_id", "category", "start", "end")
    if subject.table is not None:
        with found.stage("searching for the patient table"):
            progress("comparing", 1, 3)
            add_search(found, subject.table, subject.reports, config.seed)
        searched = {report.patient for report in subject.reports} & set(subject.table.patterns)
        counts["searched"] = told(len(searched))
    if recogniser is not None:
        with found.stage("another recogniser"):
            add_looks(found, recogniser, subject.reports)
    spot = _headline(subject)
    with found.stage("controls"):
        progress("comparing", 2, 3)
        controls = _controls(subject, spot.attacker, config.seed)
    if subject.cases is None or recogniser is not None:
        outcomes.append(recogniser_check(recogniser))
    progress("comparing", 3, 3)
    return Findings(
        audit=RESIDUAL.name,
        headline=spot,
        estimates=tuple(found.estimates),
        outcomes=(*controls, *outcomes),
        counts=counts,
        limits=_limits(subject, recognised=recogniser is not None),
        details={"replaced": subject.replaced},
        timings=found.timings,
    ).with_evidence({**found.evidence, **evidence})


def _controls(subject: ReleasedReports, relied_on: str, seed: int) -> list[Outcome]:
    """Of what merely looks like a name there is no control."""
    if subject.cases is None and subject.table is None:
        return []
    return [null_control(RESIDUAL, subject, seed), planted_control(subject, relied_on, seed)]


def _headline(subject: ReleasedReports) -> Spot:
    """The truth where it is known, else the patient table, else whatever looks like a name."""
    if subject.cases is not None:
        return _spot("leak", TRUTH, ALL)
    if subject.table is not None:
        return _spot("leak", TABLE, ALL)
    return _spot("looks-like", OTHER, CATEGORY)


def _spot(metric: str, attacker: str, category: str) -> Spot:
    at: dict[str, Any] = {"category": category}
    return Spot(metric=metric, attacker=attacker, **at)


def _patients(reports: Sequence[Report]) -> int | None:
    return told(len(by_patient(reports)))


def _limits(subject: ReleasedReports, *, recognised: bool) -> tuple[str, ...]:
    limits = []
    if subject.cases is not None:
        limits += [
            "The truth is as good as whoever marked it: an identifier that nobody marked is no leak here.",
            "A rare finding, a job or an accident may tell who somebody is without any identifier: not measured.",
            "Findings are read by rules before and after, which are wrong now and then; what is measured is change.",
        ]
    if subject.table is not None:
        limits.append(
            "The patient table is searched for as it is written and in usual forms. Misspelt names, relatives, doctors "
            "and whatever the table does not know are not found."
        )
    if subject.cases is None:
        limits.append("Without the truth nobody knows what the search does not know: a low number is no clean bill.")
    if not recognised:
        limits.append("No other recogniser was installed, and so nobody marked what looks like a name.")
    else:
        limits.append(
            "What looks like a name may be a stand-in: its share is no share of leaks. Where the de-identifier used "
            "the same recogniser, it tells little that was not known."
        )
    return tuple(limits)


def _run(
    subject: ReleasedReports, config: AuditConfig, _knowledge: Knowledge = NOTHING, progress: Progress = silent
) -> Findings:
    return audit_residual(subject, config, progress=progress)


RESIDUAL = Audit(
    name="residual",
    answers="recognised",
    criterion=SINGLING_OUT,
    question="which identifiers are left in de-identified reports?",
    config=AuditConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    never_headline=frozenset({OTHER}),
    coordinates=COORDINATES,
    risk="identifiers left in reports",
    subject="reports",
    takes=frozenset(),
    reads=ResidualReads,
    load=load_residual,
    policy=files("leadapron.attacks.reports").joinpath("residual_policy.toml").read_text(),
    page=PAGE,
)
