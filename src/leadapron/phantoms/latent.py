"""Who a patient is, as one vector of standard normal numbers, and the dial that wears it down.

Everything that lasts (anatomy, sex, age, implants, where a disease sits) is read off this vector by fixed
functions, so identity has one source and one dial.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.phantoms.phantom_findings import COURSES

Floats = NDArray[np.float64]

ANATOMY = (
    "torso_width", "shoulder", "soft_tissue", "breast",
    "lung_width", "lung_height", "apex",
    "rib_spacing", "rib_start", "rib_slope", "rib_bend", "rib_width", "rib_density", "rib_wave", "rib_phase",
    "front_rib_slope", "front_rib_start",
    "clavicle_height", "clavicle_slope", "clavicle_bend", "clavicle_width",
    "spine_curve", "spine_phase", "spine_width", "vertebra",
    "heart_width", "heart_height", "heart_tilt", "heart_shift",
    "knob", "aorta", "mediastinum",
    "right_dome", "left_dome", "dome_bend", "stomach",
    "hilum_height", "hilum_size", "vessel_a", "vessel_b", "vessel_c", "scapula",
)  # fmt: skip
INCIDENTAL = (
    "pacemaker",
    "wires",
    "clips",
    "clip_place",
    "granuloma",
    "granuloma_side",
    "granuloma_across",
    "granuloma_along",
)
PLACE = tuple(f"{finding}_{what}" for finding in COURSES for what in ("side", "across", "along"))
NAMES = ("sex", "age", *ANATOMY, *INCIDENTAL, *PLACE)
COLUMN = {name: column for column, name in enumerate(NAMES)}


def wear(own: Floats, fresh: Floats, identity: float) -> Floats:
    """A study's vector: the patient's own, mixed with a stranger's so that every number stays standard normal."""
    worn: Floats = identity * own + np.sqrt(1 - identity**2) * fresh
    return worn
