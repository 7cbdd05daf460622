"""The scene: every number that the renderer needs of one image, read off the latent vectors.

Lengths are in half image widths. The spine runs down the middle (x = 0), x > 0 is the patient's left, y grows
downwards from the neck (−1) to the abdomen (+1). One unit is about 190 mm of a patient.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from leadapron.phantoms.latent import ANATOMY, COLUMN
from leadapron.phantoms.phantom_findings import COURSES
from leadapron.phantoms.scanner import Scanner

Floats = NDArray[np.float64]

UNIT_MM = 190.0
CARINA = -0.30  # height at which the trachea divides

ATELECTASIS, CARDIOMEGALY, CONSOLIDATION, EDEMA, MEDIASTINUM, FRACTURE, LESION, OPACITY = range(8)
EFFUSION, PLEURAL, PNEUMONIA, PNEUMOTHORAX, DEVICES = range(8, 13)

NO_DEVICE, ENDOTRACHEAL, NASOGASTRIC, JUGULAR_LINE, ARM_LINE, CHEST_TUBE = range(6)

# mean and spread of each anatomical length or factor
SPREAD = {
    "torso_width": (0.93, 0.035), "shoulder": (0.34, 0.05), "soft_tissue": (1.0, 0.10), "breast": (0.0, 1.0),
    "lung_width": (0.71, 0.035), "lung_height": (0.0, 0.045), "apex": (0.55, 0.06),
    "rib_spacing": (0.126, 0.007), "rib_start": (-0.60, 0.028), "rib_slope": (0.10, 0.05),
    "rib_bend": (0.22, 0.05), "rib_width": (0.023, 0.003), "rib_density": (1.0, 0.18),
    "rib_wave": (0.012, 0.008), "rib_phase": (0.0, 1.5),
    "front_rib_slope": (0.60, 0.09), "front_rib_start": (-0.55, 0.03),
    "clavicle_height": (-0.66, 0.035), "clavicle_slope": (-0.10, 0.06), "clavicle_bend": (0.05, 0.02),
    "clavicle_width": (0.028, 0.0035),
    "spine_curve": (0.0, 0.016), "spine_phase": (0.0, 0.6), "spine_width": (0.088, 0.006), "vertebra": (0.118, 0.006),
    "heart_width": (1.0, 0.075), "heart_height": (1.0, 0.07), "heart_tilt": (0.42, 0.08), "heart_shift": (0.085, 0.020),
    "knob": (0.075, 0.012), "aorta": (0.0, 1.0), "mediastinum": (0.135, 0.013),
    "right_dome": (0.38, 0.035), "left_dome": (0.43, 0.035), "dome_bend": (0.20, 0.03), "stomach": (0.5, 0.5),
    "hilum_height": (-0.06, 0.025), "hilum_size": (1.0, 0.15),
    "vessel_a": (0.0, 1.0), "vessel_b": (0.0, 1.0), "vessel_c": (0.0, 1.0), "scapula": (0.78, 0.04),
}  # fmt: skip

STUDY = (
    "female", "age", "inspiration", "pacemaker", "wires", "clips", "clip_place",
    "granuloma", "granuloma_side", "granuloma_across", "granuloma_along", "device", "device_side", "device_tip",
)  # fmt: skip
IMAGE = (
    "ap", "turn", "scale", "shift_x", "shift_y", "yaw", "exposure", "contrast", "grain", "marker",
    "gamma", "blur", "field_x", "field_y",
)  # fmt: skip

SCENE = np.dtype(
    [(name, np.float64) for name in (*ANATOMY, *STUDY, *IMAGE)]
    + [(name, np.float64, (len(COURSES),)) for name in ("severity", "side", "across", "along")]
    + [("seed", np.uint64)],
)

Scene = Any
"""One element of an array of SCENE: compiled code reads its fields as attributes, which no static type knows."""

# The side on which a finding sits: shares of right and left, the rest is both.
SIDES = np.full((len(COURSES), 2), 0.5)
SIDES[[ATELECTASIS, EFFUSION]] = (0.32, 0.30)
SIDES[[OPACITY, PNEUMONIA]] = (0.42, 0.38)
# How far down the lung it sits: lowest and highest place, 0 at the apex and 1 at the base.
ALONG = np.tile((0.22, 0.85), (len(COURSES), 1))
ALONG[[ATELECTASIS]] = (0.68, 0.90)
ALONG[[FRACTURE]] = (0.30, 0.75)


def study_scenes(rng: np.random.Generator, vectors: Floats, severities: Floats, pacemaker: float) -> NDArray[np.void]:
    """What the images of a study share: anatomy, implants, findings with their place, devices, inspiration."""
    scenes = np.zeros(len(vectors), dtype=SCENE)
    for name, (mean, spread) in SPREAD.items():
        scenes[name] = mean + spread * np.clip(vectors[:, COLUMN[name]], -2.5, 2.5)
    share = {name: ndtr(vectors[:, column]) for name, column in COLUMN.items()}

    scenes["female"] = share["sex"] < 0.48
    scenes["age"] = vectors[:, COLUMN["age"]]
    # Breasts are drawn for women; the aorta unfolds and the bones pale with age.
    scenes["breast"] = np.where(scenes["female"] > 0, np.clip(0.55 + 0.3 * scenes["breast"], 0.1, 1.2), 0.0)
    scenes["aorta"] = np.clip(0.5 * scenes["aorta"] + 0.6 * scenes["age"], -1, 2.5)
    scenes["rib_density"] -= 0.10 * scenes["age"]
    scenes["inspiration"] = rng.normal(0, 1, len(scenes)).clip(-2, 2)

    scenes["pacemaker"] = share["pacemaker"] < pacemaker
    scenes["wires"] = share["wires"] < 0.08
    scenes["clips"] = share["clips"] < 0.08
    scenes["clip_place"] = np.floor(3 * share["clip_place"]).clip(0, 2)
    scenes["granuloma"] = share["granuloma"] < 0.06
    scenes["granuloma_side"] = np.where(share["granuloma_side"] < 0.5, -1, 1)
    scenes["granuloma_across"] = 0.35 + 0.5 * share["granuloma_across"]
    scenes["granuloma_along"] = 0.15 + 0.6 * share["granuloma_along"]

    scenes["severity"] = severities
    for column, finding in enumerate(COURSES):
        place = share[f"{finding}_side"]
        right, left = SIDES[column]
        scenes["side"][:, column] = np.where(place < right, -1, np.where(place < right + left, 1, 0))
        scenes["across"][:, column] = 0.30 + 0.5 * share[f"{finding}_across"]
        low, high = ALONG[column]
        scenes["along"][:, column] = low + (high - low) * share[f"{finding}_along"]
    _place_devices(rng, scenes)
    return scenes


def _place_devices(rng: np.random.Generator, scenes: NDArray[np.void]) -> None:
    """Where there are acute devices, which one, on which side it enters, and where its tip ends."""
    devices = np.ceil(5 * rng.random(len(scenes)))
    drained = (scenes["severity"][:, PNEUMOTHORAX] > 0) & (rng.random(len(scenes)) < 0.7)
    devices = np.where(drained, CHEST_TUBE, devices)
    scenes["device"] = np.where(scenes["severity"][:, DEVICES] > 0, devices, NO_DEVICE)
    side = np.where(rng.random(len(scenes)) < 0.65, -1.0, 1.0)
    follows = np.where(scenes["severity"][:, PNEUMOTHORAX] > 0, PNEUMOTHORAX, EFFUSION)
    drained_side = scenes["side"][np.arange(len(scenes)), follows]
    scenes["device_side"] = np.where((devices == CHEST_TUBE) & (drained_side != 0), drained_side, side)
    scenes["device_tip"] = rng.random(len(scenes))


def image_scenes(
    rng: np.random.Generator,
    studies: NDArray[np.void],
    study: NDArray[np.int64],
    ap: NDArray[np.bool_],
    scanner: Scanner,
) -> NDArray[np.void]:
    """What changes from exposure to exposure: projection, pose, exposure, noise, the side marker, the field."""
    scenes = studies[study]
    count = len(scenes)
    scenes["ap"] = ap
    scenes["turn"] = rng.normal(0, 0.022, count)
    scale, spread, smallest, largest = scanner.scale
    scenes["scale"] = rng.normal(scale, spread, count).clip(smallest, largest)
    scenes["shift_x"] = rng.normal(0, 0.025, count).clip(-scanner.wander, scanner.wander)
    scenes["shift_y"] = rng.normal(0.02, 0.03, count).clip(-scanner.wander, scanner.wander)
    scenes["yaw"] = rng.normal(0, 0.02, count) * np.where(ap, 1.5, 1.0)
    scenes["exposure"] = rng.normal(scanner.exposure, 0.05, count)
    scenes["contrast"] = rng.normal(scanner.contrast, 0.07, count).clip(0.8 * scanner.contrast, 1.25 * scanner.contrast)
    scenes["grain"] = rng.uniform(*scanner.grain, count) * np.where(ap, 1.5, 1.0)
    scenes["marker"] = rng.random(count)
    scenes["seed"] = rng.integers(0, 2**63, count, dtype=np.uint64)
    scenes["gamma"], scenes["blur"] = scanner.gamma, scanner.blur
    # the leaves of a collimator close on the middle of the beam
    scenes["field_x"], scenes["field_y"] = rng.uniform(*scanner.field, (2, count))
    return scenes
