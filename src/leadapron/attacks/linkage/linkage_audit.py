"""The linkage audit: every attacker, both directions, random and pathology-matched pools, patients and subgroups."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Literal, Self

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from leadapron.attacks.linkage.choosing import allow_for_choice, strongest, who_attacks
from leadapron.attacks.linkage.knowledge import Knowledge
from leadapron.attacks.linkage.known_words import with_words
from leadapron.attacks.linkage.linkage_against import add_against
from leadapron.attacks.linkage.linkage_controls import run_controls
from leadapron.attacks.linkage.linkage_evidence import by_assigned_record, by_record
from leadapron.attacks.linkage.linkage_gathering import (
    LinkageGathering,
    add_assignment,
    add_hard,
    add_random,
    add_selective,
    where,
)
from leadapron.attacks.linkage.linkage_measures import COORDINATES, MATCHED_POOLS, MEASURES, PLAIN
from leadapron.attacks.linkage.linkage_open_world import add_open_world
from leadapron.attacks.linkage.linkage_page import PAGE
from leadapron.attacks.linkage.linkage_task import DIRECTIONS, Task, build_task
from leadapron.attacks.linkage.linked_patients import add_patients
from leadapron.attacks.linkage.linkers import ALL_ATTACKERS, ASSIGNMENT, BY_WORDS, attacker
from leadapron.attacks.linkage.nearest import keep_nearest
from leadapron.attacks.linkage.random_pools import RandomPools
from leadapron.attacks.linkage.ranks import rank_truth
from leadapron.attacks.open_world import KEPT
from leadapron.attacks.open_world_judged import not_measured, without_open_world
from leadapron.audits.audit import NOTHING, Audit, Effort
from leadapron.audits.audit import Knowledge as Known
from leadapron.audits.groups import Risks, add_groups
from leadapron.audits.pooled import PooledConfig, check_each_once
from leadapron.audits.released_before import one_of
from leadapron.audits.vouching import with_controls
from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError
from leadapron.release import Release
from leadapron.release.fitting import attacked as attacked_of
from leadapron.results import Attacked, Findings, GroupTest, Spot
from leadapron.stats import Outcome

USUAL_POOLS = (100, 1000, 10_000)
LARGEST_HEADLINE = 1000
CHOSEN = (
    "The headline is the attacker that did best on these very data. Its figure and interval allow for that choice; "
    "what is told of whole patients, groups and other pools is that attacker's own."
)
NOTHING_LEARNT = frozenset({"cosine", "csls", "pooled", "sinkhorn"})


class LinkageConfig(PooledConfig):
    """What is asked of the audit. No pools means the usual ones that the database is large enough for."""

    pools: tuple[int, ...] = Field(
        default=(),
        description="Size of a random pool; the whole database comes on top. [default: 100, 1000, 10000]",
        json_schema_extra={"option": "--pool"},
    )
    hard_pool: int | None = Field(
        default=None,
        description="Size of the pathology-matched pool. [default: 100, 1000 or 10000, at most a quarter of the "
        "database]",
    )
    attackers: tuple[str, ...] = Field(
        default=ALL_ATTACKERS,
        description=f"Only these of {', '.join(ALL_ATTACKERS)}; or parts joined by a plus, such as "
        "csls+study+sinkhorn. [default: all]",
        json_schema_extra={"option": "--attacker"},
    )
    known_pairs: float = Field(
        default=0.01,
        description="Share of pairs that attackers who learn know, unless --known-split names others.",
    )
    resample: Literal["patient", "query"] = Field(
        default="patient", description="Units of the intervals; 'query': queries, redrawn as published."
    )
    redraws: int = Field(default=1000, ge=100, description="How often queries are redrawn, with --resample query.")
    queries: int | None = Field(
        default=None,
        description="Attack only about as many radiographs, by whole patients; candidates are all there. "
        "[default: all]",
    )
    headline_pool: int | None = Field(
        default=None,
        description="The pool of the verdict, one of those measured. [default: the largest of at most 1,000]",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        for name in self.attackers:
            attacker(name)
        check_each_once(self.attackers)
        if self.queries is not None and self.queries < 2:
            raise ConfigError("too few radiographs to attack", got=self.queries, allowed="2 or more")
        if not 0 < self.known_pairs < 0.5:
            raise ConfigError(
                "the share of known pairs is out of range", got=self.known_pairs, allowed="above 0, below 0.5"
            )
        return self


def audit_linkage(
    release: Release,
    config: LinkageConfig | None = None,
    *,
    known: Release | None = None,
    before: Release | None = None,
    progress: Progress = silent,
) -> Findings:
    """The whole audit of a release, with its controls. Nothing is drawn but the bootstrap and the controls.

    ``known`` are pairs of other patients, released in the same way, from which attackers learn; without them those who
    learn are given a share of the pairs under attack, and are judged on the rest. In ``before``, what was released
    before, those under attack are looked for, too.
    """
    config = config or LinkageConfig()
    _check_known(release, known)
    before = before and one_of(LINKAGE, release, [before])
    risk = run_attacks(release, config, known=known, progress=progress)
    if before:
        found = LinkageGathering(LINKAGE, config.resample == "patient", config.redraws, config.seed)
        pools = (*(config.pools or USUAL_POOLS), *config.judged_pools)
        risk = add_against(risk, found, release, before, known, config.attackers, pools)
    small = config.model_copy(
        update={"pools": (), "judged_pools": (), "hard_pool": None, "headline_pool": None, "queries": None}
    )

    def again(release: Release, known: Release | None) -> Findings:
        return run_attacks(release, small, known=known)

    return with_controls(risk, lambda headline: run_controls(again, release, known, headline, config.seed))


def run_attacks(
    release: Release, config: LinkageConfig, *, known: Release | None = None, progress: Progress = silent
) -> Findings:
    """Every attacker, and the choice of the strongest: the audit without its controls."""
    forward, backward = DIRECTIONS
    task = build_task(release, forward, config.queries, config.seed)
    pools, headline_pool = _pools(config, task.database.size)
    hard_pool, hard_outcome = _hard_pool(config, task)
    names, left_out = who_attacks(config.attackers, release, known, config.known_pairs, task)
    found = LinkageGathering(LINKAGE, config.resample == "patient", config.redraws, config.seed, attackers=names)
    learnt: dict[bool, dict[str, Any]] = {False: {}, True: {}}

    def attack(task: Task) -> dict[str, tuple[Task, RandomPools]]:
        judged: dict[str, tuple[Task, RandomPools]] = {}
        for done, name in enumerate(names):
            progress(f"attacking, {task.direction}", done, len(names))
            with found.stage("preparing attackers"):
                words = name in BY_WORDS
                pairs = _pairs(known, task.direction, words=words) if known and name not in NOTHING_LEARNT else None
                asked = _by_words(release, task.direction, config) if words else task
                knows = Knowledge(config.known_pairs, config.seed, pairs, learnt[words])
                attacked = attacker(name)(asked, knows)
                found.note(name, attacked)
            if name == ASSIGNMENT:
                found.assigned.append(by_assigned_record(release.records, attacked, add_assignment(found, attacked)))
                continue
            with found.stage("ranking"):
                codes = attacked.query_codes if hard_pool else None
                queries, database, truth = attacked.queries, attacked.database, attacked.truth
                ranks = rank_truth(queries, database, truth, codes, kept=KEPT, progress=progress)
                if attacked is task and isinstance(database.texts, np.ndarray):
                    keep_nearest(queries, database.texts, ranks.nearest, ranks.nearest_score)
            chances = RandomPools(ranks)
            add_random(found, name, attacked, chances, pools)
            matched = add_hard(found, name, attacked, ranks, hard_pool) if hard_pool else None
            found.records.append(by_record(release.records, name, attacked, chances, headline_pool, matched))
            add_selective(found, name, attacked, ranks)
            add_open_world(found, name, attacked, chances, pools)
            judged[name] = (attacked, chances)
        progress(f"attacking, {task.direction}", len(names), len(names))
        return judged

    judged = attack(task)
    counts = {
        "records": len(release),
        "patients": int(task.candidate_patient.max()) + 1,
        "reports": task.database.size,
        "distinct_reports": len(task.database.texts),
    }
    outcomes = [hard_outcome] if hard_outcome else []
    best = strongest(found, headline_pool)
    group_tests: tuple[GroupTest, ...] = ()
    evidence: dict[str, pl.DataFrame] = {}
    if best:
        if found.by_patient:
            best = allow_for_choice(found, judged, headline_pool)
        task, chances = judged[best]
        rows = release.records[task.query_row.tolist()]
        with found.stage("patients and groups"):
            evidence = add_patients(found, rows, best, task, chances, headline_pool)
            recall = chances.recall(headline_pool)
            guess = np.full(len(recall), 1 / headline_pool)
            at = where(task, headline_pool)
            group_tests = add_groups(found, rows, Risks("recall@1", best, at, recall, guess, task.query_patient))
    del task, judged  # of a database beyond memory, what is kept of each candidate is all that there is room for
    attack(build_task(release, backward, config.queries, config.seed))
    outcomes += not_measured([row for row in found.estimates if row.attacker != ASSIGNMENT], DIRECTIONS)

    gathered = {
        "curve": found.curves,
        "bands": found.bands,
        "precision_coverage": found.coverage,
        "records": found.records,
        "assignment": found.assigned,
    }
    tables = {name: pl.concat(parts) for name, parts in gathered.items() if parts} | evidence
    at = {"direction": forward, "protocol": "random", "pool": headline_pool}
    if best is None:  # the one-to-one matching alone, over the whole release
        best, at["pool"] = names[0], pools[-1]
    return Findings(
        audit="linkage",
        headline=Spot(metric="recall@1", attacker=best, **at),
        estimates=tuple(found.estimates),
        outcomes=tuple(outcomes),
        counts=counts,
        patients_named="patient_id" in release.records.columns,
        attacked=Attacked.model_validate(attacked_of(release)),
        group_tests=group_tests,
        limits=(*_limits(release, several=len(names) > 1 and found.by_patient), *left_out),
        details={"selective": found.selective, "compositions": found.compositions},
        timings=found.timings,
    ).with_evidence(tables)


def _check_known(release: Release, known: Release | None) -> None:
    if known is None or "patient_id" not in release.records.columns or "patient_id" not in known.records.columns:
        return
    both = set(release.records["patient_id"]) & set(known.records["patient_id"])
    if both:
        raise ConfigError(
            "known pairs are of patients under attack", got=f"{len(both):,} patients in both", allowed="other patients"
        )


def _pools(config: LinkageConfig, database: int) -> tuple[list[int], int]:
    """The pool sizes, the whole database last, and the one of the headline."""
    for pool in config.pools:
        if not 2 <= pool <= database:
            raise ConfigError(
                "a pool of this size cannot be drawn", got=pool, allowed=f"2 to {database}, the size of the database"
            )
    judged = config.judged(database)
    pools = sorted({*(config.pools or [pool for pool in USUAL_POOLS if pool <= database]), *judged, database})
    if config.headline_pool is not None and config.headline_pool not in pools:
        raise ConfigError("the headline's pool is not measured", got=config.headline_pool, allowed=f"one of {pools}")
    asked = sorted(config.pools) or pools
    usual = max((pool for pool in asked if pool <= LARGEST_HEADLINE), default=asked[0])
    return pools, config.headline_pool or max(judged, default=usual)


def _hard_pool(config: LinkageConfig, task: Task) -> tuple[int | None, Outcome | None]:
    """The size of the pathology-matched pool; by default one that leaves the database something to choose from."""
    if task.candidate_codes is None:
        if config.hard_pool:
            raise ConfigError("a pathology-matched pool needs labels, and the release has none", where="--hard-pool")
        return None, Outcome(MATCHED_POOLS, "not-run", "the release has no labels")
    if config.hard_pool:
        if not 2 <= config.hard_pool <= task.database.size:
            raise ConfigError(
                "a pathology-matched pool of this size cannot be drawn",
                got=config.hard_pool,
                allowed=f"2 to {task.database.size}, the size of the database",
            )
        return config.hard_pool, None
    fitting = [pool for pool in USUAL_POOLS if pool <= task.database.size / 4]
    if not fitting:
        reason = f"{task.database.size:,} candidates are too few to match by pathology"
        return None, Outcome(MATCHED_POOLS, "not-run", reason)
    return fitting[-1], None


def _pairs(known: Release, direction: str, *, words: bool) -> Task:
    return build_task(with_words(known) if words else known, direction, one_space=not words)


def _by_words(release: Release, direction: str, config: LinkageConfig) -> Task:
    """The same task for an attacker who holds the reports' words."""
    return build_task(with_words(release), direction, config.queries, config.seed, one_space=False)


def _limits(release: Release, *, several: bool) -> tuple[str, ...]:
    limits = [
        "The audit speaks of this release and these attackers. A stronger encoder or more knowledge may link more.",
        *([CHOSEN] if several else []),
        "Pools are drawn from the release itself; a real attacker's pool may be easier or harder.",
        "The selective attacker's threshold is set with the truth at hand, so its figure bounds what that rule can do.",
    ]
    if "patient_id" not in release.records.columns:
        limits.append(
            "The release names no patients: every record counts as one, and intervals are too narrow if patients recur."
        )
    return tuple(limits)


def _run(release: Release, config: LinkageConfig, knowledge: Known = NOTHING, progress: Progress = silent) -> Findings:
    return audit_linkage(release, config, known=knowledge.known, before=knowledge.before, progress=progress)


LINKAGE = Audit(
    name="linkage",
    answers="joined",
    effort=Effort(3.0, 0.5, 0.1),
    question="can its radiographs be paired with their reports again?",
    config=LinkageConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    never_headline=frozenset({ASSIGNMENT}),
    allows_for_choice=True,
    coordinates=COORDINATES,
    place="{direction_name}, among {pool:,} {drawn}",
    beside=("direction",),
    takes=frozenset({"image", "text"}),
    knows=frozenset({"known", "before"}),
    policy=files("leadapron.attacks.linkage").joinpath("policy.toml").read_text(),
    lacks=without_open_world,
    page=PAGE,
)
