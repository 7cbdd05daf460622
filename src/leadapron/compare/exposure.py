"""Whether a model that learns from a release gives away whom it learnt from: the membership audit, before and after.

What is trained are small networks on the released images, as somebody would who was given the release.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from leadapron.attacks.membership import MembershipConfig, audit_membership, build_signals
from leadapron.attacks.membership.signals import number_patients
from leadapron.attacks.risk import Risk
from leadapron.compare.excess import Share
from leadapron.compare.rows import estimate_of, row_of
from leadapron.engine import Progress, silent
from leadapron.release import Release
from leadapron.report import Results
from leadapron.stats import Estimate, mean_difference
from leadapron.targets.audited import audited_records
from leadapron.targets.learner import FULL
from leadapron.targets.masks import balanced_masks
from leadapron.targets.probes import ProbeConfig, probes_of

MODELS = 64
FEWEST_PATIENTS = 100
"""With fewer training patients the audit's own controls have too little to stand on."""


@dataclass(frozen=True)
class Exposure:
    """What the models trained on a release give away.

    ``attack`` is the AUC over all records of LiRA; ``top`` is the AUC that one patient in a hundred exceeds and
    ``top_chance`` what it would be by chance; ``exposed`` is the share of patients recognised nearly every time.
    ``change`` is how much a patient's AUC changed on average against the undefended release. ``apart`` has the risk as
    it was measured, what was declared, and what follows from both.
    """

    models: int
    attack: Estimate
    top: Estimate
    top_chance: float
    exposed: Estimate
    change: Share
    change_p: float
    apart: dict[str, dict[str, Any]]


def can_be_exposed(release: Release) -> bool:
    """Enough patients to train on, and labels to learn."""
    train = release.of_split("train").records
    return train["patient_id"].n_unique() >= FEWEST_PATIENTS


def expose(release: Release, seed: int, *, progress: Progress = silent) -> Risk:
    """Train the models, each on half of the training patients, and audit what they say of all of them."""
    learner = probes_of(release, ProbeConfig(seed=seed))
    records = audited_records(release.records, learner.labels, release.where)
    members = balanced_masks(number_patients(records)[0], MODELS, seed)
    trained = learner.train(members, [seed * MODELS + model for model in range(MODELS)], progress=progress)
    logits = np.stack([model.answers[FULL] for model in trained])
    signals = build_signals(logits, members, records, logits=True)
    return audit_membership(signals, MembershipConfig(seed=seed), progress=progress)


def exposure_of(before: Results | None, after: Results | None, seed: int) -> Exposure | None:
    """None where too few patients were trained on."""
    if before is None or after is None:
        return None
    top = row_of(after, attacker="joint", protocol="patient", metric="auc@top=0.01")
    pairs = _by_patient(before).join(_by_patient(after), on="patient_id", suffix="_after", validate="1:1")
    change = mean_difference(
        pairs["auc_joint"].to_numpy(), pairs["auc_joint_after"].to_numpy(), pairs["patient_id"].to_numpy(), seed=seed
    )
    return Exposure(
        models=after.content["counts"]["models"],
        attack=estimate_of(row_of(after, attacker="lira", protocol="aggregate", metric="auc")),
        top=estimate_of(top),
        top_chance=top["chance"],
        exposed=estimate_of(row_of(after, attacker="joint", protocol="patient", metric="true-patients-above=0.9")),
        change=Share(change.difference, change.low, change.high),
        change_p=change.p,
        apart=after.content["risk"],
    )


def _by_patient(results: Results) -> pl.DataFrame:
    table = results.evidence("patients")
    assert table is not None
    return table.select("patient_id", "auc_joint")
