"""Patients: the chance that somebody is linked at all, and how it is spread."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.linkage.measure import Measurements, add_estimate, spread
from leadapron.attacks.linkage.pools import recall_in_pool
from leadapron.attacks.linkage.ranks import Ranks
from leadapron.attacks.linkage.task import Task

Floats = NDArray[np.float64]
THRESHOLDS = np.unique(np.concatenate([[0.0], np.geomspace(1e-4, 0.02, 24), np.linspace(0.02, 1, 50)]))


def add_patients(
    found: Measurements, records: pl.DataFrame, name: str, task: Task, ranks: Ranks, pool: int
) -> dict[str, pl.DataFrame]:
    """Two estimates, and the evidence by record and by patient. ``records`` are the queries' rows of the release.

    - ``patient-linked``: at least one of a patient's images has its report first, each in a pool of its own
    - ``patient-report``: in the whole database, the best text is some report of the right patient
    """
    recall = recall_in_pool(ranks, pool, 1)
    who, compact = np.unique(task.query_patient, return_inverse=True)
    images = np.bincount(compact)
    missed = np.ones(len(who))
    np.multiply.at(missed, compact, 1 - recall)
    risk = 1 - missed
    guess = float(np.mean(1 - (1 - 1 / pool) ** images))
    add_estimate(found, task.direction, name, pool, "patient-linked", guess, found.means(risk[:, None], who)[0])

    reports = np.bincount(task.candidate_patient, minlength=int(task.query_patient.max()) + 1)[task.query_patient]
    theirs = found.means(_share_of_patient(task, ranks.best)[:, None], task.query_patient)[0]
    guess = float(reports.mean() / ranks.database)
    add_estimate(found, task.direction, name, ranks.database, "patient-report", guess, theirs)

    above = spread(found.means((risk[:, None] >= THRESHOLDS).astype(np.float64), who))
    names = records["patient_id" if "patient_id" in records.columns else "record_id"].cast(pl.String)
    by_record = {
        "record_id": records["record_id"].cast(pl.String),
        "patient_id": names,
        "direction": task.direction,
        "attacker": name,
        "above": ranks.above,
        "ties": ranks.ties,
        "recall": recall,
    }
    by_patient = pl.DataFrame({"patient_id": names, "images": images[compact], "risk": risk[compact]})
    return {
        "survival": pl.DataFrame(
            {"risk": THRESHOLDS, "share": above["value"], "low": above["low"], "high": above["high"]}
        ),
        "records": pl.DataFrame(by_record),
        "patients": by_patient.unique("patient_id", maintain_order=True),
    }


def _share_of_patient(task: Task, best: NDArray[np.int64]) -> Floats:
    """For each query the share of the best text's candidates that are of the query's own patient."""
    pairs = pl.DataFrame({"text": task.database.text_of, "patient": task.candidate_patient})
    counts = pairs.group_by("text", "patient").len()
    asked = pl.DataFrame({"text": best, "patient": task.query_patient})
    own = asked.join(counts, on=["text", "patient"], how="left", maintain_order="left")["len"].fill_null(0).to_numpy()
    share: Floats = own / task.database.copies[best]
    return share
