"""The attacker's task in one direction: queries, the candidates among which their true ones are, and whose they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.linkage.database import Database, build_database, distinct
from leadapron.attacks.unit_rows import ROWS_AT_ONCE, unit_rows
from leadapron.cohort.truth import labels_of
from leadapron.errors import DataError
from leadapron.release import Release
from leadapron.release.rows import row_lengths

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

SAME = 1e-3
"""Of its length, how far two embeddings of one text may lie apart."""
DIRECTIONS = ("image-to-report", "report-to-image")


@dataclass(frozen=True)
class Task:
    """Rows of length one. ``truth[i]`` is the candidate that belongs to query i; ids are small whole numbers."""

    direction: str
    queries: Floats
    database: Database
    truth: Ints
    query_patient: Ints
    candidate_patient: Ints
    query_codes: Ints | None
    candidate_codes: Ints | None
    query_row: Ints
    """For each query its row in the release (the first one, where several share it)."""
    composition: str = ""
    """Of what the attacker is composed who made this of another task, where that was chosen on known patients."""


def build_task(
    release: Release, direction: str, queries: int | None = None, seed: int = 0, *, one_space: bool = True
) -> Task:
    """Images that share a report are one study: one report as a candidate, and the mean of its images as one.

    Reports are queries once each; images are queries each by itself. ``queries`` takes only as many, by whole patients;
    the candidates are all there in any case. Without ``one_space`` the two sides may differ in width.
    """
    image, text = _checked(release, "image"), _checked(release, "text")
    if one_space and image.shape[1] != text.shape[1]:
        raise DataError(
            "image and text embeddings are not in one space",
            where=release.where,
            got=f"{image.shape[1]} and {text.shape[1]} dimensions",
        )
    records = release.records
    if len(records) < 2:
        raise DataError("linkage needs at least two records", where=release.where, got=len(records))
    study, first = numbered(records["report_id" if "report_id" in records.columns else "record_id"])
    if len(first) < 2:
        raise DataError("linkage needs at least two reports", where=release.where, got=len(first))
    _check_shared(text, study, first, str(release.where))
    patient, _ = numbered(records["patient_id" if "patient_id" in records.columns else "record_id"])
    codes = label_codes(records, str(release.where))
    code_of_study = None if codes is None else codes[first]
    reports = unit_rows(text, first, None, f"{release.where}: report")
    if direction == "image-to-report":
        rows = _some(patient, np.arange(len(records)), queries, seed)
        queried, candidates = unit_rows(image, rows, None, f"{release.where}: image")[:], reports
        truth = study[rows]
    else:
        truth = _some(patient[first], np.arange(len(first)), queries, seed)
        rows, queried = first[truth], reports[truth]
        candidates = unit_rows(image, np.arange(len(records)), study, f"{release.where}: image")
    return Task(
        direction,
        queried,
        # brought to length one now, unless there are too many to be held: they are read several times
        build_database(candidates[:] if len(candidates) <= ROWS_AT_ONCE else candidates, code_of_study),
        truth,
        patient[rows],
        patient[first],
        None if code_of_study is None else code_of_study[truth],
        code_of_study,
        rows,
    )


def _some(patient: Ints, rows: Ints, wanted: int | None, seed: int) -> Ints:
    """The rows of as many patients as bring ``wanted`` rows, or a few more: all of a patient's or none."""
    if wanted is None or wanted >= len(rows):
        return rows
    order = np.random.default_rng(seed).permutation(int(patient.max()) + 1)
    reached = np.cumsum(np.bincount(patient)[order])
    return rows[np.isin(patient, order[: 1 + int(np.searchsorted(reached, wanted))])]


def label_codes(records: pl.DataFrame, where: str) -> Ints | None:
    """The positive labels of each record as bits; None where the release has no labels."""
    labels = labels_of(records, where)
    return labels.codes() if labels.known.any() else None


def _check_shared(text: Floats, study: Ints, first: Ints, where: str) -> None:
    """Rows of one report are one candidate, so they must have one embedding, up to the noise of a library."""
    others = np.flatnonzero(first[study] != np.arange(len(study)))
    for start in range(0, len(others), ROWS_AT_ONCE):
        rows = others[start : start + ROWS_AT_ONCE]
        here, there = (text[which].astype(np.float64) for which in (rows, first[study[rows]]))
        apart = row_lengths(here - there) > SAME * row_lengths(there)
        if apart.any():
            raise DataError(
                "two records share a report_id, and their text embeddings differ",
                where=where,
                got=f"rows {rows[apart.argmax()]} and {first[study[rows[apart.argmax()]]]}",
                fix="Give different reports different ids, or encode a report once.",
            )


def _checked(release: Release, name: str) -> Floats:
    if name not in release.arrays:
        raise DataError(
            f"linkage needs {name} embeddings",
            where=release.where,
            got=", ".join(release.arrays),
            fix="Images alone are attacked by `leadapron audit identity`." if "image" in release.arrays else None,
        )
    return release.arrays[name]


def numbered(keys: pl.Series) -> tuple[Ints, Ints]:
    """Each row's key as a number from 0, and for each number the first row that has it."""
    first, number = distinct(np.stack([keys.hash(seed=seed).to_numpy() for seed in (1, 2)]))
    return number, first
