"""The oracle: a clinic's records drawn once more with their findings, in strangers' anatomy.

A generator that were perfect would do no better. What is still recognised in its images is recognised by the findings
themselves, so this is the floor that generated counterparts are judged against; only a phantom can have it.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import ConfigError, did_you_mean
from leadapron.phantoms.clinic import Clinic
from leadapron.phantoms.latent import NAMES
from leadapron.phantoms.phantom_findings import COURSES, PATHOLOGIES
from leadapron.phantoms.scene import (
    ALONG,
    CARDIOMEGALY,
    DEVICES,
    FRACTURE,
    LESION,
    image_scenes,
    study_scenes,
)
from leadapron.phantoms.seen import WITHOUT_HEIGHT
from leadapron.phantoms.sites import SITES

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Scenes = NDArray[np.void]

KINDS = ("said", "shown")
GRADES = 3
ZONE_ENDS = (0.0, 0.40, 0.65, 1.0)
"""Upper, mid and lower: where ``seen.zone`` changes its word."""
KEPT = ("severity", "side", "across", "along", "pacemaker", "device", "device_side", "device_tip")
DONE = {
    "said": "the same findings in strangers' anatomy; what a report does not say of them is drawn anew",
    "shown": "the same findings in strangers' anatomy, at their very places and severities",
}


def counterpart_clinic(clinic: Clinic, kind: str) -> Clinic:
    """The same records, labels, reports and splits; every image is of the record's findings in a body of its own.

    ``shown`` keeps places and severities as they are. ``said`` keeps of them what a report would say, each detail with
    the probability that the specificity dial gives, and draws the rest anew. A pacemaker is kept, because it is a
    finding; old clips, wires and scars are the stranger's. The same clinic gives the same counterparts.
    """
    if kind not in KINDS:
        raise ConfigError("unknown kind of counterparts", got=kind, allowed=did_you_mean(kind, KINDS))
    site = SITES[clinic.dials.site]
    rng = np.random.default_rng([clinic.dials.seed, zlib.crc32(f"{site.streams}counterparts {kind}".encode())])
    own, count = clinic.scenes, len(clinic.scenes)
    bodies = rng.standard_normal((count, len(NAMES)))
    strangers = study_scenes(rng, bodies, own["severity"].copy(), site.case_mix.pacemaker)
    if kind == "said":
        _keep_said(rng, strangers, own, _Said.draw(rng, clinic))
    else:
        for name in KEPT:
            strangers[name] = own[name]
    scenes = image_scenes(rng, strangers, np.arange(count), own["ap"] > 0, site.scanner)
    return replace(clinic, scenes=scenes, cohort=replace(clinic.cohort, card=_card(kind)))


@dataclass(frozen=True)
class _Said:
    """Which details of each record's findings its report says: rows are records, columns findings."""

    side: Flags
    zone: Flags
    grade: Flags
    measure: Flags
    device: Flags

    @classmethod
    def draw(cls, rng: np.random.Generator, clinic: Clinic) -> _Said:
        """The images of a study share a report, and so what is said of them."""
        study = np.unique(clinic.cohort.records["study_id"].to_numpy(), return_inverse=True)[1]
        shape = int(study.max()) + 1, len(COURSES)

        def said() -> Flags:
            flags: Flags = (rng.random(shape) < clinic.dials.specificity)[study]
            return flags

        return cls(said(), said(), said(), said(), said()[:, 0])


def _keep_said(rng: np.random.Generator, scenes: Scenes, own: Scenes, said: _Said) -> None:
    """Places and severities are a stranger's draw already, where they are not kept in part or in whole."""
    scenes["pacemaker"] = own["pacemaker"]
    scenes["side"] = np.where(said.side, own["side"], scenes["side"])
    shape = own["severity"].shape
    drawn = 1.0 - rng.random(shape)  # above 0: a finding that is there stays there
    grade = np.minimum(GRADES - 1, np.floor(GRADES * own["severity"]))
    scenes["severity"] = np.where(own["severity"] > 0, np.where(said.grade, (grade + drawn) / GRADES, drawn), 0.0)
    for column, finding in enumerate(PATHOLOGIES):
        if finding not in WITHOUT_HEIGHT:
            within = _within_zone(own["along"][:, column], ALONG[column], rng)
            scenes["along"][:, column] = np.where(said.zone[:, column], within, scenes["along"][:, column])
    for name, column in (("severity", LESION), ("severity", CARDIOMEGALY), ("along", FRACTURE)):
        scenes[name][:, column] = np.where(said.measure[:, column], own[name][:, column], scenes[name][:, column])
    scenes["severity"][:, DEVICES] = own["severity"][:, DEVICES]
    for name in ("device", "device_side"):
        scenes[name] = np.where(said.device, own[name], scenes[name])


def _within_zone(along: Floats, reach: Floats, rng: np.random.Generator) -> Floats:
    """Another place in the same third of the lung, as far as the finding goes up and down."""
    third = np.searchsorted(ZONE_ENDS[1:-1], along, side="right")
    low, high = (np.clip(np.array(ZONE_ENDS)[third + end], *reach) for end in (0, 1))
    places: Floats = low + (high - low) * rng.random(len(along))
    return places


def _card(kind: str) -> dict[str, object]:
    statement = "No guarantee: findings are kept, and one who knows a patient's findings may know them again."
    return {
        "defence": {
            "method": "oracle",
            "group": "phantom",
            "summary": "the phantom's own counterparts",
            "done": DONE[kind],
            "settings": {"counterparts": kind},
            "guarantee": {"kind": "none", "statement": statement},
        }
    }
