"""All defences by name, the only place that lists them. A method is imported when it is asked for.

A new one is a line here. A package of somebody else registers its own by an entry point:

    [project.entry-points."leadapron.defences"]
    rounded = "their_package.module:ROUNDED"
"""

from __future__ import annotations

from leadapron.defences.defence import Defence
from leadapron.engine.extensions import Extensions

IMAGES = "leadapron.defences.images"
VECTORS, HEADS = "leadapron.defences.vectors", "leadapron.defences.heads.head_defences"

DEFENCES: dict[str, str | Defence] = {
    "reports": "leadapron.defences.reports.report_defence:REPORTS",
    "structured": f"{IMAGES}.word_counterparts:STRUCTURED",
    "text": f"{IMAGES}.word_counterparts:TEXT",
    "updp": f"{IMAGES}.updp:UPDP",
    "blur": f"{IMAGES}.coarse_images:BLUR",
    "pixelate": f"{IMAGES}.coarse_images:PIXELATE",
    "image-noise": f"{IMAGES}.coarse_images:IMAGE_NOISE",
    "table": "leadapron.defences.table.table_defence:TABLE",
    "subspace": f"{VECTORS}.subspace:SUBSPACE",
    "prototypes": f"{VECTORS}.prototypes:PROTOTYPES",
    "codes": f"{VECTORS}.codes:CODES",
    "microaggregate": f"{VECTORS}.microaggregate:MICROAGGREGATE",
    "noise": f"{VECTORS}.noise:NOISE",
    "dimensions": f"{VECTORS}.dimensions:DIMENSIONS",
    "quantise": f"{VECTORS}.quantise:QUANTISE",
    "private": f"{HEADS}:PRIVATE",
    "prototype": f"{HEADS}:PROTOTYPE",
    "replication": f"{HEADS}:REPLICATION",
    "entropy": f"{HEADS}:ENTROPY",
    "transfer": f"{HEADS}:TRANSFER",
    "untrained": f"{HEADS}:UNTRAINED",
    "norm_swap_only": f"{HEADS}:NORM_SWAP_ONLY",
    "noise_only": f"{HEADS}:NOISE_ONLY",
    "clip_only": f"{HEADS}:CLIP_ONLY",
    "nonprivate": f"{HEADS}:NONPRIVATE",
}


KNOWN = Extensions("defence", Defence, DEFENCES, "leadapron.defences")


def register(defence: Defence) -> Defence:
    """From now on the defence is known by its name, in this process."""
    return KNOWN.register(defence.name, defence)


def defence_names() -> list[str]:
    """Ours, and then those of other packages that are installed."""
    return KNOWN.names()


def find_defence(name: str) -> Defence:
    """The defence of this name: ours, or one that another package offers under a name that is free."""
    return KNOWN.find(name)
