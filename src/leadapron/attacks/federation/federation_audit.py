"""The federation audit: what the rounds of a federated training give away of the hospitals' patients."""

from __future__ import annotations

from importlib.resources import files

from pydantic import Field

from leadapron.attacks.federation.asked_people import People, count_patients, some_patients
from leadapron.attacks.federation.federation_attack import OWN, attack, suspicion_table
from leadapron.attacks.federation.federation_attackers import PLAIN, RECORD_ALONE, RECORD_AND_FINDINGS
from leadapron.attacks.federation.federation_controls import null_control, planted_patients
from leadapron.attacks.federation.federation_measures import ALL, COORDINATES, EVIDENCE, MEASURES
from leadapron.attacks.federation.federation_page import PAGE
from leadapron.attacks.federation.federation_rows import RATES, add_membership, add_sources
from leadapron.attacks.federation.partner_claim import add_claim
from leadapron.attacks.federation.run_subject import FederatedRun, RunConfig, load_run
from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.gathering import Gathering
from leadapron.engine import Progress, silent
from leadapron.results import Findings, Spot
from leadapron.results.withheld import told

TUNING = 1000
"""Patients by whom the attacker sets a scale: of split validate, known to be at no hospital."""
HEADLINES = (RATES[1], "auc")
"""The first that could be measured."""


class FederationConfig(AuditConfig):
    """Of how many patients the attacker asks."""

    candidates: int = Field(default=200, ge=1, description="Patients asked about per hospital, at most.")
    outsiders: int = Field(default=2000, ge=2, description="Patients of no hospital asked about, at most.")


def audit_federation(
    subject: FederatedRun, config: FederationConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """The whole audit. Nothing is drawn but whom the attacker asks about, and the controls, by the seed."""
    config, seen = config or FederationConfig(), subject.seen
    found = Gathering(FEDERATION, seed=config.seed)
    people = People(
        {name: some_patients(one, config.candidates, seed=config.seed)[0] for name, one in subject.hospitals.items()},
        some_patients(subject.test, config.outsiders, seed=config.seed)[0],
        some_patients(subject.validate, TUNING, seed=config.seed)[0],
    )
    with found.stage("attack"):
        attacked = attack(seen, people, progress)
        table = suspicion_table(attacked)
    with found.stage("intervals"):
        add_membership(found, table)
        add_sources(found, table, {holds: len(one.hospitals) for holds, one in attacked.items()})
    with found.stage("partners"):
        for holds, of_kind in attacked.items():
            if seen.lends and holds != "both":
                add_claim(found, subject, holds, of_kind, progress)
    spot = _headline(found)
    with found.stage("controls"):
        controls = null_control(FEDERATION, subject, config.seed), planted_patients(subject, spot.attacker, config.seed)
    members = people.members.values()
    return Findings(
        audit="federation",
        headline=spot,
        estimates=tuple(found.estimates),
        outcomes=controls,
        counts={
            "hospitals": len(seen.members),
            "rounds": seen.plan.rounds,
            "patients": sum(told(count_patients(one)) or 0 for one in members),
            "records": sum(len(one) for one in members),
            "outsiders": told(count_patients(people.outsiders)),
            "public_records": len(seen.public),
        },
        limits=_limits(subject),
        details={"guarantee": subject.run.guarantee, "secure": seen.plan.secure, "method": seen.plan.method},
        timings=found.timings,
    ).with_evidence({EVIDENCE: table})


def _headline(found: Gathering) -> Spot:
    """The strongest attacker on everybody at their own hospital."""
    at = {"hospitals": ALL, "asked": OWN}
    metric = next(name for name in HEADLINES if any(row.has(metric=name, **at) for row in found.estimates))
    rows = [row for row in found.estimates if row.has(metric=metric, **at)]
    best = max(reversed(rows), key=lambda row: row.value)  # of equals the one who sees more
    return Spot(metric=metric, attacker=best.attacker, **at)


def _limits(subject: FederatedRun) -> tuple[str, ...]:
    seen, run = subject.seen, subject.run
    limits = [
        "The attacker holds the records of the patient in question and their findings, and asks whether they were "
        "trained on.",
        "Members and outsiders are of one source here. Where hospitals differ from outsiders, part of what an attack "
        "finds may be that difference.",
        "The attackers only watch. One who sends crafted models, or looks at gradients of single steps, may find more.",
    ]
    if seen.plan.secure:
        limits.append("Under secure aggregation the updates of single hospitals cannot be seen: attackers have means.")
    elif not run.updates_kept:
        limits.append(
            "The run kept no updates (--no-updates): attackers who see them were not tried, though the server saw them."
        )
    elif not seen.shows_updates:
        limits.append(f"Hospitals send features and not weights in {seen.plan.method}: such updates are not attacked.")
    if seen.plan.partition != "homogeneous":
        limits.append("Hospitals differ in their mix of patients: an attack may tell a hospital by that alone.")
    return tuple(limits)


def _run(
    subject: FederatedRun, config: FederationConfig, _knowledge: Knowledge = NOTHING, progress: Progress = silent
) -> Findings:
    return audit_federation(subject, config, progress=progress)


FEDERATION = Audit(
    name="federation",
    answers="member",
    question="do the rounds of a federated training give away whose records a hospital trained on?",
    config=FederationConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    never_headline=frozenset({RECORD_AND_FINDINGS, RECORD_ALONE}),
    coordinates=COORDINATES,
    place="{kind}",
    risk="recognition of patients",
    in_trials=({"metric": "auc", "hospitals": ALL, "asked": OWN},),
    subject="run",
    takes=frozenset(),
    reads=RunConfig,
    load=load_run,
    policy=files("leadapron.attacks.federation").joinpath("policy.toml").read_text(),
    page=PAGE,
)
