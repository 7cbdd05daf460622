"""Controls that run with every audit: patients at random must not be recognised, and copies must be.

Both are the whole audit once more, every attacker with what it knows, on a small release in which it is known what
there is to find.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.open_world import METRIC
from leadapron.attacks.open_world_words import found_open
from leadapron.audits.vouching import null_outcome, off_chance, off_half, planted_outcome
from leadapron.release import Release
from leadapron.release.rows import unit
from leadapron.results import Findings, Measured
from leadapron.results.selection import select
from leadapron.stats import Outcome

IMAGES = 4000
FOUND = 0.5
NOISE = 1e-3
NULL = "null control (patients at random)"
PLANTED = "planted copies"

Audit = Callable[[Release, Release | None], Findings]
"""The audit without its controls, of a release and with known patients."""


def run_controls(audit: Audit, release: Release, known: Release | None, relied_on: str, seed: int) -> list[Outcome]:
    """``relied_on`` is the attacker of the headline. What is planted is planted in the known patients, too."""
    some = some_patients(release, seed)
    copies = None if known is None else planted_copies(some_patients(known, seed), seed)
    leak = audit(planted_copies(some, seed), copies)
    return [_null(audit(dealt(some, seed), known)), _planted(leak, relied_on), *found_open(leak, relied_on)]


def some_patients(release: Release, seed: int) -> Release:
    """Whole patients, about as many images as a control needs, and nothing of them but who they are."""
    patient = _patient(release)
    rows = np.arange(len(release))
    if len(release) > IMAGES:
        sizes = np.bincount(patient)
        order = np.random.default_rng(seed).permutation(len(sizes))
        order = order[np.argsort(sizes[order] < 2, kind="stable")]  # those who can be recognised come first
        taken = 2 + int(np.searchsorted(np.cumsum(sizes[order]), IMAGES))
        rows = np.flatnonzero(np.isin(patient, order[:taken]))
    records = release.records[rows.tolist()].select("record_id", "patient_id")
    return Release(records, {"image": np.asarray(release.image[rows])}, release.card, release.where)


def dealt(release: Release, seed: int) -> Release:
    """Images dealt to patients at random."""
    order = np.random.default_rng(seed).permutation(len(release))
    return Release(release.records, {"image": release.image[order]}, release.card, release.where)


def planted_copies(release: Release, seed: int) -> Release:
    """Every image of a patient is a near copy of the first.

    At a place of its own for each patient: where many share an image, a copy of it would be found no better.
    """
    rng = np.random.default_rng(seed)
    patient = _patient(release)
    first = np.unique(patient, return_index=True)[1]
    image = unit(release.image)
    spread = image.std(axis=0) + 1e-3
    own = spread * rng.normal(size=(len(first), len(spread)))
    noise = NOISE * spread * rng.normal(size=image.shape)
    copies = (image[first] + own)[patient] + noise
    return Release(release.records, {"image": copies.astype(np.float32)}, release.card, release.where)


def _patient(release: Release) -> NDArray[np.int64]:
    numbers: NDArray[np.int64] = release.records["patient_id"].cast(pl.String).rank("dense").to_numpy().astype(np.int64)
    return numbers - 1


def _null(risk: Findings) -> Outcome:
    rows = _rows(risk, "auc", "all-pairs") + _rows(risk, "precision@1", "random") + _rows(risk, METRIC, "random")
    off = [row for row in rows if (off_half(row) if row.metric == "auc" else off_chance(row))]
    return null_outcome(NULL, rows, off, "images dealt to patients at random")


def _planted(risk: Findings, relied_on: str) -> Outcome:
    rows = _rows(risk, "precision@1", "random")
    found: dict[str, float] = {}
    for row in rows:
        found[row.attacker] = min(row.value, found.get(row.attacker, 1.0))
    world = f"{rows[0].n:,} images made near copies of another of their patient's"
    few = any(row.patients is None for row in rows)
    return planted_outcome(PLANTED, found, relied_on, world, least=FOUND, few=few)


def _rows(risk: Findings, metric: str, protocol: str) -> list[Measured]:
    return select(risk, metric=metric, protocol=protocol)
