"""The canonical prompt: labels and what is known of their place and size, in words that are read back the same.

It says no more than a reading holds, in one order and one wording, so that nobody's style passes through it.
"""

from __future__ import annotations

from collections.abc import Mapping

from leadapron.reports.prompt_reading import TIPS, Reading, Said

NOUNS = {
    "Atelectasis": "atelectasis",
    "Cardiomegaly": "cardiomegaly",
    "Consolidation": "consolidation",
    "Edema": "pulmonary edema",
    "Enlarged Cardiomediastinum": "mediastinal widening",
    "Fracture": "rib fracture",
    "Lung Lesion": "lung lesion",
    "Lung Opacity": "lung opacity",
    "Pleural Effusion": "pleural effusion",
    "Pleural Other": "pleural thickening",
    "Pneumonia": "pneumonia",
    "Pneumothorax": "pneumothorax",
    "Support Devices": "support device",
}
"""In the order in which they are said; "No Finding" is what is left when all are denied."""
GRADES = {1: "small", 2: "moderate", 3: "large"}
SIDES = {"right": "right", "left": "left", "both": "bilateral"}
MEASURES = {
    "Lung Lesion": " measuring {:.0f} mm",
    "Cardiomegaly": " with ratio {:.2f}",
    "Fracture": " of the {:.0f}th rib",
}
KINDS = {
    "endotracheal": "endotracheal tube",
    "nasogastric": "nasogastric tube",
    "jugular": "jugular line",
    "arm": "PICC",
    "chest": "chest tube",
    "pacemaker": "pacemaker",
}
PLACES = ("upper SVC", "mid SVC", "cavoatrial junction", "right atrium")


def canonical_prompt(reading: Reading) -> str:
    """A sentence a finding that is there, one for all that are denied, one a device, and the projection."""
    sentences = [] if reading.view is None else [f"{reading.view} view"]
    shown = [name for name in NOUNS if name in reading.present and name != "Support Devices"]
    sentences += [_finding(name, reading.present[name]) for name in shown]
    sentences += [_device(kind, said) for kind, said in reading.devices.items()]
    if "Support Devices" in reading.present and not reading.devices:
        sentences.append("Support device")
    sentences += [f"No {NOUNS[name]}" for name in NOUNS if name in reading.absent]
    return "".join(f"{sentence[0].upper()}{sentence[1:]}. " for sentence in sentences).strip()


def _finding(name: str, said: Said) -> str:
    words = [GRADES.get(said.grade or 0, ""), SIDES.get(said.side or "", ""), NOUNS[name]]
    measure = "" if said.measure is None or name not in MEASURES else MEASURES[name].format(said.measure)
    zone = "" if said.zone is None else f" in the {said.zone} zone"
    return f"{' '.join(word for word in words if word)}{measure}{zone}"


def _device(kind: str, said: Said) -> str:
    side = "" if said.side is None else f"{said.side} "
    if said.measure is None:
        return f"{side}{KINDS[kind]}"
    if kind == "endotracheal":
        return f"{KINDS[kind]} {1 + 6 * said.measure:.1f} cm above the carina"
    return f"{side}{KINDS[kind]}, tip in the {PLACES[min(int(said.measure * len(TIPS)), len(TIPS) - 1)]}"


def labelled_reading(labels: Mapping[str, float | None], view: str | None, report: Reading) -> Reading:
    """What the labels say is there or not, with the places and sizes that a report gives to it.

    Where label and report differ, the label counts; what is not labelled is not said.
    """
    present = {name: report.present.get(name, Said()) for name in NOUNS if labels.get(name) == 1}
    absent = frozenset(name for name in NOUNS if labels.get(name) == 0)
    devices = report.devices if "Support Devices" in present else {}
    return Reading(present, absent, devices, view if view in ("AP", "PA") else None)
