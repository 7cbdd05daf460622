"""A release as the attack on attributes takes it: who is attacked, what is known of everybody, what is sought."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.attributes.attribute_attack import VIEW, Attack, run_attack
from leadapron.attacks.attributes.attribute_columns import Attribute, find_attributes
from leadapron.attacks.attributes.attribute_probes import Sides, make_sides
from leadapron.cohort.split import check_split
from leadapron.cohort.truth import labels_of
from leadapron.engine.remembered import content, remembered
from leadapron.errors import DataError
from leadapron.release import Release

Floats = NDArray[np.float64]

SIDE = "test"
ALLOWED = (
    "a column such as sex, age or race with two groups or more, each of ten patients under attack (split test) and of "
    "ten others"
)


@dataclass(frozen=True)
class Task:
    """Patients of split ``test`` are attacked; the attackers learn from all others."""

    vectors: NDArray[np.float32]
    findings: Floats
    """Of every record, as numbers: which findings it has, and which are unknown."""
    views: Floats
    attributes: tuple[Attribute, ...]
    lacking: dict[str, str]
    """Columns that cannot be measured, and why."""
    sides: Sides
    left_out: int
    """Records of other patients from whom nobody learns, because there are very many."""
    table: tuple[str, ...]
    """What the attacker knows without the vector: findings, view, both or none."""
    named: bool
    seed: int

    def attack(self) -> Attack:
        """The attack on this release, which a trial and the audit ask for both."""
        sides = self.sides
        kinds = np.stack([one.kind for one in self.attributes], axis=1)
        names = tuple((one.name, one.kinds) for one in self.attributes)
        known = content(kinds, self.findings, self.views, sides.patient, sides.attacked, sides.others)
        what = ("attributes", names, known, self.seed)
        return remembered(self.vectors, what, lambda: self.attack_on(self.attributes, self.vectors))

    def attack_on(self, attributes: Sequence[Attribute], vectors: NDArray[np.float32]) -> Attack:
        return run_attack(vectors, self.findings, self.views, attributes, self.sides, self.seed)


def build_task(release: Release, asked: Sequence[str], bands: Sequence[int], seed: int) -> Task:
    """An error where a column that was asked for cannot be measured, or none at all can."""
    records, where = release.records, release.where
    named = "patient_id" in records.columns
    if named:
        check_split(records, where=where)
    whose = records["patient_id" if named else "record_id"]
    patient = whose.rank("dense").to_numpy().astype(np.int64) - 1
    attacked = (records["split"].cast(pl.String) == SIDE).fill_null(value=False).to_numpy()
    attributes, lacking = find_attributes(records, patient, attacked, asked, bands, where)
    refused = {name: lacking[name] for name in asked if name in lacking}
    if refused or not attributes:
        what = "this is no attribute that can be measured" if refused else "no attribute can be measured"
        got = "; ".join(f"{name}: {why}" for name, why in (refused or lacking).items())
        raise DataError(what, where=where, got=got or f"the columns {', '.join(records.columns)}", allowed=ALLOWED)
    sides = make_sides(patient, attacked, seed)
    truth = labels_of(records, where).truth
    none = np.zeros((len(records), 1))  # so that a table without findings is no special case
    views = records[VIEW].cast(pl.String).to_dummies().to_numpy() if VIEW in records.columns else none
    return Task(
        vectors=release.image,
        findings=np.concatenate([none, truth == 1, truth < 0], axis=1).astype(np.float64),
        views=views.astype(np.float64),
        attributes=tuple(attributes),
        lacking=lacking,
        sides=sides,
        left_out=len(records) - len(sides.attacked) - len(sides.others),
        table=tuple(name for name, there in (("findings", truth.size), (VIEW, VIEW in records.columns)) if there),
        named=named,
        seed=seed,
    )
