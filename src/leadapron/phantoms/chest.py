"""The chest: body, lungs, heart, bones and diaphragm as a map of thickness, pixel by pixel.

A radiograph is a picture of thickness: what stops more of the beam is brighter. Every structure adds its share,
air takes it away.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.compiled import kernel
from leadapron.phantoms.brush import cloud, length, step
from leadapron.phantoms.scene import (
    ATELECTASIS,
    CARDIOMEGALY,
    CARINA,
    EDEMA,
    EFFUSION,
    MEDIASTINUM,
    PLEURAL,
    PNEUMOTHORAX,
    Scene,
)

Floats = NDArray[np.float64]
RIBS = 10


@kernel
def on_side(scene: Scene, finding: int, side: float) -> float:
    """The severity of a finding on one side of the chest."""
    wanted = scene.side[finding]
    return scene.severity[finding] if wanted == 0 or wanted == side else 0.0


@kernel
def apex(scene: Scene) -> float:
    """The height of the top of the lungs."""
    return -0.74 - scene.lung_height


@kernel
def lung_side(scene: Scene, y: float) -> float:
    """How far from the spine the lung reaches at a height: round at the apex, straight below."""
    t = (y - apex(scene)) / scene.apex
    if t <= 0:
        return 0.0
    dome = 1.0 if t >= 1 else np.sqrt(1.0 - (1.0 - t) ** 2)
    return scene.lung_width * (0.86 * dome + 0.10 * min(t, 2.0)) * (1.0 + 0.012 * scene.inspiration)


@kernel
def dome(scene: Scene, side: float) -> float:
    """The height of the top of the diaphragm on one side: lung lost below an atelectasis pulls it up."""
    height = scene.right_dome if side < 0 else scene.left_dome
    return height + 0.045 * scene.inspiration - 0.09 * on_side(scene, ATELECTASIS, side) - 0.03 * scene.ap


@kernel
def diaphragm(scene: Scene, x: float, side: float) -> float:
    """The height of the diaphragm over one point: an arch that falls off to the angle at the chest wall."""
    middle, half = 0.30, 0.44
    across = (abs(x) - middle) / half
    fall = scene.dome_bend * across * across
    return dome(scene, side) + (fall if across > 0 else 0.45 * fall)


@kernel
def fluid_top(scene: Scene, x: float, side: float) -> float:
    """The upper edge of an effusion: a meniscus, highest at the chest wall; below everything if there is none."""
    severity = on_side(scene, EFFUSION, side)
    if severity == 0:
        return 9.0
    floor = dome(scene, side) + scene.dome_bend
    outward = min(1.2, abs(x) / scene.lung_width)
    return floor - (0.10 + 0.62 * severity) * (0.30 + 0.70 * outward**3)


@kernel
def collapse(scene: Scene, side: float) -> float:
    """How far a pneumothorax has drawn the lung's edge away from the chest wall."""
    severity = on_side(scene, PNEUMOTHORAX, side)
    return 0.05 + 0.16 * severity if severity > 0 else 0.0


@kernel
def in_lung(scene: Scene, side: float, across: float, along: float) -> tuple[float, float]:
    """The point at a share of the way across and down a lung."""
    top = apex(scene) + 0.06
    y = top + along * (dome(scene, side) - top)
    return side * (0.10 + across * (lung_side(scene, y) - 0.10)), y


@kernel
def body(scene: Scene, x: float, y: float) -> float:
    """Soft tissue: the trunk, the slope of the shoulders and the neck; nothing outside."""
    trunk = step(scene.torso_width + 0.35 * step(-0.42 - y, 0.25) - abs(x), 0.04)
    slope = step(y + 1.10 - scene.shoulder * abs(x), 0.03)
    neck = step(0.27 - abs(x), 0.05)
    outline = trunk * max(slope, neck * step(-0.7 - y, 0.2))
    thick = 0.80 + 0.12 * step(y - 0.3, 0.5) - 0.20 * (x / scene.torso_width) ** 2
    return scene.soft_tissue * outline * thick


@kernel
def ribs(scene: Scene, x: float, y: float) -> float:
    """Ribs from behind, nearly level, and from the front, falling towards the middle."""
    out = abs(x)
    edge = lung_side(scene, y) + 0.035
    if out > edge or y < apex(scene) - 0.02:
        return 0.0
    value = 0.0
    width = scene.rib_width

    bend = max(0.0, out / scene.lung_width - 0.55)
    sway = scene.rib_wave * np.sin(7.0 * out + scene.rib_phase)
    place = (
        y - scene.rib_start - scene.rib_slope * (out - 0.3) - scene.rib_bend * 2.2 * bend**2 - sway
    ) / scene.rib_spacing
    index = np.rint(place)
    if 0 <= index < RIBS:
        offset = 0.10 * np.sin(2.1 * index + scene.rib_phase)
        distance = abs(place - index - offset) * scene.rib_spacing
        shell = 0.65 + 0.35 * min(1.0, distance / width) ** 2
        value += 0.105 * shell * step(width - distance, 0.010) * step(out - 0.075, 0.02)

    place = (y - scene.front_rib_start - scene.front_rib_slope * (scene.lung_width - out)) / (1.12 * scene.rib_spacing)
    index = np.rint(place)
    if 0 <= index < RIBS - 2:
        offset = 0.10 * np.sin(1.7 * index - scene.rib_phase)
        distance = abs(place - index - offset) * scene.rib_spacing
        value += 0.055 * step(1.15 * width - distance, 0.012) * step(out - 0.34, 0.10)
    return value * scene.rib_density * step(edge - out, 0.02)


@kernel
def spine(scene: Scene, x: float, y: float) -> float:
    """The vertebrae, one below the other, on a line that may curve."""
    if abs(x) > 0.25:
        return 0.0
    middle = scene.spine_curve * np.sin(2.6 * (y + scene.spine_phase)) - 0.5 * scene.yaw
    distance = abs(x - middle)
    level = y / scene.vertebra + scene.spine_phase
    gap = abs(level - np.rint(level))
    block = 0.72 + 0.28 * step(gap - 0.12, 0.08)
    pedicle = 0.04 * step(0.018 - length(distance - 0.055, (gap - 0.32) * scene.vertebra), 0.012)
    return 0.11 * step(scene.spine_width - distance, 0.014) * block + pedicle


@kernel
def heart_edge(scene: Scene) -> float:
    """The factor by which the heart is wider than its owner's plain heart."""
    severity = scene.severity[CARDIOMEGALY]
    enlarged = 1.16 + 0.34 * severity if severity > 0 else 1.0
    return scene.heart_width * enlarged * (1.08 if scene.ap > 0 else 1.0)


@kernel
def heart(scene: Scene, x: float, y: float) -> float:
    """Left ventricle and right atrium, resting on the diaphragm: how much of the lung they push aside."""
    if abs(x) > 0.75 or y < -0.2:
        return 0.0
    wide, tall = heart_edge(scene), scene.heart_height
    cx, cy = scene.heart_shift + 0.06 * wide + scene.yaw, 0.235 + 0.03 * scene.inspiration
    u, v = x - cx, y - cy
    # a tilt is a shear here: no sine needed, and the apex still points down and to the left
    along, over = u + 0.15 * v, v - scene.heart_tilt * u
    ventricle = 1.0 - length(along / (0.325 * wide), over / (0.235 * tall * (0.6 + 0.4 * wide)))
    atrium = 1.0 - length((x + 0.045 - scene.yaw) / (0.165 * wide), (y - 0.19) / (0.25 * tall))
    return max(step(ventricle, 0.07), step(atrium, 0.10))


@kernel
def mediastinum(scene: Scene, x: float, y: float) -> float:
    """The great vessels above the heart with the aortic knob: how much of the lung they push aside."""
    if abs(x) > 0.5:
        return 0.0
    severity = scene.severity[MEDIASTINUM]
    wide = scene.mediastinum * (1.45 + 0.55 * severity if severity > 0 else 1.0) * (1.08 if scene.ap > 0 else 1.0)
    waist = wide * (0.85 + 0.25 * step(y + 0.25, 0.25) + 0.35 * step(-0.70 - y, 0.15))
    trunk = 0.80 * step(waist - abs(x - scene.yaw), 0.030) * step(0.35 - y, 0.2)
    knob_x, knob_y = 0.105 + 0.02 * scene.aorta + scene.yaw, -0.36 - 0.015 * scene.aorta
    knob = step(scene.knob * (1 + 0.12 * scene.aorta) - length(x - knob_x, y - knob_y), 0.035)
    return max(trunk, 0.95 * knob)


@kernel
def midline(scene: Scene, x: float, y: float) -> float:
    """The descending aorta's edge, and the dark trachea down to where it divides."""
    if abs(x) > 0.3:
        return 0.0
    down = 0.085 + 0.03 * scene.aorta * np.sin(3.0 * (y + 0.35)) + scene.yaw
    aorta = 0.05 * step(0.050 - abs(x - down), 0.02) * step(y + 0.33, 0.05)
    pipe = 0.012 + 0.02 * scene.aorta * step(y + 0.55, 0.15) + scene.yaw
    return aorta - 0.13 * step(0.032 - abs(x - pipe), 0.012) * step(CARINA - y, 0.02)


@kernel
def chest(scene: Scene, pose: Floats, canvas: Floats, lung: Floats) -> None:
    """Fill the thickness map, and beside it where there is aerated lung (for what lives in it)."""
    size = canvas.shape[0]
    scale = pose[0] ** 2 + pose[1] ** 2
    for row in range(size):
        for column in range(size):
            px, py = column - pose[2], row - pose[3]
            x, y = (pose[0] * px - pose[1] * py) / scale, (pose[1] * px + pose[0] * py) / scale
            side = -1.0 if x < 0 else 1.0
            tissue = body(scene, x, y)
            if tissue == 0.0:
                continue
            wall, floor = lung_side(scene, y), diaphragm(scene, x, side)
            cavity = (
                step(wall - abs(x), 0.018)
                * step(abs(x) - 0.05 - 0.09 * step(y - 0.25, 0.2), 0.03)
                * step(y - apex(scene), 0.02)
            )
            air = cavity * step(floor - y, 0.014)
            # heart and vessels push the lung aside; what is left of it lies before and behind them
            shadow = max(0.90 * heart(scene, x, y), mediastinum(scene, x, y))
            thick = tissue - 0.47 * scene.soft_tissue * air * (1.0 - shadow)
            thick += ribs(scene, x, y) * (0.45 + 0.55 * air) + spine(scene, x, y) + midline(scene, x, y)

            if scene.breast > 0 and -0.35 < y < 0.75:
                u, v = (abs(x) - 0.43) / (0.27 + 0.05 * scene.breast), (y - 0.12 - 0.10 * scene.breast) / 0.36
                thick += 0.12 * scene.breast * step(1.0 - length(u, v), 0.16 if v < 0 else 0.07)
            if 0.15 < x < 0.6 and y > floor:
                u, v = (x - 0.36) / 0.15, (y - floor - 0.13) / 0.08
                thick -= 0.26 * max(0.0, scene.stomach) * step(1.0 - length(u, v), 0.18)

            fluid = step(y - fluid_top(scene, x, side), 0.022)
            thick += 0.50 * fluid * air * (1.0 - shadow)
            air *= 1.0 - fluid

            gap = collapse(scene, side)
            if gap > 0:
                reach = gap * (0.55 + 0.9 * step(-0.35 - y, 0.35))
                free = step(abs(x) - (wall - reach), 0.008)
                line = step(0.011 - abs(abs(x) - (wall - reach)), 0.008)
                thick += air * (0.09 * line - 0.10 * free)
                air *= 1.0 - free
            thickening = on_side(scene, PLEURAL, side)
            if thickening > 0:
                near = step(0.035 + 0.045 * thickening - (wall - abs(x)), 0.015)
                stretch = step(0.30 - abs(y - (apex(scene) + 0.25 + 0.75 * scene.along[PLEURAL])), 0.08)
                thick += 0.24 * near * stretch * cavity * (0.7 + 0.6 * cloud(scene.seed, 18 * x, 18 * y))
            edema = scene.severity[EDEMA]
            if edema > 0:
                fan = np.exp(-(((abs(x) - 0.22) / 0.26) ** 2) - ((y - 0.02) / 0.36) ** 2)
                thick += air * (0.07 + 0.20 * edema) * fan * (0.65 + 0.7 * cloud(scene.seed, 14 * x, 14 * y))
            canvas[row, column] = thick
            lung[row, column] = air * (1.0 - 0.65 * shadow)
