"""Controls that run with every audit: shuffled pairs must sit at chance, and a planted leak must be found.

Both are the whole audit once more, on a small release in which it is known what there is to find: whatever an attacker
takes from the truth, it takes from the wrong one here.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from leadapron.attacks.linkage.known_words import FEATURES
from leadapron.attacks.open_world import METRIC
from leadapron.attacks.open_world_words import found_open
from leadapron.audits.vouching import null_outcome, off_chance, planted_outcome
from leadapron.release import Release
from leadapron.release.release import ID_COLUMNS
from leadapron.release.rows import unit
from leadapron.results import Findings, Measured
from leadapron.results.selection import select
from leadapron.stats import Outcome

RECORDS = 2000
FOUND = 0.5
"""Of the planted pairs; an attacker who holds hubs down may miss some where reports are near copies of each other."""
NULL = "null control (shuffled pairs)"
PLANTED = "planted leak"

Audit = Callable[[Release, Release | None], Findings]
"""The audit without its controls, of a release and of pairs that are known."""


def run_controls(audit: Audit, release: Release, known: Release | None, relied_on: str, seed: int) -> list[Outcome]:
    """``relied_on`` is the attacker of the headline."""
    some = some_patients(release, seed)
    pairs = None if known is None else some_patients(known, seed)
    leak = audit(planted(some, seed), None if pairs is None else planted(pairs, seed))
    return [_null(audit(shuffled(some, seed), pairs)), _planted(leak, relied_on), *found_open(leak, relied_on)]


def some_patients(release: Release, seed: int) -> Release:
    """Whole patients, about as many records as a control needs, with ids and embeddings alone."""
    rows = np.arange(len(release))
    if len(release) > RECORDS:
        names = release.records["patient_id" if "patient_id" in release.records.columns else "record_id"]
        patient = names.rank("dense").to_numpy().astype(np.int64) - 1
        order = np.random.default_rng(seed).permutation(int(patient.max()) + 1)
        taken = 1 + int(np.searchsorted(np.cumsum(np.bincount(patient)[order]), RECORDS))
        rows = np.flatnonzero(np.isin(patient, order[:taken]))
    ids = [name for name in ID_COLUMNS if name in release.records.columns]
    kept = [name for name in ("image", "text", FEATURES) if name in release.arrays]
    arrays = {name: np.asarray(release.arrays[name][rows]) for name in kept}
    return Release(release.records[rows.tolist()].select(ids), arrays, where=release.where)


def shuffled(release: Release, seed: int) -> Release:
    """Every record with an image drawn among all: now and then its own, so that chance is what must come out."""
    order = np.random.default_rng(seed).permutation(len(release))
    return Release(release.records, {**release.arrays, "image": release.image[order]}, where=release.where)


def planted(release: Release, seed: int) -> Release:
    """Every report at a place of its own, and its images on it: else reports that are alike could not be told apart."""
    name = "report_id" if "report_id" in release.records.columns else "record_id"
    study = release.records[name].rank("dense").to_numpy().astype(np.int64) - 1
    text = unit(release.text)
    own = np.random.default_rng(seed).normal(size=(int(study.max()) + 1, text.shape[1])) / text.shape[1] ** 0.5
    placed = (text + own[study]).astype(np.float32)
    return Release(release.records, dict.fromkeys(release.arrays, placed), where=release.where)


def _null(risk: Findings) -> Outcome:
    rows = _first(risk) + _open(risk)
    world = f"{rows[0].n:,} radiographs with reports drawn at random"
    return null_outcome(NULL, rows, [row for row in rows if off_chance(row)], world)


def _planted(risk: Findings, relied_on: str) -> Outcome:
    rows = _first(risk)
    found = {name: min(row.value for row in rows if row.attacker == name) for name in _attackers(rows)}
    world = f"{rows[0].n:,} radiographs put onto their own reports"
    few = any(row.patients is None for row in rows)
    return planted_outcome(PLANTED, found, relied_on, world, least=FOUND, few=few)


def _attackers(rows: list[Measured]) -> list[str]:
    return list(dict.fromkeys(row.attacker for row in rows))


def _first(risk: Findings) -> list[Measured]:
    """The right one first: both directions, every attacker, every pool."""
    return select(risk, metric="recall@1", protocol="random")


def _open(risk: Findings) -> list[Measured]:
    """The same where most have no match, if there were enough of them."""
    return select(risk, metric=METRIC, protocol="random")
