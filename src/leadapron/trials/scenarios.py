"""Scenarios of a trial: every registered audit of such a subject, and attackers who have more than a release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from leadapron.attacks.attributes import AttributesConfig, strongest_attribute
from leadapron.attacks.identity import IdentityConfig
from leadapron.attacks.linkage import ALL_ATTACKERS, USUAL_POOLS, LinkageConfig, possible
from leadapron.attacks.linkage.known_words import FEATURES
from leadapron.attacks.linkage.linkage_task import build_task
from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.audit_registry import every_audit, find_audit
from leadapron.audits.release_subject import ALL
from leadapron.engine import Progress
from leadapron.release import Release
from leadapron.release.described import described_by
from leadapron.release.provenance import TABLE, has_recurring_patients, holds_of
from leadapron.results import Subject
from leadapron.trials.entrants import Entrant
from leadapron.trials.located_scenarios import NOTES, WITHOUT_NETWORKS, parts_changed, prepare_by
from leadapron.trials.pictured_attributes import PICTURED
from leadapron.trials.probed_models import FEWEST_PATIENTS, can_be_probed, probed_signals
from leadapron.trials.scenario import Ready, Scenario, scenario_of
from leadapron.trials.trial_config import TrialConfig
from leadapron.trials.trial_kinds import KINDS, RELEASE
from leadapron.uses import UtilityConfig

LINKED = {"image", "text"}
RECOGNISERS = ("cosine", "whitened", "learned")
READS_REPORTS = "text"
"""Taken by audits of images that look at the reports, too."""
OF_A_WRITER = frozenset({"recital"})
"""Audits of a model that is trained for them alone: what they find is of that model, and not of what was released."""
LEARNT = "Attackers may learn from the training patients as they were released."
BY_WORDS = ("cosine", "csls", "realigned", "sinkhorn", "composed", "words")
"""Attackers who are let loose with the reports' words; the others add little there."""


def scenarios_of(entrants: list[Entrant], *, networks: bool = False, every_part: bool = False) -> list[Scenario]:
    """What can be asked of subjects like these, risks before uses; by whoever wrote the audit.

    The parts are asked about that a defence changed, or ``every_part``.
    """
    before, *others = entrants
    if before.kind == RELEASE:
        audits = [audit for audit in every_audit() if audit.subject == RELEASE]
        if not every_part and not any(_tables_differ(before.subject, other.subject) for other in others):
            audits = [audit for audit in audits if TABLE not in audit.takes]
        found = _of_releases(audits, set(holds_of(before.subject)))
    else:
        notes = NOTES if networks else NOTES | WITHOUT_NETWORKS
        found = [
            scenario_of(audit, prepare_by(audit), notes.get(audit.name, ""))
            for audit in _audits_of(before, others, every_part=every_part)
        ]
        if every_part and before.kind == "cohort" and PICTURED.audit in every_audit():
            found.append(PICTURED)
    return sorted(found, key=lambda scenario: scenario.audit.about == "use")


def _audits_of(before: Entrant, others: list[Entrant], *, every_part: bool) -> list[Audit]:
    """The audits of a subject and of its parts, in the order of the parts; not of parts that no defence changed."""
    every = [audit for audit in every_audit() if audit.name not in OF_A_WRITER]
    found = [audit for part in KINDS[before.kind].subjects for audit in every if audit.subject == part]
    if before.kind != "cohort":
        return found
    of_tables = [audit for audit in every if TABLE in audit.takes]
    if every_part:
        return [*of_tables, *found]
    changed = parts_changed(before.subject, [other.subject for other in others]) | {"cohort"}
    if TABLE in changed:
        found = [*of_tables, *found]
        changed |= {RELEASE}
    return [
        audit for audit in found if audit.subject in changed or (READS_REPORTS in audit.takes and "reports" in changed)
    ]


def _tables_differ(before: Release, after: Release) -> bool:
    """Rows may lie in another order."""
    tables = [release.records.sort("record_id") for release in (before, after)]
    return not tables[0].equals(tables[1])


def _of_releases(audits: list[Audit], held: set[str]) -> list[Scenario]:
    found = [_of_audit(audit) for audit in audits if audit.takes <= held]
    if held >= LINKED:
        found.insert(1, BY_THE_WORDS)
    if "image" in held:
        found.append(BY_MODELS)
    return found


def _of_audit(audit: Audit) -> Scenario:
    def prepare(release: Release, before: Release, config: TrialConfig, _progress: Progress) -> Ready | str:
        if missing := audit.takes - set(holds_of(release)):
            return f"It takes {' and '.join(sorted(audit.takes))}, and the release holds no {sorted(missing)[0]}."
        if audit.about == "risk" and TABLE not in audit.takes:
            release = _with_truth(release, before)
        if audit.name == "linkage":
            release = _without_words(release)
        asked = _config(audit, release, before, config)
        if audit.split == ALL:
            return Ready(release, NOTHING, asked, {"split": None})
        if audit.about == "use":
            return Ready(release, NOTHING, asked, {"split": "test"})
        test = release.of_split("test")
        subject = Subject(kind="release", id="", holds=tuple(test.arrays), mates=has_recurring_patients(test))
        subject = subject.model_copy(update={"describes": described_by(test.records)})
        if audit.not_applicable and (why := audit.not_applicable(subject)):
            return why[1]
        if audit.split is not None:
            return Ready(release, NOTHING, asked, {"split": audit.split})
        known = release.of_split("train") if "known" in audit.knows else None
        tuning = _tuning(release) if "tuning" in audit.knows else None
        said = {"split": "test", "known_split": known and "train", "tune_split": tuning and "validate"}
        return Ready(test, Knowledge(known, tuning), asked, {key: value for key, value in said.items() if value})

    return scenario_of(audit, prepare, LEARNT if "known" in audit.knows else "")


def _with_truth(release: Release, before: Release) -> Release:
    """With the table as it was: what a defence leaves out of it stays true, and an audit must know the truth."""
    if release is before:
        return release
    rows = release.records.select("record_id")
    return replace(release, records=rows.join(before.records, on="record_id", how="left", maintain_order="left"))


def _without_words(release: Release) -> Release:
    """As it would be handed over: who holds the reports' words is asked about apart."""
    arrays = {name: rows for name, rows in release.arrays.items() if name != FEATURES}
    return replace(release, arrays=arrays, heads={})


def _tuning(release: Release) -> Release | None:
    if "validate" not in set(release.records["split"]):
        return None
    tuning = release.of_split("validate")
    return tuning if has_recurring_patients(tuning) else None


def _config(audit: Audit, release: Release, before: Release, config: TrialConfig) -> AuditConfig:
    """The audit's own, but that pools are the same for all entrants and the slowest attackers stay out.

    The pool that was asked for is that of linkage, or the gallery where there is nothing to link.
    """
    asked: dict[str, Any] = {"seed": config.seed, **config.asked.get(audit.name, {})}
    if audit.name == "linkage":
        others = tuple(name for name in config.attackers if name != "words")
        named = config.attackers == ALL_ATTACKERS or not others
        return linkage_config(release, config if named else config.model_copy(update={"attackers": others}))
    if audit.name == "identity":
        gallery = None if set(before.arrays) >= LINKED else config.pool
        pools = () if gallery is None else (gallery,)
        return IdentityConfig(attackers=RECOGNISERS, pools=pools, headline_pool=gallery, **asked)
    if audit.name == "attributes":
        return AttributesConfig(headline=strongest_attribute(before, AttributesConfig(**asked)), **asked)
    if audit.name == "utility" and config.probe_strength is not None:
        return UtilityConfig(strengths=(config.probe_strength,), **asked)
    return audit.config(**asked)


def linkage_config(release: Release, config: TrialConfig) -> LinkageConfig:
    """The pool that the policy judges, or the largest that the patients of every split fill."""
    asked: dict[str, Any] = dict(config.asked.get("linkage", {}))
    pool, judged = config.pool, []
    if pool is None:
        sides = [release.of_split(name) for name in ("test", "train")]
        size = min(build_task(side, "image-to-report").database.size for side in sides)
        judged = LinkageConfig(**asked).judged(size)
        pool = max(judged, default=max((usual for usual in USUAL_POOLS if usual <= size), default=size))
    pools = tuple(sorted({*(usual for usual in USUAL_POOLS if usual <= pool), *judged, pool}))
    return LinkageConfig(pools=pools, attackers=config.attackers, seed=config.seed, headline_pool=pool)


def _prepare_words(release: Release, before: Release, config: TrialConfig, _progress: Progress) -> Ready | str:
    """The defended images beside the reports as they were.

    Where the defence changed the width, the narrower side is filled with zeros; the attacker's maps do the rest.
    """
    if "image" not in release.arrays:
        return "It takes image, and the release holds no image."
    places = {record: place for place, record in enumerate(before.records["record_id"])}
    text = before.text[[places[record] for record in release.records["record_id"]]]
    width = max(release.image.shape[1], text.shape[1])
    arrays = {
        name: np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
        for name, rows in (("image", release.image), ("text", text))
    }
    if FEATURES in before.arrays:
        arrays[FEATURES] = before.arrays[FEATURES][[places[record] for record in release.records["record_id"]]]
    mixed = Release(_with_truth(release, before).records, arrays, release.card, release.where, fitted=release.fitted)
    test, known = mixed.of_split("test"), mixed.of_split("train")
    attackers = possible(tuple(name for name in config.attackers if name in BY_WORDS) or BY_WORDS, test, known)
    asked = linkage_config(mixed, config.model_copy(update={"attackers": attackers}))
    said: dict[str, object] = {"split": "test", "known_split": "train"}
    return Ready(test, Knowledge(known), asked, said)


def _prepare_models(release: Release, _before: Release, config: TrialConfig, progress: Progress) -> Ready | str:
    if not can_be_probed(release):
        return f"It takes labels and {FEWEST_PATIENTS} training patients or more."
    signals = probed_signals(release, config.seed, progress=progress)
    return Ready(signals, NOTHING, find_audit("membership").config(seed=config.seed), {"split": "train"})


BY_THE_WORDS = Scenario(
    "linkage-by-words",
    find_audit("linkage"),
    "Can they be paired by an attacker who holds the reports' words?",
    "The attacker has the reports themselves and the encoder, and makes the reports' vectors anew. Only changes to the "
    "images protect.",
    _prepare_words,
    "the attacker holds the reports in words",
)
BY_MODELS = Scenario(
    "membership",
    find_audit("membership"),
    "Does a model that learns from it give away its patients?",
    "Small networks learn the findings from the released images of the training patients, each from its own half of "
    "them. The attacker is taken to hold the record itself and to know how such models are trained.",
    _prepare_models,
)
