"""The identity audit: every attacker, all pairs and matched ones, galleries of any size, patients and subgroups."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from leadapron.attacks.identity.gallery import Gallery, build_gallery
from leadapron.attacks.identity.identity_against import add_against
from leadapron.attacks.identity.identity_controls import run_controls
from leadapron.attacks.identity.identity_gathering import (
    DIRECTION,
    IdentityGathering,
    Judged,
    add_matched,
    add_retrieval,
    add_verification,
    where,
)
from leadapron.attacks.identity.identity_measures import COORDINATES, MEASURES, PLAIN
from leadapron.attacks.identity.identity_open_world import add_open_world
from leadapron.attacks.identity.identity_page import PAGE
from leadapron.attacks.identity.identity_task import MATCHED, Task, build_task, match
from leadapron.attacks.identity.nearest_strangers import NearestCounter, listed_of
from leadapron.attacks.identity.pair_sweeps import sweep_all, sweep_matched
from leadapron.attacks.identity.people import add_fused, add_people
from leadapron.attacks.identity.recognisers import ATTACKERS, Knowledge
from leadapron.attacks.identity.threshold import tune
from leadapron.attacks.open_world_judged import not_measured, without_open_world
from leadapron.audits.audit import NOTHING, Audit, Effort
from leadapron.audits.audit import Knowledge as Known
from leadapron.audits.pooled import PooledConfig, check_each_once
from leadapron.audits.released_before import one_of
from leadapron.audits.vouching import with_controls
from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError, did_you_mean
from leadapron.release import Release
from leadapron.release.fitting import attacked
from leadapron.results import Attacked, Findings, Spot, Subject
from leadapron.results.withheld import told
from leadapron.stats import Outcome

ALL_ATTACKERS = tuple(ATTACKERS)
USUAL_POOLS = (10, 100, 1000, 10_000)
CONTROL_REDRAWS = 500
MISSING = {
    "learned": "no known patients with two images to learn from: name a split with --known-split",
    "network": "the release is not a verification network's",
}
"""What an attacker lacked that could not be run."""
CHOSEN = "The headline is the attacker that did best on these very data; its interval does not allow for that choice."


class IdentityConfig(PooledConfig):
    """What is asked of the audit. No pools means the usual ones that the gallery is large enough for."""

    pools: tuple[int, ...] = Field(
        default=(),
        description="Size of a gallery; all other images come on top. [default: 10, 100, 1000, 10000]",
        json_schema_extra={"option": "--pool"},
    )
    attackers: tuple[str, ...] = Field(
        default=ALL_ATTACKERS,
        description="Only these. [default: all]",
        json_schema_extra={"option": "--attacker", "choices": list(ALL_ATTACKERS)},
    )
    matched: tuple[str, ...] = Field(
        default=MATCHED,
        description=f"What matched strangers share beside the findings. [default: {', '.join(MATCHED)}]",
        json_schema_extra={"option": "--match"},
    )
    resample: Literal["patient", "query"] = Field(
        default="patient", description="Units of the intervals of ranked lists; of pairs they are always patients."
    )
    redraws: int = Field(default=10_000, ge=100, description="How often queries are redrawn, with --resample query.")
    headline_pool: int | None = Field(
        default=None,
        description="The gallery of the verdict, one of those measured. [default: the largest of at most 1,000]",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        for name in self.attackers:
            if name not in ALL_ATTACKERS:
                raise ConfigError("unknown attacker", got=name, allowed=did_you_mean(name, ALL_ATTACKERS))
        check_each_once(self.attackers)
        return self


def audit_identity(
    release: Release,
    config: IdentityConfig | None = None,
    *,
    known: Release | None = None,
    tuning: Release | None = None,
    before: Release | None = None,
    progress: Progress = silent,
) -> Findings:
    """The whole audit of a release's images, with its controls. Nothing is drawn but the controls and permutations.

    ``known`` are images of other patients whose identity the attacker knows and learns from; on ``tuning``, other
    patients again, the threshold of verification is set. In ``before``, what was released before, those under attack
    are looked for, too.
    """
    config = config or IdentityConfig()
    _check_apart(release, known, tuning)
    knowledge = _knowledge(release, known)
    before = before and one_of(IDENTITY, release, [before])
    risk = run_attacks(release, config, knowledge=knowledge, tuning=tuning, progress=progress)
    if before:
        found = IdentityGathering(IDENTITY, config.resample == "patient", config.redraws, config.seed)
        pools = (*(config.pools or USUAL_POOLS), *config.judged_pools)
        risk = add_against(risk, found, release, before, knowledge, config.attackers, pools)
    small = config.model_copy(
        update={"pools": (), "judged_pools": (), "headline_pool": None, "redraws": CONTROL_REDRAWS}
    )

    def again(control: Release, others: Release | None) -> Findings:
        """Of the same known patients nothing is learned anew."""
        return run_attacks(control, small, knowledge=knowledge if others is known else _knowledge(control, others))

    return with_controls(risk, lambda headline: run_controls(again, release, known, headline, config.seed))


def run_attacks(
    release: Release,
    config: IdentityConfig,
    *,
    knowledge: Knowledge | None = None,
    tuning: Release | None = None,
    progress: Progress = silent,
) -> Findings:
    """Every attacker, and the choice of the strongest: the audit without its controls."""
    task = build_task(build_gallery(release))
    tuned_on = None if tuning is None else build_task(build_gallery(tuning))
    knowledge = knowledge or _knowledge(release, None)
    pools, headline_pool = _pools(config, task.gallery)
    matched = match(task.gallery, config.matched)
    found = IdentityGathering(IDENTITY, config.resample == "patient", config.redraws, config.seed)
    everything = np.ones(len(task.first), dtype=bool)
    repeats = not task.apart.all() and task.apart.any()
    sets = (everything, task.apart) if repeats else (everything,)

    judged: dict[str, Judged] = {}
    outcomes: list[Outcome] = []
    for done, name in enumerate(config.attackers):
        progress("attacking", done, len(config.attackers))
        with found.stage("preparing attackers"):
            scores = ATTACKERS[name](task.gallery.image, knowledge)
            if scores is None:
                outcomes.append(Outcome(f"attacker {name}", "not-run", MISSING[name]))
                continue
            threshold = _tuned(name, tuned_on, knowledge)
        with found.stage("comparing everybody"):
            nearest = NearestCounter(len(task.gallery))
            swept = sweep_all(task, scores, sets, threshold, nearest)
        with found.stage("figures and intervals"):
            add_verification(found, name, task, swept, tuned=threshold is not None)
            best, risk = add_retrieval(found, name, task, swept, pools, headline_pool)
        with found.stage("open world"):
            listed = listed_of(nearest, scores, task.everybody, task.gallery.patient)
            places = {pool: where("random", pool) for pool in pools}
            add_open_world(found, name, best, swept.standings[0], listed, places)
        if matched is not None:
            with found.stage("comparing matched"):
                among_matched = sweep_matched(task, scores, matched)
            with found.stage("figures and intervals"):
                add_matched(found, name, task, among_matched, USUAL_POOLS)
        judged[name] = Judged(name, scores, swept, threshold, best, risk)
    progress("attacking", len(config.attackers), len(config.attackers))
    if not judged:
        raise ConfigError("none of the attackers has what it needs", got=", ".join(config.attackers))
    outcomes = [*_checks(matched is not None, tuned_on is not None), *_optional(outcomes, config)]
    outcomes += not_measured(found.estimates, [DIRECTION])

    strongest = max(judged.values(), key=lambda attacker: attacker.risk.mean())
    with found.stage("patients and groups"):
        evidence, group_tests = add_people(found, task, strongest, headline_pool)
    with found.stage("several known images"):
        add_fused(found, task, strongest, headline_pool, config.seed)
    return Findings(
        audit="identity",
        headline=Spot(metric="precision@1", attacker=strongest.name, **where("random", headline_pool)),
        estimates=tuple(found.estimates),
        outcomes=tuple(outcomes),
        counts=_counts(task, judged),
        attacked=Attacked.model_validate(attacked(release)),
        group_tests=group_tests,
        limits=_limits(matched=matched is not None, several=len(judged) > 1),
        details={
            "matched_on": list(matched.attributes) if matched else [],
            "threshold": "validation patients" if tuned_on else "these patients, at equal error",
        },
        timings=found.timings,
    ).with_evidence({**found.tables(), **evidence})


def _knowledge(release: Release, known: Release | None) -> Knowledge:
    return Knowledge(None if known is None else build_gallery(known), release.card)


def _check_apart(release: Release, *others: Release | None) -> None:
    mine = set(release.records["patient_id"]) if "patient_id" in release.records.columns else set()
    for other in others:
        if other is not None and (both := mine & set(other.records["patient_id"])):
            got = f"{len(both):,} patients in both"
            raise ConfigError("known patients are among those under attack", got=got, allowed="other patients")


def _pools(config: IdentityConfig, gallery: Gallery) -> tuple[list[int], int]:
    """The sizes of galleries, the whole last, and the one of the headline."""
    whole = len(gallery) - 1
    for pool in config.pools:
        if not 2 <= pool <= whole:
            allowed = f"2 to {whole}, all other images"
            raise ConfigError("a gallery of this size cannot be drawn", got=pool, allowed=allowed)
    judged = config.judged(whole)
    pools = sorted({*(config.pools or [pool for pool in USUAL_POOLS if pool <= whole]), *judged, whole})
    if config.headline_pool is not None and config.headline_pool not in pools:
        raise ConfigError("the headline's pool is not measured", got=config.headline_pool, allowed=f"one of {pools}")
    usual = max((pool for pool in pools if pool <= 1000), default=pools[0])
    return pools, config.headline_pool or max(judged, default=usual)


def _tuned(name: str, tuned_on: Task | None, knowledge: Knowledge) -> float | None:
    if tuned_on is None:
        return None
    scores = ATTACKERS[name](tuned_on.gallery.image, knowledge)
    return None if scores is None else tune(tuned_on, scores)


def _checks(matched: bool, tuned: bool) -> list[Outcome]:
    checks = []
    if not matched:
        checks.append(Outcome("matched strangers", "not-run", "the release has no attributes to match by"))
    if not tuned:
        reason = "no other patients to set a threshold on: name a split with --tune-split"
        checks.append(Outcome("threshold", "not-run", reason))
    return checks


def _optional(outcomes: list[Outcome], config: IdentityConfig) -> list[Outcome]:
    """An attacker that nobody asked for by name is not missed: only some releases are a verification network's."""
    asked = config.attackers != ALL_ATTACKERS
    return [outcome for outcome in outcomes if asked or outcome.check != "attacker network"]


def _counts(task: Task, judged: dict[str, Judged]) -> dict[str, int | None]:
    """How large the release is, and how much of it is of a kind; small counts of a kind are withheld."""
    gallery = task.gallery
    counts = {
        "patients_with_two": len(np.unique(gallery.patient[task.first])),
        "without_mate": int((gallery.own_stop - gallery.own_start == 1).sum()),
        "same_patient_pairs": len(task.first),
        "same_day_pairs": int(task.same_day.sum()),
        "same_picture_pairs": int(task.same_picture.sum()),
    }
    for name in ("age", "sex", "view"):
        if name in gallery.records.columns:
            counts[f"unknown_{name}"] = gallery.records[name].null_count()
    if "cosine" in judged:
        counts["strangers_same_picture"] = judged["cosine"].swept.same_pictures
    return {
        "records": len(gallery),
        "patients": gallery.patients,
        **{name: told(count) for name, count in counts.items()},
    }


def _limits(*, matched: bool, several: bool) -> tuple[str, ...]:
    limits = [
        "The audit speaks of this release and these attackers. A network trained to recognise patients may do better.",
        *([CHOSEN] if several else []),
        "Images of a patient share a scanner, a ward and often a day: what is recognised need not be anatomy. "
        "Read the figures on matched strangers and on images taken apart beside the headline.",
        "A query whose patient has no other image cannot be answered; it is counted and left out.",
    ]
    if not matched:
        limits.append("The release has no attributes, so strangers could not be matched by age, sex, view or findings.")
    return tuple(limits)


def _run(release: Release, config: IdentityConfig, knowledge: Known = NOTHING, progress: Progress = silent) -> Findings:
    return audit_identity(
        release, config, known=knowledge.known, tuning=knowledge.tuning, before=knowledge.before, progress=progress
    )


def _without_mates(subject: Subject) -> tuple[str, str] | None:
    if subject.mates is None:
        return (
            "incomplete",
            "The release names no patients, so it is not known which images are of one: add patient_id.",
        )
    if not subject.mates:
        return "not-applicable", "No patient of the release has two images, so there is nobody to recognise."
    return None


IDENTITY = Audit(
    name="identity",
    answers="recognised",
    effort=Effort(4.0, 1.0, 0.1),
    question="are two of its radiographs recognised as one patient's?",
    config=IdentityConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    coordinates=COORDINATES,
    place="among {pool:,} images, {against}",
    in_trials=({"metric": "auc", "protocol": "all-pairs"}, {"metric": "auc", "protocol": "matched"}),
    takes=frozenset({"image"}),
    knows=frozenset({"known", "tuning", "before"}),
    policy=files("leadapron.attacks.identity").joinpath("policy.toml").read_text(),
    not_applicable=_without_mates,
    lacks=without_open_world,
    page=PAGE,
)
