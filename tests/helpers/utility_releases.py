"""Releases whose use is known: findings lie along directions of the embedding, as strongly as is said."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.cohort import FINDINGS, LABEL_COLUMNS
from leadapron.release import Release

WIDTH = 24


def made(
    signal=2.0, *, patients=240, images=2, seed=0, labels=LABEL_COLUMNS, prevalence=0.3, prompts=True, text=True
) -> Release:
    """Findings of a patient move all of the patient's images, and the reports, along an axis a finding.

    The splits are 60 : 20 : 20 of the patients. With a signal of zero the embeddings know nothing.
    """
    rng = np.random.default_rng(seed)
    count = patients * images
    patient = np.repeat(np.arange(patients), images)
    axes = np.eye(WIDTH)[: len(FINDINGS)]
    finding = (rng.random((patients, len(FINDINGS))) < prevalence)[patient]
    image = rng.standard_normal((count, WIDTH)) + signal * finding @ axes
    said = rng.standard_normal((count, WIDTH)) + signal * finding @ axes
    split = np.array(["train", "train", "train", "validate", "test"])[patient % 5]
    records = pl.DataFrame(
        {
            "record_id": [f"r{row:05d}" for row in range(count)],
            "patient_id": [f"p{who:05d}" for who in patient],
            "report_id": [f"t{row:05d}" for row in range(count)],
            "split": split,
            **{name: finding[:, LABEL_COLUMNS.index(name)].astype(np.int8) for name in labels},
        }
    )
    asked = np.repeat(axes, 2, axis=0) * np.tile([1.0, -1.0], len(FINDINGS))[:, None]
    return Release(
        records,
        {"image": unit(image)} | ({"text": unit(said)} if text else {}),
        prompts={"text": unit(asked)} if prompts else {},
    )


def unit(rows) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def with_labels(release: Release, change) -> Release:
    """The same release with ``change(split, column)`` in place of every label column, both as arrays."""
    split = release.records["split"].to_numpy()
    columns = {
        name: pl.Series(name, change(split, release.records[name].to_numpy().copy()), nan_to_null=True)
        for name in release.records.columns
        if name.startswith("label_")
    }
    return Release(release.records.with_columns(**columns), release.arrays, prompts=release.prompts)


def only(utility, metric, label=None):
    """The one estimate of a metric and label."""
    rows = [row for row in utility.estimates if (row.metric, row.at.get("label")) == (metric, label)]
    assert len(rows) == 1, (metric, label)
    return rows[0]


def outcome(utility, check):
    rows = [row for row in utility.outcomes if row.check.startswith(check)]
    assert len(rows) == 1, check
    return rows[0]
