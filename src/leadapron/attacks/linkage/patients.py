"""Patients: the chance that somebody is linked at all, and how it is spread."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.attacks.linkage.any_report import any_report_in_pools
from leadapron.attacks.linkage.evidence import patient_names
from leadapron.attacks.linkage.pools import recall_in_pool
from leadapron.attacks.linkage.ranks import Ranks
from leadapron.attacks.linkage.task import Task
from leadapron.attacks.measurements import Measurements
from leadapron.attacks.patients import patient_risk, survival


def add_patients(
    found: Measurements, records: pl.DataFrame, name: str, task: Task, ranks: Ranks, pool: int
) -> dict[str, pl.DataFrame]:
    """Two estimates, and the evidence by patient. ``records`` are the queries' rows of the release.

    - ``patient-linked``: at least one of a patient's images has its report first, each in a pool of its own
    - ``patient-report``: the first report is one of the right patient's, be it of another study
    """
    recall = recall_in_pool(ranks, pool, 1)
    who, compact = np.unique(task.query_patient, return_inverse=True)
    images = np.bincount(compact)
    risk = patient_risk(recall, compact)
    guess = float(np.mean(1 - (1 - 1 / pool) ** images))
    found.add(task.direction, name, pool, "patient-linked", guess, found.means(risk[:, None], who)[0])

    reports = np.bincount(task.candidate_patient, minlength=int(task.query_patient.max()) + 1)[task.query_patient]
    sizes = sorted({pool, ranks.database})
    chances = np.stack(any_report_in_pools(task, ranks, sizes), axis=1)
    for size, theirs in zip(sizes, found.means(chances, task.query_patient), strict=True):
        # the true one is in the pool, and of the patient's others as many as the rest of the pool brings
        guess = float((1 + (reports - 1) * (size - 1) / (ranks.database - 1)).mean() / size)
        found.add(task.direction, name, size, "patient-report", guess, theirs)

    by_patient = pl.DataFrame({"patient_id": patient_names(records), "images": images[compact], "risk": risk[compact]})
    return {
        "survival": survival(found, risk, who),
        "patients": by_patient.unique("patient_id", maintain_order=True),
    }
