"""Who bears the risk: patients, groups of them, what changed between two images, and how many images are known."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.attacks.identity.fused import found_with, numbers_known
from leadapron.attacks.identity.identity_gathering import DIRECTION, IdentityGathering, Judged, where
from leadapron.attacks.identity.identity_task import Task
from leadapron.attacks.identity.retrieval import chance_first
from leadapron.attacks.identity.scores import InnerProducts
from leadapron.attacks.identity.strata import add_strata
from leadapron.audits.groups import Risks, add_groups
from leadapron.audits.patient_risk import patient_risk, survival
from leadapron.results import GroupTest


def add_people(
    found: IdentityGathering, task: Task, attacker: Judged, pool: int
) -> tuple[dict[str, pl.DataFrame], tuple[GroupTest, ...]]:
    """Risk by patient, by group and by what changed between two images, for the strongest attacker."""
    gallery, best = task.gallery, attacker.best
    records = gallery.records[best.query.tolist()]
    who, compact = np.unique(gallery.patient[best.query], return_inverse=True)
    risk = patient_risk(attacker.risk, compact)
    chance = chance_first(best, pool)
    guess = float(patient_risk(chance, compact).mean())
    at, patient = where("random", pool), gallery.patient[best.query]
    estimate = found.means(risk[:, None], who)[0]
    found.add_of_some("patient-recognised", estimate, attacker=attacker.name, chance=guess, **at)
    tests = add_groups(found, records, Risks("precision@1", attacker.name, at, attacker.risk, chance, patient))
    recognised, alarm = attacker.recognised()
    add_strata(found, task, attacker.name, recognised, alarm, DIRECTION)
    names = records["patient_id"].cast(pl.String)
    by_record = {
        "record_id": records["record_id"].cast(pl.String),
        "patient_id": names,
        "direction": DIRECTION,
        "attacker": attacker.name,
        "above": best.above,
        "ties": best.ties,
        "recall": attacker.risk,
    }
    by_patient = pl.DataFrame({"patient_id": names, "images": np.bincount(compact)[compact], "risk": risk[compact]})
    tables = {
        "survival": survival(found, risk, who),
        "records": pl.DataFrame(by_record),
        "patients": by_patient.unique("patient_id", maintain_order=True),
    }
    return tables, tests


def add_fused(found: IdentityGathering, task: Task, attacker: Judged, pool: int, seed: int) -> None:
    """What more known images of a patient bring, on the same patients for every number."""
    numbers = numbers_known(task)
    if not isinstance(attacker.scores, InnerProducts):  # other scores do not add up
        return
    for number in numbers:
        risk, patient = found_with(task, attacker.scores, number, max(numbers), pool, seed)
        estimate = found.means(risk[:, None], patient)[0]
        group = f"known_images={number}"
        at = where("fused", pool)
        found.add("precision@1", estimate, attacker=attacker.name, chance=1 / pool, group=group, **at)
