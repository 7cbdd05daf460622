"""The attribute audit: what a released vector tells of a patient beyond findings and view."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Self

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from leadapron.attacks.attributes.attribute_attack import Attack
from leadapron.attacks.attributes.attribute_columns import PERSON, Attribute
from leadapron.attacks.attributes.attribute_probes import CHOSEN, CURVED, LINEAR, MOST_LEARNT
from leadapron.attacks.attributes.attribute_task import SIDE, Task, build_task
from leadapron.attacks.attributes.attributes_controls import run_controls
from leadapron.attacks.attributes.attributes_gathering import AttributesGathering, add_attribute
from leadapron.attacks.attributes.attributes_measures import COORDINATES, MEASURES, PLAIN, TOLD
from leadapron.attacks.attributes.attributes_page import PAGE
from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Effort, Knowledge
from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError, LeadapronError, did_you_mean
from leadapron.release import Release, with_split
from leadapron.release.fitting import attacked
from leadapron.results import Attacked, Findings, Spot, Subject
from leadapron.results.withheld import told
from leadapron.stats import Outcome

MEASURED = "measured attributes"


class AttributesConfig(AuditConfig):
    """What is asked of the audit."""

    attributes: tuple[str, ...] = Field(
        default=(),
        description="Only these columns of the table. [default: all but ids, dates and findings]",
        json_schema_extra={"option": "--attribute"},
    )
    age_bands: tuple[int, ...] = Field(
        default=(40, 60, 80),
        description="An age at which a band begins, in ascending order. [default: 40, 60, 80]",
        json_schema_extra={"option": "--age-band"},
    )
    certainty: float = Field(default=0.99, gt=0.5, lt=1, description="What counts as known for certain.")
    headline: str | None = Field(
        default=None,
        description="The attribute of the verdict. [default: the one that the vector adds most to, as other patients "
        "tell]",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        bands = self.age_bands
        if not bands or min(bands) < 1 or list(bands) != sorted(set(bands)):
            got = ", ".join(map(str, bands)) or "none"
            raise ConfigError("not the ages at which bands begin", got=got, allowed="years, each above the one before")
        return self


def audit_attributes(
    release: Release, config: AttributesConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """The whole audit of a release's images, with its controls. Nothing is drawn but landmarks, folds and controls."""
    config, release = config or AttributesConfig(), with_split(release)
    task = build_task(release, config.attributes, config.age_bands, config.seed)
    _check_headline(task, config.headline)
    found = AttributesGathering(ATTRIBUTES, seed=config.seed, records=release.records)
    progress("attributes", 0, 2)
    with found.stage("attack"):
        attack = task.attack()
    with found.stage("figures and intervals"):
        for attribute in task.attributes:
            add_attribute(found, attack, attribute, config.certainty)
    headline = config.headline or _strongest(attack, task.attributes)
    progress("attributes", 1, 2)
    with found.stage("controls"):
        outcomes = run_controls(task.attack_on, task.attributes, task.vectors, task.sides, config.seed)
    progress("attributes", 2, 2)
    by_name = {one.name: one for one in task.attributes}
    return Findings(
        audit=ATTRIBUTES.name,
        headline=Spot(metric=TOLD, attacker=CHOSEN, **by_name[headline].place),
        estimates=tuple(found.estimates),
        outcomes=(*outcomes, _measured(task), *found.outcomes),
        counts=_counts(task),
        patients_named=task.named,
        attacked=Attacked.model_validate(attacked(release.of_split(SIDE))),
        limits=_limits(task),
        details={
            "advantage": found.advantage,
            "kinds": {one.name: list(one.kinds) for one in task.attributes},
            "choice": dict(attack.choice),
            "table": list(task.table),
        },
        timings=found.timings,
    ).with_evidence({"units": pl.concat(found.units)})


def _check_headline(task: Task, asked: str | None) -> None:
    names = [one.name for one in task.attributes]
    if asked is not None and asked not in names:
        allowed = did_you_mean(asked, names)
        raise ConfigError("the headline's attribute is not measured", got=asked, allowed=allowed)


def strongest_attribute(release: Release, config: AttributesConfig) -> str | None:
    """The attribute that a verdict on this release is of; None where none can be measured.

    A trial asks it of the release before, and judges all others by the same.
    """
    try:
        task = build_task(with_split(release), config.attributes, config.age_bands, config.seed)
    except LeadapronError:
        return None
    return _strongest(task.attack(), task.attributes)


def _strongest(attack: Attack, attributes: Sequence[Attribute]) -> str:
    """By other patients, so that the choice flatters no number. Of the picture only where there is nothing else."""
    personal = [one.name for one in attributes if one.concerns == PERSON]
    return max(personal or [one.name for one in attributes], key=attack.advantage_on_others)


def _measured(task: Task) -> Outcome:
    reason = ", ".join(f"{one.name} ({len(one.kinds)} groups)" for one in task.attributes)
    small = {one.name: "other groups have too few patients" for one in task.attributes if not one.all_kinds}
    if not (lacking := task.lacking | small):
        return Outcome(MEASURED, "pass", reason)
    others = "; ".join(f"{name}: {why}" for name, why in lacking.items())
    return Outcome(MEASURED, "warn", f"{reason}. Not measurable: {others}")


def _counts(task: Task) -> dict[str, int | None]:
    sides = {"attacked": task.sides.attacked, "learnt": task.sides.others}
    counts = {f"{name}_records": len(rows) for name, rows in sides.items()}
    if task.named:
        counts |= {f"{name}_patients": len(np.unique(task.sides.patient[rows])) for name, rows in sides.items()}
    return {name: told(count) for name, count in counts.items()}


def _limits(task: Task) -> tuple[str, ...]:
    limits = [
        "The audit speaks of this release and of attackers who know what other patients of it are. One who knows more "
        "patients, or who trains a network on the images, may tell more.",
        "Each answer is from a single vector. An attacker who knows which vectors are one patient's may tell more.",
        "Findings are attributes, too. A vector that is of use tells them, so they are not counted as a leak here: "
        "they are what the attacker has anyway, and how well they are read off is what the use audit measures.",
        "Columns of the table are taken for the truth. That the table itself hands them over is not looked at here.",
        "Groups of fewer than ten patients, on either side, are left out.",
    ]
    if task.left_out:
        limits.append(f"The attackers learnt from {MOST_LEARNT:,} records of other patients, drawn at random.")
    if not task.named:
        limits.append(
            "The release names no patients: every record counts as one, and intervals are too narrow if patients recur."
        )
    return tuple(limits)


def _run(release: Release, config: AttributesConfig, _: Knowledge = NOTHING, progress: Progress = silent) -> Findings:
    return audit_attributes(release, config, progress=progress)


def _without_truth(subject: Subject) -> tuple[str, str] | None:
    if subject.describes == ():
        return (
            "not-applicable",
            "The table says nothing of patients but findings, so there is no truth to measure by: whether sex or age "
            "can be read off the vectors is not known.",
        )
    return None


ATTRIBUTES = Audit(
    name="attributes",
    answers="attribute",
    effort=Effort(1.0, 2.0),
    question="does a vector tell sex, age or other attributes?",
    config=AttributesConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    never_headline=frozenset({LINEAR, CURVED}),
    coordinates=COORDINATES,
    place="{attribute}",
    risk="what vectors tell of attributes",
    split=SIDE,
    policy=files("leadapron.attacks.attributes").joinpath("attributes_policy.toml").read_text(),
    not_applicable=_without_truth,
    page=PAGE,
)
