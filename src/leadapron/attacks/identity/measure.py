"""One attacker on one task: two sweeps, and everything that is counted in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.levels import Levels, find_levels
from leadapron.attacks.identity.roc import Roc, roc_of, watched_cells
from leadapron.attacks.identity.scores import Scores
from leadapron.attacks.identity.standing import Standing, StandingCounter
from leadapron.attacks.identity.sweep import Field, sweep
from leadapron.attacks.identity.task import Matched, Task
from leadapron.attacks.identity.verification import CELLS, Grid, Passed, VerificationCounter, grid_for
from leadapron.engine import Progress, silent

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

SAMPLED = 512
"""Queries from which it is guessed where the thresholds will lie, for the error of the figures there."""


@dataclass(frozen=True)
class PairSet:
    """Same-patient pairs by cell, and whose they are."""

    cells: Ints
    patient: Ints


@dataclass(frozen=True)
class Swept:
    """What a sweep counted, for each set of same-patient pairs; patients and strangers are in the sweep's own order."""

    grid: Grid
    sets: tuple[PairSet, ...]
    rocs: tuple[Roc, ...]
    standings: tuple[Standing, ...]
    passed: Passed
    patient: Ints
    strangers: Ints


def sweep_all(
    task: Task, scores: Scores, sets: tuple[Flags, ...], tuned: float | None = None, progress: Progress = silent
) -> Swept:
    """Everybody against everybody; a threshold ``tuned`` elsewhere is watched, too, as the last."""
    return _swept(task, scores, task.everybody, np.arange(len(task.gallery)), sets, tuned, progress)


def sweep_matched(task: Task, scores: Scores, matched: Matched, progress: Progress = silent) -> Swept:
    """Each image against those that share its attributes."""
    everything = (np.ones(len(task.first), dtype=bool),)
    return _swept(task, matched.scores(scores), matched.field, matched.place, everything, None, progress)


def _swept(
    task: Task,
    scores: Scores,
    field: Field,
    place: Ints,
    sets: tuple[Flags, ...],
    tuned: float | None,
    progress: Progress,
) -> Swept:
    """``place`` is where each image of the gallery stands in the scores."""
    first, second = place[task.first], place[task.second]
    score = scores.of_pairs(first, second)
    grid = grid_for(scores)
    cells = grid.cells(score)
    patient = np.empty_like(task.gallery.patient)
    patient[place] = task.gallery.patient
    pairs = tuple(PairSet(cells[chosen], task.gallery.patient[task.first[chosen]]) for chosen in sets)
    watched = _guessed_thresholds(scores, field, grid, pairs[0].cells)
    if tuned is not None:
        watched = np.append(watched, np.float32(tuned))
    verification = VerificationCounter(grid, [part.cells for part in pairs], field.own, watched)
    mates = [_mates(first[chosen], second[chosen], score[chosen], len(place), scores) for chosen in sets]
    standings = [StandingCounter(levels) for levels in mates]
    sweep(scores, field, [verification, *standings], progress)
    passed = verification.result()
    return Swept(
        grid,
        pairs,
        tuple(roc_of(part.cells, passed.strangers) for part in pairs),
        tuple(counter.result() for counter in standings),
        passed,
        patient,
        field.strangers,
    )


def _mates(first: Ints, second: Ints, score: Floats, queries: int, scores: Scores) -> Levels:
    """Of each image the levels of its mates' scores; every pair counts for both of its images."""
    group, both = np.concatenate([first, second]), np.concatenate([score, score])
    return find_levels(group, both, queries, scores.tolerance)


def _guessed_thresholds(scores: Scores, field: Field, grid: Grid, pairs: Ints) -> Floats:
    """Where the thresholds will lie, from some of the queries: only the width of intervals hangs on it."""
    segment_of = np.concatenate([np.full(s.queries.stop - s.queries.start, at) for at, s in enumerate(field.segments)])
    chosen = np.random.default_rng(0).permutation(np.flatnonzero(field.strangers))[:SAMPLED]
    met = []
    for query in chosen:
        images = field.segments[segment_of[query]].images
        line = np.empty((1, images.stop - images.start), dtype=np.float32)
        scores.fill(scores.queries[query : query + 1], scores.gallery[images], line)
        own = slice(max(field.own_start[query] - images.start, 0), max(field.own_stop[query] - images.start, 0))
        met.append(grid.cells(np.delete(line[0], own)))
    counts = np.bincount(np.concatenate(met or [np.empty(0, dtype=np.int64)]), minlength=CELLS + 1)
    thresholds = [grid.score(cell) for cell in watched_cells(roc_of(pairs, counts))]
    return np.array(thresholds, dtype=np.float32)
