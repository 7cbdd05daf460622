"""Who comes when: the studies of each patient over the years."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.phantoms.dials import Dials

MOST_STUDIES = 8
STUDY_DECAY = 0.745  # each further study is this likely: 3.1 studies and 3.4 images a patient, as in MIMIC-CXR


@dataclass(frozen=True)
class Visits:
    """For each study its patient, its number among the patient's, and the days since the first."""

    patient: NDArray[np.int64]
    order: NDArray[np.int64]
    days: NDArray[np.float64]


def draw_visits(rng: np.random.Generator, patients: int, days_apart: float) -> Visits:
    chances = STUDY_DECAY ** np.arange(MOST_STUDIES)
    counts = rng.choice(np.arange(1, MOST_STUDIES + 1), size=patients, p=chances / chances.sum())
    patient = np.repeat(np.arange(patients), counts)
    order = np.concatenate([np.arange(count) for count in counts])
    # Half of the follow-ups come within the median, some after years.
    gaps = np.where(order == 0, 0, np.ceil(rng.lognormal(np.log(days_apart), 1.6, len(patient)).clip(1, 2500)))
    days = np.concatenate([np.cumsum(part) for part in np.split(gaps, np.cumsum(counts)[:-1])])
    return Visits(patient, order, days)


def patient_id(dials: Dials, number: int) -> str:
    """A name that no patient of another clinic has, be it of another site or of another seed: ``A0-00017``."""
    return f"{dials.site}{dials.seed}-{number:05d}"
