"""Results of every audit in the corner cases, made by the audits themselves on subjects of a few patients."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl

from leadapron.attacks.membership import AsFoundConfig, MembershipConfig, audit_as_found, audit_membership
from leadapron.attacks.recital import RecitalConfig, TaughtCohort
from leadapron.attacks.recital.recital_audit import RECITAL
from leadapron.attacks.reports import (
    ParrotConfig,
    ReleasedReports,
    ReportIdentityConfig,
    audit_parrot,
    audit_report_identity,
    audit_residual,
)
from leadapron.attacks.reports.report_cases import cases_of, reports_of
from leadapron.attacks.reports.report_identity_audit import vectors_of
from leadapron.attacks.reports.true_spans import Truth, by_key
from leadapron.audits.audit import NOTHING, Loaded
from leadapron.audits.images_subject import images_inputs
from leadapron.audits.run_audit import audit, run_audit
from leadapron.cohort.image_set import ImageSet
from leadapron.phantoms import Dials, build_clinic
from leadapron.release import Release
from leadapron.results import Findings, Results
from membership_data import drawn, models_of, signals_of, wild
from recital_writers import registered_writers
from report_data import all_but, identifiers, made, released
from tiny_results import inputs_of
from utility_releases import made as labelled
from utility_releases import unit

LABELS = 3


def paired(leaked: float, patients: int = 60, *, images: int = 2, labels: bool = True, named: bool = True) -> Release:
    """Images that lie on their reports for a share of the patients, and by each other's side for as many."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(patients), images)
    text = rng.standard_normal((len(who), 12))
    image = rng.standard_normal((len(who), 12))
    gives_away = who < leaked * patients
    image[gives_away] = 4 * text[who * images][gives_away] + 0.01 * image[gives_away]
    text[gives_away] = text[who * images][gives_away] + 0.05 * text[gives_away]
    columns = {
        "record_id": [f"r{row}" for row in range(len(who))],
        **({"patient_id": [f"p{one}" for one in who]} if named else {}),
        "sex": np.array(["F", "M"])[who % 2],
        "split": np.array(["train", "test"])[who % 2],
        **({f"label_{at}": (rng.random(len(who)) < 0.4).astype(np.int8) for at in range(LABELS)} if labels else {}),
    }
    return Release(pl.DataFrame(columns), {"image": unit(image), "text": unit(text)})


def of_release(name: str, release: Release, **options: object) -> Results:
    return audit(release, name, **options)


def in_memory(found: Findings) -> Results:
    inputs = inputs_of({"signals.npy": "ab" * 32}, release="tiny", kind="signals", holds=())
    return Results.of(found, title="Tiny", command="leadapron audit", seed=0, config={}, inputs=inputs, versions={})


def membership(shift: float, patients: int = 40, models: int = 16, **asked: object) -> Results:
    values, members, who = drawn(patients, models, seed=2, shift=shift)
    sex = np.array(["F", "M"])[who % 2]
    return in_memory(audit_membership(signals_of(values, members, who, sex=sex), MembershipConfig(**asked)))


def as_found(leak: float, *, known: bool = True, patients: int = 120) -> Results:
    values, member, who = wild(patients, references=2, leak=leak, seed=3)
    return in_memory(audit_as_found(models_of(values, member if known else None, who), AsFoundConfig()))


def truth_of(of) -> Truth:
    terms = pl.col("category") == "term"
    return Truth(of.source, *(by_key(of.truth.filter(part), "record_id") for part in (~terms, terms)))


def residual(missed: float, patients: int = 20) -> Results:
    of = made(patients)
    reports = released(of, all_but(of, missed) if missed < 1 else identifiers(of).clear())
    return in_memory(audit_residual(ReleasedReports(reports_of(reports), cases_of(reports, truth_of(of)))))


def parrot(missed: float, patients: int = 60) -> Results:
    of = made(patients)
    reports = released(of, all_but(of, missed), how="stand-in")
    cases = cases_of(reports, Truth(of.source, by_key(identifiers(of), "record_id"), {}))
    subject = ReleasedReports(reports_of(reports), cases, replaced="surrogate")
    return in_memory(audit_parrot(subject, ParrotConfig()))


def report_identity(patients: int = 30) -> Results:
    return in_memory(audit_report_identity(vectors_of(made(patients).source), ReportIdentityConfig()))


def recital(writer: str) -> Results:
    clinic = build_clinic(Dials(patients=90, seed=5))
    images = ImageSet(clinic.cohort, clinic.radiographs(16), clinic.cohort.card)
    loaded = Loaded(TaughtCohort(images, {}), NOTHING, images_inputs(images, "clinic"))
    with registered_writers():
        return run_audit(RECITAL, loaded, RecitalConfig(writer=writer), command="test")


ALONE = {"attackers": ("cosine",)}
FAST = {"redraws": 100}
CASES: dict[str, Callable[[], Results]] = {
    "linkage": lambda: of_release("linkage", paired(0.3, 120)),
    "linkage, one attacker": lambda: of_release("linkage", paired(0.3), **ALONE),
    "linkage, no hits": lambda: of_release("linkage", paired(0.0)),
    "linkage, all hits": lambda: of_release("linkage", paired(1.0)),
    "linkage, one attacker and all hits": lambda: of_release("linkage", paired(1.0), **ALONE),
    "linkage, no labels": lambda: of_release("linkage", paired(0.3, labels=False)),
    "linkage, no patients": lambda: of_release("linkage", paired(0.3, named=False)),
    "linkage, few": lambda: of_release("linkage", paired(0.3, 6), **ALONE),
    "linkage, by the whole": lambda: of_release("linkage", paired(0.3), attackers=("assignment",)),
    "identity": lambda: of_release("identity", paired(0.3, 80), **FAST),
    "identity, one attacker": lambda: of_release("identity", paired(0.3), **ALONE, **FAST),
    "identity, no hits": lambda: of_release("identity", paired(0.0), **ALONE, **FAST),
    "identity, all hits": lambda: of_release("identity", paired(1.0), **ALONE, **FAST),
    "identity, no labels": lambda: of_release("identity", paired(0.3, labels=False), **ALONE, **FAST),
    "identity, few": lambda: of_release("identity", paired(0.3, 12), **ALONE, **FAST),
    "utility": lambda: of_release("utility", labelled(1.5, patients=120), strengths=(0.1,), **FAST),
    "utility, no hits": lambda: of_release("utility", labelled(0.0, patients=120), strengths=(10.0,), **FAST),
    "utility, all hits": lambda: of_release("utility", labelled(60.0, patients=120), strengths=(0.1,), **FAST),
    "utility, no patients": lambda: of_release(
        "utility", nameless(labelled(1.5, patients=120)), strengths=(0.1,), **FAST
    ),
    "utility, one finding": lambda: of_release(
        "utility", labelled(1.5, patients=120, labels=("label_edema",)), strengths=(0.1,), **FAST
    ),
    "utility, few": lambda: of_release(
        "utility", labelled(1.5, patients=40, images=8, prevalence=0.5), strengths=(0.1,), **FAST
    ),
    "membership": lambda: membership(0.8, 60, 24, mu=0.1),
    "membership, no hits": lambda: membership(0.0),
    "membership, all hits": lambda: membership(9.0),
    "membership, few": lambda: membership(0.5, 12),
    "as-found": lambda: as_found(1.2),
    "as-found, no hits": lambda: as_found(0.0),
    "as-found, not known": lambda: as_found(1.2, known=False),
    "residual": lambda: residual(0.1),
    "residual, no hits": lambda: residual(0.0),
    "residual, all hits": lambda: residual(1.0),
    "residual, few": lambda: residual(0.3, 5),
    "parrot": lambda: parrot(0.2),
    "parrot, no hits": lambda: parrot(0.0),
    "report-identity": report_identity,
    "report-identity, few": lambda: report_identity(12),
    "recital, all hits": lambda: recital("by-heart"),
    "recital, no hits": lambda: recital("mixer"),
}


def nameless(release: Release) -> Release:
    return Release(release.records.drop("patient_id"), release.arrays, prompts=release.prompts)
