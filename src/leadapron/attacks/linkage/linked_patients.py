"""Patients: the chance that somebody is linked at all, and how it is spread."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.attacks.linkage.any_report import any_report_in_pools
from leadapron.attacks.linkage.linkage_evidence import patient_names
from leadapron.attacks.linkage.linkage_gathering import where
from leadapron.attacks.linkage.linkage_task import Task
from leadapron.attacks.linkage.random_pools import RandomPools
from leadapron.audits.gathering import Gathering
from leadapron.audits.patient_risk import patient_risk, survival


def add_patients(
    found: Gathering, records: pl.DataFrame, name: str, task: Task, chances: RandomPools, pool: int
) -> dict[str, pl.DataFrame]:
    """Two estimates, and the evidence by patient. ``records`` are the queries' rows of the release.

    - ``patient-linked``: at least one of a patient's images has its report first, each in a pool of its own
    - ``patient-report``: the first report is one of the right patient's, be it of another study
    """
    who, compact = np.unique(task.query_patient, return_inverse=True)
    images = np.bincount(compact)
    risk = patient_risk(chances.recall(pool), compact)
    guess = float(np.mean(1 - (1 - 1 / pool) ** images))
    linked = found.means(risk[:, None], who)[0]
    found.add_of_some("patient-linked", linked, attacker=name, chance=guess, **where(task, pool))

    reports = np.bincount(task.candidate_patient, minlength=int(task.query_patient.max()) + 1)[task.query_patient]
    database = chances.ranks.database
    sizes = sorted({pool, database})
    any_report = np.stack(any_report_in_pools(task, chances, sizes), axis=1)
    for size, theirs in zip(sizes, found.means(any_report, task.query_patient), strict=True):
        # the true one is in the pool, and of the patient's others as many as the rest of the pool brings
        guess = float((1 + (reports - 1) * (size - 1) / (database - 1)).mean() / size)
        found.add_of_some("patient-report", theirs, attacker=name, chance=guess, **where(task, size))

    by_patient = pl.DataFrame({"patient_id": patient_names(records), "images": images[compact], "risk": risk[compact]})
    return {
        "survival": survival(found, risk, who),
        "patients": by_patient.unique("patient_id", maintain_order=True),
    }
