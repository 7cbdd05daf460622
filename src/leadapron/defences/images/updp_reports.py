"""Reports as prompts may use them: without identifiers, and without the stand-ins that took their place.

A stand-in is the same in all reports of a patient. That is wanted in reports; in prompts it would link a patient's
images, just as the name did.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from leadapron.cohort.image_set import ImageSet
from leadapron.defences.apply_defence import apply_defence
from leadapron.defences.reports.key_file import new_key
from leadapron.defences.reports.report_defence import REPORTS, ReportsConfig
from leadapron.engine import Progress


def without_stand_ins(images: ImageSet, progress: Progress, work: Path | None = None) -> ImageSet:
    """The same records with reports from which all that looks like an identifier was cut out."""
    cohort = replace(images.cohort, card=images.card)
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder) / "key"  # nothing is drawn with it
        new_key(key)
        kept = None if work is None else work / "prompt-reports"
        config = ReportsConfig(key=key, replace="remove", work=kept)
        bare = apply_defence(REPORTS, cohort, config, progress=progress)
    return replace(images, cohort=bare)
