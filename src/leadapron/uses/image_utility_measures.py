"""What may be said of the numbers of an image-utility audit."""

from __future__ import annotations

from leadapron.audits.measure import Coordinate, Measure
from leadapron.results import Findings, Measured
from leadapron.stats import PairedDifference
from leadapron.uses.image_scores import AGREEMENT, REAL, RELEASED, difference, from_table

ALL, LARGE, SMALL = "all findings", "large findings", "small findings"
SMALL_FINDINGS = (
    "atelectasis",
    "fracture",
    "lung_lesion",
    "pleural_other",
    "pneumothorax",
    "support_devices",
)
KEPT = "kept"
PLAIN = {
    RELEASED: "a probe that learns from released images and is shown real ones",
    REAL: "the same probe, learning from real images",
    AGREEMENT: "a probe that learns from real images and is shown released ones",
}
COORDINATES = {"findings": Coordinate("Findings")}


def paired_areas(before: Findings, after: Findings, row: Measured) -> PairedDifference | None:
    """The change of an area on the same test records; None where the scores are not kept, or of a group."""
    tables = [found.evidence("records") for found in (before, after)]
    if row.group or any(table is None for table in tables):
        return None
    one, two = (from_table(table) for table in tables if table is not None)
    names = [name for name in one.labels.names if name in two.labels.names and _is_of(name, str(row.findings))]
    if not names:
        return None
    how = {"redraws": int(before.details["redraws"]), "seed": int(before.details["seed"])}
    return difference(one.columns(names), two.columns(names), row.attacker, **how)


def _is_of(name: str, findings: str) -> bool:
    return {ALL: True, LARGE: name not in SMALL_FINDINGS, SMALL: name in SMALL_FINDINGS}.get(findings, name == findings)


MEASURES = (
    Measure(
        "auroc",
        "AUROC",
        "a probe scores a radiograph with a finding above one without it",
        "test radiographs",
        scale="auc",
        higher_is="better",
        paired=paired_areas,
    ),
    Measure(
        KEPT,
        "Kept of real images' AUROC",
        "the AUROC of a probe that learnt from released images, as a share of that of one that learnt from real ones",
        "test radiographs",
        scale="plain",
        higher_is="better",
    ),
)
