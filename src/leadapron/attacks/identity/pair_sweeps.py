"""One attacker on one task: two sweeps, and everything that is counted in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.grid import MOST_WRONG, Grid, grid_over
from leadapron.attacks.identity.identity_task import SAME_PICTURE, Matched, Task
from leadapron.attacks.identity.levels import Levels, find_levels
from leadapron.attacks.identity.nearest_strangers import NearestCounter
from leadapron.attacks.identity.roc import FPRS, Roc, roc_of, watched_cells
from leadapron.attacks.identity.scores import Scores
from leadapron.attacks.identity.standing import Standing, StandingCounter
from leadapron.attacks.identity.sweep import Field, sweep
from leadapron.attacks.identity.verification import Passed, VerificationCounter

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


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

    @property
    def same_pictures(self) -> int:
        """Pairs of strangers that are taken for one and the same picture, where scores are cosines."""
        return int(self.passed.over[:, len(FPRS) + 1].sum()) // 2


def sweep_all(
    task: Task,
    scores: Scores,
    sets: tuple[Flags, ...],
    tuned: float | None = None,
    nearest: NearestCounter | None = None,
) -> Swept:
    """Everybody against everybody; a threshold ``tuned`` elsewhere is watched, too, as the last.

    ``nearest`` keeps the strangers whom each image is most like, if it is given.
    """
    return _swept(task, scores, task.everybody, np.arange(len(task.gallery)), sets, tuned, nearest)


def sweep_matched(task: Task, scores: Scores, matched: Matched) -> Swept:
    """Each image against those that share its attributes."""
    everything = (np.ones(len(task.first), dtype=bool),)
    return _swept(task, scores.ordered(matched.order), matched.field, matched.place, everything, None, None)


def _swept(
    task: Task,
    scores: Scores,
    field: Field,
    place: Ints,
    sets: tuple[Flags, ...],
    tuned: float | None,
    nearest: NearestCounter | None,
) -> Swept:
    """``place`` is where each image of the gallery stands in the scores."""
    first, second = place[task.first], place[task.second]
    whole, drawn = scores.of_pairs(first, second), scores.of_pairs(*field.some_strangers)
    by_set = [whole[chosen] for chosen in sets]
    plain = grid_over(whole, int(field.strangers.sum()) // 2, scores.unit)
    grid = plain.divided(by_set, np.bincount(plain.wide(drawn), minlength=plain.size))
    patient = np.empty_like(task.gallery.patient)
    patient[place] = task.gallery.patient
    mates = [_mates(first[chosen], second[chosen], whole[chosen], len(place)) for chosen in sets]
    while True:
        cells = grid.cells(whole * scores.unit)
        pairs = tuple(PairSet(cells[chosen], task.gallery.patient[task.first[chosen]]) for chosen in sets)
        guessed = _guessed_thresholds(grid, pairs[0].cells, grid.cells(drawn * scores.unit))
        watched = np.array([*guessed, SAME_PICTURE, *([] if tuned is None else [tuned])])
        verification = VerificationCounter(grid, [part.cells for part in pairs], len(place), watched)
        standings = [StandingCounter(levels) for levels in mates]
        if nearest:
            nearest.clear()
        sweep(scores, field, [verification, *standings, *([nearest] if nearest else [])])
        passed = verification.result()
        if max(grid.most_wrong(part, passed.strangers) for part in by_set) <= MOST_WRONG:
            break  # at once, unless those who were drawn lie otherwise than all
        grid = plain.divided(by_set, np.add.reduceat(passed.strangers, grid.starts))
    return Swept(
        grid,
        pairs,
        tuple(roc_of(part.cells, passed.strangers) for part in pairs),
        tuple(counter.result() for counter in standings),
        passed,
        patient,
        field.strangers,
    )


def _mates(first: Ints, second: Ints, whole: Doubles, queries: int) -> Levels:
    """Of each image the levels of its mates' scores; every pair counts for both of its images."""
    return find_levels(np.concatenate([first, second]), np.concatenate([whole, whole]), queries)


def _guessed_thresholds(grid: Grid, pairs: Ints, strangers: Ints) -> list[float]:
    """Where the thresholds will lie, from the cells of some strangers: only the width of intervals hangs on it."""
    counts = np.bincount(strangers, minlength=grid.size)
    return [grid.score(cell) for cell in watched_cells(roc_of(pairs, counts))]
