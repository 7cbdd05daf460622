"""What is to be seen on a study, in words' terms: the same numbers that the renderer draws, ready to be said."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.phantoms.details import airway_tip, lesion_radius
from leadapron.phantoms.phantom_findings import COURSES, PATHOLOGIES
from leadapron.phantoms.scene import (
    CARDIOMEGALY,
    CARINA,
    DEVICES,
    ENDOTRACHEAL,
    FRACTURE,
    LESION,
    UNIT_MM,
    Scene,
)

SIDES = {-1.0: "right", 1.0: "left", 0.0: "bilateral"}
WITHOUT_PLACE = ("Cardiomegaly", "Edema", "Enlarged Cardiomediastinum")
WITHOUT_HEIGHT = (*WITHOUT_PLACE, "Pleural Effusion", "Pleural Other", "Pneumothorax", "Atelectasis", "Fracture")


@dataclass(frozen=True)
class Seen:
    """One finding as it is shown. What does not apply is None."""

    finding: str
    severity: float
    side: str | None
    zone: str | None
    measure: str | None


@dataclass(frozen=True)
class Study:
    """All that is to be seen on a study."""

    findings: tuple[Seen, ...]
    device: int
    device_side: str
    device_tip: float
    airway_tip_cm: float
    pacemaker: bool
    incidental: tuple[str, ...]

    @property
    def normal(self) -> bool:
        return not self.findings and not self.device and not self.pacemaker


def see(scene: Scene) -> Study:
    """Read a scene as a radiologist would, without error."""
    findings = tuple(_finding(scene, index) for index in range(len(PATHOLOGIES)) if scene["severity"][index] > 0)
    return Study(
        findings=findings,
        device=int(scene["device"]) if scene["severity"][DEVICES] > 0 else 0,
        device_side=SIDES[float(scene["device_side"])],
        device_tip=float(scene["device_tip"]),
        airway_tip_cm=(CARINA - airway_tip(float(scene["device_tip"]))) * UNIT_MM / 10
        if scene["device"] == ENDOTRACHEAL
        else 0.0,
        pacemaker=bool(scene["pacemaker"]),
        incidental=tuple(_incidental(scene)),
    )


def _finding(scene: Scene, index: int) -> Seen:
    finding, severity = COURSES[index], float(scene["severity"][index])
    along = float(scene["along"][index])
    measure = None
    if index == LESION:
        measure = f"{2 * lesion_radius(severity) * UNIT_MM:.0f} mm"
    elif index == CARDIOMEGALY:
        measure = f"{cardiothoracic_ratio(scene):.2f}"
    elif index == FRACTURE:
        measure = f"{int(3 + round(6 * along))}th rib"
    return Seen(
        finding=finding,
        severity=severity,
        side=None if finding in WITHOUT_PLACE else SIDES[float(scene["side"][index])],
        zone=None if finding in WITHOUT_HEIGHT else zone(along),
        measure=measure,
    )


def zone(along: float) -> str:
    """Upper, mid or lower: thirds of the lung."""
    return "upper" if along < 0.40 else "mid" if along < 0.65 else "lower"


def cardiothoracic_ratio(scene: Scene) -> float:
    """The width of the drawn heart over the width of the drawn chest."""
    from leadapron.phantoms.chest import heart_edge, lung_side

    wide = heart_edge(scene)
    right = 0.165 * wide + 0.045
    left = float(scene["heart_shift"]) + 0.385 * wide
    return (right + left) / (2 * lung_side(scene, 0.3))


def _incidental(scene: Scene) -> list[str]:
    """What is seen beside the labels and tells one patient from another."""
    seen = []
    if scene["wires"]:
        seen.append("wires")
    if scene["clips"]:
        seen.append(("clips in armpit", "clips in belly", "clips at hilum")[int(scene["clip_place"])])
    if scene["granuloma"]:
        seen.append(f"granuloma {SIDES[float(scene['granuloma_side'])]} {zone(float(scene['granuloma_along']))}")
    if abs(scene["spine_curve"]) > 0.026:
        bent = scene["spine_curve"] * np.sin(2.6 * scene["spine_phase"])
        seen.append("scoliosis right" if bent < 0 else "scoliosis left")
    if scene["aorta"] > 1.0:
        seen.append("unfolded aorta")
    if scene["right_dome"] + 0.055 < scene["left_dome"] - 0.05:
        seen.append("raised right dome")
    if scene["left_dome"] < scene["right_dome"] - 0.01:
        seen.append("raised left dome")
    volume = float(scene["inspiration"]) * 0.045 + float(scene["lung_height"])
    if volume < -0.06:
        seen.append("low volumes")
    elif volume > 0.08:
        seen.append("large volumes")
    if scene["rib_density"] < 0.75:
        seen.append("thin bones")
    if scene["stomach"] > 1.1:
        seen.append("stomach gas")
    if scene["breast"] > 0.9:
        seen.append("breast shadows")
    return seen


def see_all(scenes: NDArray[np.void]) -> list[Study]:
    return [see(scene) for scene in scenes]
