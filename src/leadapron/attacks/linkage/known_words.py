"""What an attacker knows of a report who holds its words and the encoder: more than the vector that was released."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort.truth import labels_of
from leadapron.release import Release
from leadapron.release.rows import row_lengths

Floats = NDArray[np.float32]

FEATURES = "text_features"
LABELS_WEIGH = 0.3
"""A finding beside vectors of length about one."""


def with_words(release: Release) -> Release:
    """The release with what its words tell in the place of each report's vector.

    That is the vector, what the text backbone says before the head, and the findings, which are read off the report.
    The widths of the two sides then differ, so only learnt maps bring them together.
    """
    parts = [_about_one(np.asarray(release.arrays[name])) for name in ("text", FEATURES) if name in release.arrays]
    names = release.records["report_id" if "report_id" in release.records.columns else "record_id"]
    first = pl.DataFrame({"name": names}).with_row_index().select(pl.col("index").first().over("name")).to_series()
    findings = labels_of(release.records, release.where).truth[first.to_numpy()]
    known = np.where(findings >= 0, findings, -0.5).astype(np.float32)
    arrays = {"image": release.arrays["image"], "text": np.hstack([*parts, LABELS_WEIGH * known]).astype(np.float32)}
    return replace(release, arrays=arrays, heads={}, prompts={})


def _about_one(rows: Floats) -> Floats:
    """All divided by their mean length."""
    scaled: Floats = (rows / max(float(row_lengths(rows).mean()), 1e-12)).astype(np.float32)
    return scaled
