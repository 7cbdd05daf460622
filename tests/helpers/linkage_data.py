"""Releases whose leak is set."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.release import Release


def planted(leaked: float, patients: int = 400, images: int = 3, seed: int = 0, width: int = 24, **columns) -> Release:
    """Random embeddings in which a share of the patients has images that lie on their reports."""
    rng = np.random.default_rng(seed)
    count = patients * images
    image, text = (rng.standard_normal((count, width)).astype(np.float32) for _ in range(2))
    patient = np.repeat(np.arange(patients), images)
    gives_away = patient < leaked * patients
    image[gives_away] = text[gives_away]
    records = pl.DataFrame(
        {"record_id": [str(row) for row in range(count)], "patient_id": [f"p{who}" for who in patient], **columns}
    )
    return Release(records, {"image": image, "text": text})
