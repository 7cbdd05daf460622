"""What is drawn with a brush: vessels, collar bones, findings at a place, devices, implants, the side marker."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.compiled import kernel
from leadapron.phantoms.brush import blob, noise, tube
from leadapron.phantoms.chest import diaphragm, dome, in_lung, lung_side, on_side
from leadapron.phantoms.scene import (
    ARM_LINE,
    ATELECTASIS,
    CARINA,
    CHEST_TUBE,
    CONSOLIDATION,
    EDEMA,
    ENDOTRACHEAL,
    FRACTURE,
    JUGULAR_LINE,
    LESION,
    NASOGASTRIC,
    OPACITY,
    PNEUMONIA,
    Scene,
)

Floats = NDArray[np.float64]
METAL = 0.55


@kernel
def lesion_radius(severity: float) -> float:
    """From a nodule of 7 mm across to a mass of 50 mm (one unit is 190 mm)."""
    return 0.018 + 0.115 * severity**2


@kernel
def airway_tip(share: float) -> float:
    """The height of an endotracheal tube's tip: 1 to 7 cm above the carina."""
    return CARINA - (10.0 + 60.0 * share) / 190.0


@kernel
def line_tip(share: float) -> float:
    """The height of a central line's tip, from the upper superior vena cava to the right atrium."""
    return -0.32 + 0.42 * share


@kernel
def vessels(scene: Scene, pose: Floats, canvas: Floats, lung: Floats) -> None:
    """Branches that fan out from each hilum and thin out, in a pattern that is the patient's own."""
    layer = np.zeros_like(canvas)
    swollen = 1.0 + 0.7 * scene.severity[EDEMA]
    for side in (-1.0, 1.0):
        for branch in range(9):
            spread = (branch - 4) / 4
            wave = np.sin(1.9 * branch + scene.vessel_a + side * scene.vessel_b)
            x = side * (0.15 + 0.015 * wave) + scene.yaw
            y = scene.hilum_height + 0.10 * spread + (0.02 if side < 0 else -0.02)
            angle = 0.15 + 1.15 * spread + 0.22 * wave
            reach = 0.125 + 0.03 * np.sin(2.3 * branch + scene.vessel_c - side * scene.vessel_a)
            radius = (0.020 - 0.006 * abs(spread)) * scene.hilum_size * swollen
            for part in range(4):
                bend = angle + 0.20 * part * np.sin(branch + scene.vessel_b + side * scene.vessel_c)
                nx, ny = x + side * reach * np.cos(bend), y + reach * np.sin(bend)
                thin = radius * (1.0 - 0.22 * part)
                tube(layer, pose, x, y, nx, ny, thin, thin - 0.22 * radius, 0.135 - 0.028 * part)
                if part > 0:
                    fork = bend + (0.6 if (branch + part) % 2 else -0.6)
                    tx, ty = x + side * 0.13 * np.cos(fork), y + 0.13 * np.sin(fork)
                    tube(layer, pose, x, y, tx, ty, 0.6 * thin, 0.25 * thin, 0.085 - 0.015 * part)
                x, y = nx, ny
    canvas += layer * (0.10 + 0.90 * lung)


@kernel
def shoulder_girdle(scene: Scene, pose: Floats, canvas: Floats) -> None:
    """Collar bones with bright margins, and the inner edges of the shoulder blades."""
    bone, marrow = np.zeros_like(canvas), np.zeros_like(canvas)
    for side in (-1.0, 1.0):
        x, y = side * 0.10 + 1.5 * scene.yaw, scene.clavicle_height + 0.05 - 0.05 * scene.ap
        for part in range(1, 9):
            t = part / 8
            nx = side * (0.10 + 0.72 * t) + 1.5 * scene.yaw * (1 - t)
            ny = scene.clavicle_height + 0.05 * (1 - t) - 0.05 * scene.ap
            ny += scene.clavicle_slope * t + scene.clavicle_bend * np.sin(6.28 * t)
            width = scene.clavicle_width * (1.15 - 0.25 * np.sin(3.14 * t))
            tube(bone, pose, x, y, nx, ny, width, width, 0.115)
            tube(marrow, pose, x, y, nx, ny, 0.5 * width, 0.5 * width, 0.03)
            x, y = nx, ny
        inner = scene.scapula - (0.07 if scene.ap > 0 else -0.02)
        tube(bone, pose, side * (inner + 0.06), -0.55, side * inner, -0.10, 0.020, 0.012, 0.05)
        tube(bone, pose, side * 0.99, -0.64, side * 0.90, -0.55, 0.10, 0.07, 0.11)
    canvas += bone - marrow


@kernel
def opacities(scene: Scene, pose: Floats, canvas: Floats, lung: Floats) -> None:
    """Findings inside the lung: what, where, how large, how dense."""
    bands, airways = np.zeros_like(canvas), np.zeros_like(canvas)
    for side in (-1.0, 1.0):
        severity = on_side(scene, CONSOLIDATION, side)
        if severity > 0:
            x, y = in_lung(scene, side, scene.across[CONSOLIDATION], scene.along[CONSOLIDATION])
            r = 0.12 + 0.12 * severity
            blob(canvas, lung, pose, x, y, r, 0.85 * r, 0.40, 0.30 + 0.14 * severity, scene.seed, 0.25)
            for branch in range(3):  # air bronchograms: the airways stay dark
                bx, by = side * 0.5 * r, 0.45 * r * (branch - 1)
                tube(airways, pose, x - bx, y, x + bx, y + by, 0.010, 0.005, 0.07)
        severity = on_side(scene, OPACITY, side)
        if severity > 0:
            x, y = in_lung(scene, side, scene.across[OPACITY], scene.along[OPACITY])
            r = 0.13 + 0.10 * severity
            blob(canvas, lung, pose, x, y, 1.1 * r, r, 0.85, 0.15 + 0.13 * severity, scene.seed, 0.35)
        severity = on_side(scene, PNEUMONIA, side)
        if severity > 0:
            x, y = in_lung(scene, side, scene.across[PNEUMONIA], scene.along[PNEUMONIA])
            r = 0.055 + 0.05 * severity
            for patch in range(6):
                dx = 0.26 * (noise(np.uint64(77 + patch), int(1e6 * scene.across[PNEUMONIA]), 1) - 0.5)
                dy = 0.26 * (noise(np.uint64(77 + patch), int(1e6 * scene.along[PNEUMONIA]), 2) - 0.5)
                blob(canvas, lung, pose, x + dx, y + dy, r, r, 0.7, 0.14 + 0.10 * severity, scene.seed, 0.4)
        severity = on_side(scene, LESION, side)
        if severity > 0:
            x, y = in_lung(scene, side, scene.across[LESION], scene.along[LESION])
            r = lesion_radius(severity)
            blob(canvas, lung, pose, x, y, r, r, 0.15, 0.28, scene.seed, 0.10)
        severity = on_side(scene, ATELECTASIS, side)
        if severity > 0:
            x, y = in_lung(scene, side, 0.50, scene.along[ATELECTASIS])
            half = 0.09 + 0.11 * severity
            tilt = 0.10 * (scene.across[ATELECTASIS] - 0.55)
            thin = 0.010 + 0.014 * severity
            tube(bands, pose, x - half, y + tilt, x + half, y - tilt, thin, 0.7 * thin, 0.22)
            if severity > 0.5:
                tube(bands, pose, x - 0.7 * half, y + 0.07, x + 0.6 * half, y + 0.06, 0.012, 0.008, 0.18)
        if scene.severity[EDEMA] > 0.45:  # septal lines at the bases
            for line in range(4):
                y = dome(scene, side) - 0.03 - 0.05 * line
                edge = lung_side(scene, y)
                tube(bands, pose, side * (edge - 0.02), y, side * (edge - 0.09), y, 0.005, 0.005, 0.12)
    canvas += (bands - airways) * lung


@kernel
def bone_findings(scene: Scene, pose: Floats, canvas: Floats, everywhere: Floats) -> None:
    """A rib fracture: a dark gap, a step, and callus around it."""
    severity = scene.severity[FRACTURE]
    if severity > 0:
        side = scene.side[FRACTURE] if scene.side[FRACTURE] != 0 else 1.0
        _, y = in_lung(scene, side, 0.8, scene.along[FRACTURE])
        x = side * 0.90 * lung_side(scene, y)
        blob(canvas, everywhere, pose, x, y, 0.055, 0.040, 0.30, 0.16 + 0.12 * severity, scene.seed, 0.1)
        bone, gap = np.zeros_like(canvas), np.zeros_like(canvas)
        tube(gap, pose, x - 0.012, y - 0.035, x + 0.012, y + 0.035, 0.008, 0.008, 0.20)
        tube(bone, pose, x, y + 0.012, x + side * 0.07, y + 0.035, 0.018, 0.014, 0.10)
        canvas += bone - gap


@kernel
def devices(scene: Scene, pose: Floats, metal: Floats) -> None:
    """Tubes and lines, each ending where the report says."""
    kind, side, share = scene.device, scene.device_side, scene.device_tip
    if kind == ENDOTRACHEAL:
        tip = airway_tip(share)
        tube(metal, pose, 0.015, -1.2, 0.012 + scene.yaw, tip, 0.024, 0.024, 0.10)
        tube(metal, pose, 0.030, -1.2, 0.027 + scene.yaw, tip, 0.007, 0.007, 0.28)
    elif kind == NASOGASTRIC:
        bend_y = diaphragm(scene, 0.2, 1.0) + 0.10
        tube(metal, pose, -0.02, -1.2, 0.02 + scene.yaw, 0.15, 0.009, 0.009, 0.26)
        tube(metal, pose, 0.02 + scene.yaw, 0.15, 0.16, bend_y, 0.009, 0.009, 0.26)
        tube(metal, pose, 0.16, bend_y, 0.20 + 0.2 * share, 0.70, 0.009, 0.009, 0.26)
    elif kind == JUGULAR_LINE:
        tube(metal, pose, side * 0.20, -1.2, side * 0.13, -0.62, 0.008, 0.008, 0.28)
        tube(metal, pose, side * 0.13, -0.62, -0.075, -0.42, 0.008, 0.008, 0.28)
        tube(metal, pose, -0.075, -0.42, -0.08, line_tip(share), 0.008, 0.008, 0.28)
    elif kind == ARM_LINE:
        tube(metal, pose, side * 1.1, -0.42, side * 0.75, -0.50, 0.007, 0.007, 0.26)
        tube(metal, pose, side * 0.75, -0.50, side * 0.35, -0.66, 0.007, 0.007, 0.26)
        tube(metal, pose, side * 0.35, -0.66, -0.07, -0.48, 0.007, 0.007, 0.26)
        tube(metal, pose, -0.07, -0.48, -0.08, line_tip(share), 0.007, 0.007, 0.26)
    elif kind == CHEST_TUBE:
        y, tip_y = 0.25 - 0.15 * share, -0.55 + 0.35 * share
        edge = lung_side(scene, y)
        tube(metal, pose, side * 1.1, y + 0.15, side * (edge - 0.05), y, 0.016, 0.016, 0.18)
        tube(metal, pose, side * (edge - 0.05), y, side * 0.30, tip_y, 0.016, 0.016, 0.18)
        tube(metal, pose, side * (edge - 0.05), y, side * 0.30, tip_y, 0.005, 0.005, 0.30)


@kernel
def implants(scene: Scene, pose: Floats, metal: Floats) -> None:
    """What stays: a pacemaker with its leads, sternal wires, surgical clips, a calcified granuloma."""
    if scene.pacemaker > 0:
        tube(metal, pose, 0.57, -0.46, 0.63, -0.45, 0.080, 0.075, METAL)
        tube(metal, pose, 0.52, -0.50, 0.12, -0.60, 0.008, 0.008, 0.30)
        tube(metal, pose, 0.12, -0.60, -0.07, -0.40, 0.008, 0.008, 0.30)
        tube(metal, pose, -0.07, -0.40, -0.06, 0.10, 0.008, 0.008, 0.30)
        tube(metal, pose, -0.06, 0.10, 0.20, 0.33, 0.008, 0.010, 0.30)
    if scene.wires > 0:
        for wire in range(5):
            y, x = -0.42 + 0.16 * wire, 1.2 * scene.yaw
            tube(metal, pose, x - 0.035, y - 0.012, x + 0.035, y + 0.012, 0.008, 0.008, 0.30)
            tube(metal, pose, x - 0.030, y + 0.016, x + 0.030, y - 0.014, 0.006, 0.006, 0.26)
    if scene.clips > 0:
        x, y = 0.78, -0.30  # left armpit
        if scene.clip_place == 1:
            x, y = -0.30, 0.72  # right upper belly
        elif scene.clip_place == 2:
            x, y = 0.14, -0.16  # left hilum
        for clip in range(4):
            cx, cy = x + 0.045 * np.cos(1.9 * clip), y + 0.050 * np.sin(2.6 * clip)
            tube(metal, pose, cx, cy, cx + 0.022, cy + 0.010, 0.008, 0.008, METAL)
    if scene.granuloma > 0:
        x, y = in_lung(scene, scene.granuloma_side, scene.granuloma_across, scene.granuloma_along)
        tube(metal, pose, x, y, x + 0.004, y, 0.020, 0.018, 0.36)


@kernel
def side_marker(scene: Scene, metal: Floats) -> None:
    """A lead letter L near the patient's left shoulder, put by hand and so never twice in the same place."""
    size = metal.shape[0]
    frame = np.array([size / 2.0, 0.0, size / 2.0, size / 2.0, size / 2.0])
    x, y = 0.78 + 0.10 * scene.marker, -0.90 + 0.14 * ((7.0 * scene.marker) % 1.0)
    x, y = x - (1.0 - scene.field_x), y + (1.0 - scene.field_y)  # inside the field
    tube(metal, frame, x, y, x, y + 0.09, 0.012, 0.012, 1.2)
    tube(metal, frame, x, y + 0.09, x + 0.055, y + 0.09, 0.012, 0.012, 1.2)
