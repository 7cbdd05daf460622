"""Who is in which model: whole patients, each in exactly half of the models."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import ConfigError, DataError

FEWEST_MODELS = 8
STREAM = 1
"""Masks have their own stream of random numbers, apart from all that the models draw."""


def balanced_masks(patients: NDArray[np.int64], models: int, seed: int) -> NDArray[np.bool_]:
    """Models by records, given the patient's number of each record.

    Every patient is dealt to half of the models by itself, all halves being equally likely: with every patient in as
    many models as out of them, no record has fewer models on one side than the audit counts on.
    """
    if models < FEWEST_MODELS or models % 2:
        raise ConfigError(
            "patients cannot be in half of so many models", got=models, allowed=f"even, {FEWEST_MODELS} or more"
        )
    rng = np.random.default_rng([seed, STREAM])
    half = np.arange(models) < models // 2
    of_patients = rng.permuted(np.repeat(half[:, None], int(patients.max()) + 1, axis=1), axis=0)
    one_sided = of_patients.all(axis=1) | ~of_patients.any(axis=1)
    if one_sided.any():
        raise DataError(
            f"model {int(one_sided.argmax())} was dealt all patients or none: there are too few to audit",
            got=f"{of_patients.shape[1]} patients",
        )
    members: NDArray[np.bool_] = of_patients[:, patients]
    return members
