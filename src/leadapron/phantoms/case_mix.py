"""Who comes to a clinic: how common each finding is, how soon patients are imaged again, and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CaseMix:
    """The patients of a clinic.

    - ``prevalence``: percent of studies with each label. "No Finding" follows from the others and is written down.
    - ``pacemaker``: share of patients with one; acute devices make up the rest of the support devices.
    - ``days_apart``: median days between two studies of a patient.
    - ``bedside``: share of healthy patients without a device who are imaged lying in bed (AP).
    """

    prevalence: Mapping[str, float]
    pacemaker: float
    days_apart: float
    bedside: float

    def shares(self, findings: tuple[str, ...]) -> Floats:
        """The prevalences of these findings, between 0 and 1."""
        return np.array([self.prevalence[finding] / 100 for finding in findings])


GENERAL = CaseMix(
    # Prevalence in the training part of MIMIC-CXR (the linkage study's supplementary table 4).
    prevalence={
        "Atelectasis": 19.89,
        "Cardiomegaly": 19.48,
        "Consolidation": 4.03,
        "Edema": 11.25,
        "Enlarged Cardiomediastinum": 3.03,
        "Fracture": 1.89,
        "Lung Lesion": 2.62,
        "Lung Opacity": 19.05,
        "No Finding": 37.90,
        "Pleural Effusion": 22.44,
        "Pleural Other": 0.77,
        "Pneumonia": 6.48,
        "Pneumothorax": 4.61,
        "Support Devices": 28.48,
    },
    pacemaker=0.06,
    days_apart=60,
    bedside=0.46,
)

INTENSIVE_CARE = CaseMix(
    # Set by hand, after no hospital in particular: failing hearts, fluid, infection, lines and tubes.
    prevalence={
        "Atelectasis": 34.0,
        "Cardiomegaly": 30.0,
        "Consolidation": 9.0,
        "Edema": 28.0,
        "Enlarged Cardiomediastinum": 5.0,
        "Fracture": 2.5,
        "Lung Lesion": 1.5,
        "Lung Opacity": 33.0,
        "No Finding": 17.46,
        "Pleural Effusion": 42.0,
        "Pleural Other": 1.0,
        "Pneumonia": 12.0,
        "Pneumothorax": 8.0,
        "Support Devices": 75.0,
    },
    pacemaker=0.10,
    days_apart=3,  # a film every few days, while they are there
    bedside=0.62,
)
