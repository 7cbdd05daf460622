"""Which findings a study shows, how severe, and how they come and go over the years.

Each finding has a course: a standard normal number a study, correlated between findings that go together and
between the studies of a patient. The finding is there when the course is above the threshold that gives the
case mix's prevalence, and the excess is its severity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from leadapron.cohort.labels import FINDINGS
from leadapron.phantoms.case_mix import CaseMix

Floats = NDArray[np.float64]

PATHOLOGIES = tuple(finding for finding in FINDINGS if finding not in ("No Finding", "Support Devices"))
COURSES = (*PATHOLOGIES, "Support Devices")

# How findings go together: loadings on age, being ill at all, the failing heart, infection, and the pleura.
# The second column is set so that at MIMIC-CXR's prevalences its 37.9 % of studies are without a finding.
LOADINGS = np.array(
    [
        (0.15, 0.20, 0.15, 0.15, 0.30),  # Atelectasis
        (0.30, 0.14, 0.55, 0.00, 0.00),  # Cardiomegaly
        (0.00, 0.18, 0.00, 0.60, 0.10),  # Consolidation
        (0.15, 0.18, 0.60, 0.10, 0.10),  # Edema
        (0.25, 0.12, 0.25, 0.00, 0.00),  # Enlarged Cardiomediastinum
        (0.25, 0.08, 0.00, 0.00, 0.10),  # Fracture
        (0.20, 0.10, 0.00, 0.05, 0.10),  # Lung Lesion
        (0.05, 0.20, 0.10, 0.50, 0.10),  # Lung Opacity
        (0.20, 0.20, 0.40, 0.10, 0.40),  # Pleural Effusion
        (0.20, 0.08, 0.00, 0.00, 0.40),  # Pleural Other
        (0.05, 0.18, 0.00, 0.65, 0.00),  # Pneumonia
        (0.00, 0.12, -0.05, 0.00, 0.45),  # Pneumothorax
        (0.15, 0.22, 0.15, 0.15, 0.25),  # Support Devices (acute)
    ]
)
PATIENT_SHARE = 0.45  # of a course's variance: how ill the patient is at all; the rest is the episode
EPISODE_DAYS = 45.0  # after this time an episode has faded to 1/e


def draw_courses(
    rng: np.random.Generator,
    patient: NDArray[np.int64],
    days: Floats,
    age: Floats,
    identity: float,
) -> Floats:
    """A course a study (rows) and finding (columns), each standard normal. Studies come in order, by patient."""
    studies = len(patient)
    lasting = _correlated(rng, patient.max() + 1)[patient]
    shocks = _correlated(rng, studies)
    stranger = _correlated(rng, studies)

    episode = np.empty((studies, len(COURSES)))
    for row in range(studies):
        if row and patient[row] == patient[row - 1]:
            kept = np.exp(-(days[row] - days[row - 1]) / EPISODE_DAYS)
            episode[row] = kept * episode[row - 1] + np.sqrt(1 - kept**2) * shocks[row]
        else:
            episode[row] = shocks[row]
    own = np.sqrt(PATIENT_SHARE) * lasting + np.sqrt(1 - PATIENT_SHARE) * episode
    mixed = identity * own + np.sqrt(1 - identity**2) * stranger

    on_age = LOADINGS[:, 0]
    courses: Floats = age[:, None] * on_age + np.sqrt(1 - on_age**2) * mixed
    return courses


def _correlated(rng: np.random.Generator, rows: int) -> Floats:
    """Standard normal courses with the correlations of the loadings, age aside."""
    loadings = LOADINGS[:, 1:] / np.sqrt(1 - LOADINGS[:, :1] ** 2)
    own = np.sqrt(1 - (loadings**2).sum(axis=1))
    shared: Floats = rng.standard_normal((rows, loadings.shape[1])) @ loadings.T
    separate: Floats = own * rng.standard_normal((rows, len(own)))
    return shared + separate


def severity(courses: Floats, case_mix: CaseMix) -> Floats:
    """0 where the finding is absent, else its severity: uniform on (0, 1] among those who have it."""
    prevalence = case_mix.shares(COURSES)
    prevalence[-1] = 1 - (1 - prevalence[-1]) / (1 - case_mix.pacemaker)
    excess = (ndtr(courses) - (1 - prevalence)) / prevalence
    present = courses > ndtri(1 - prevalence)
    return np.where(present, np.clip(excess, 1e-6, 1), 0.0)


def true_labels(severities: Floats, pacemaker: NDArray[np.bool_]) -> NDArray[np.int8]:
    """The 14 labels, as they are shown: one row a study, in the order of FINDINGS."""
    shown = dict(zip(COURSES, (severities > 0).T, strict=True))
    ill = np.any([shown[finding] for finding in PATHOLOGIES], axis=0)
    shown["No Finding"] = ~ill
    shown["Support Devices"] = shown["Support Devices"] | pacemaker
    return np.stack([shown[finding] for finding in FINDINGS], axis=1).astype(np.int8)


def noisy_labels(
    rng: np.random.Generator, labels: NDArray[np.int8], noise: float, case_mix: CaseMix
) -> NDArray[np.int8]:
    """Labels of which each is, with probability ``noise``, redrawn at its prevalence."""
    redrawn = rng.random(labels.shape) < case_mix.shares(FINDINGS)
    return np.where(rng.random(labels.shape) < noise, redrawn, labels).astype(np.int8)
