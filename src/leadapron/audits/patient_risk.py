"""From images to patients: the chance that somebody is found at all, and how it is spread."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.audits.gathering import Gathering, spread

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
THRESHOLDS = np.unique(np.concatenate([[0.0], np.geomspace(1e-4, 0.02, 24), np.linspace(0.02, 1, 50)]))


def patient_risk(risk: Floats, patient: Ints) -> Floats:
    """The chance that at least one of a patient's images is found, each in a pool of its own.

    ``patient`` numbers the patients from 0.
    """
    missed = np.ones(int(patient.max()) + 1)
    np.multiply.at(missed, patient, 1 - risk)
    found: Floats = 1 - missed
    return found


def survival(found: Gathering, risk: Floats, who: Ints) -> pl.DataFrame:
    """The share of the patients who have at least a given risk, with its interval."""
    share = spread(found.means((risk[:, None] >= THRESHOLDS).astype(np.float64), who))
    return pl.DataFrame({"risk": THRESHOLDS, "share": share["value"], "low": share["low"], "high": share["high"]})
