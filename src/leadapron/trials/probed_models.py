"""Models that learn from a release, for the membership audit: small networks on the released images of its patients."""

from __future__ import annotations

import numpy as np

from leadapron.attacks.membership import Signals, build_signals
from leadapron.attacks.membership.signals import number_patients
from leadapron.engine import Progress, silent
from leadapron.release import Release
from leadapron.targets.audited import audited_records, balanced_masks
from leadapron.targets.learner import FULL
from leadapron.targets.probes import ProbeConfig, probes_of

MODELS = 64
FEWEST_PATIENTS = 100
"""With fewer training patients the audit's own controls have too little to stand on."""


def can_be_probed(release: Release) -> bool:
    """Enough patients to train on, and labels to learn."""
    if not any(name.startswith("label_") for name in release.records.columns):
        return False
    return release.of_split("train").records["patient_id"].n_unique() >= FEWEST_PATIENTS


def probed_signals(release: Release, seed: int, *, progress: Progress = silent) -> Signals:
    """Train the models, each on half of the training patients, and ask them of all of these."""
    learner = probes_of(release, ProbeConfig(seed=seed))
    records = audited_records(release.records, learner.labels, release.where)
    members = balanced_masks(number_patients(records)[0], MODELS, seed)
    trained = learner.train(members, [seed * MODELS + model for model in range(MODELS)], progress=progress)
    logits = np.stack([model.answers[FULL] for model in trained])
    return build_signals(logits, members, records, logits=True)
