"""The strangers whom each image is most like: whom it would be taken for if its patient had no other image there.

They are kept while everybody is compared with everybody. The few whose list ends above the threshold of false alarms
are compared once more, and all above it are listed.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.scores import Scores
from leadapron.attacks.identity.sweep import OWN, Field
from leadapron.attacks.open_world import FPIR, KEPT, Strangers
from leadapron.engine import kernel

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


class NearestCounter:
    """Keeps the highest scores of each query; each thread for itself."""

    def __init__(self, queries: int) -> None:
        self._queries = queries
        self.clear()

    def clear(self) -> None:
        self._thread = threading.local()
        self._parts: list[tuple[Ints, Doubles]] = []

    def count(self, block: Doubles, queries: slice, images: slice, *, mutual: bool) -> None:
        if not hasattr(self._thread, "part"):
            shape = self._queries, KEPT
            self._thread.part = np.full(shape, -1, dtype=np.int64), np.full(shape, OWN)
            self._parts.append(self._thread.part)
        place, score = self._thread.part
        bars = score[images, -1].copy() if mutual else np.full(block.shape[1], np.inf)
        _keep(block, queries.start, images.start, bars, place, score)

    def result(self) -> tuple[Ints, Doubles]:
        """Images and scores of each query, the highest first; −1 and −∞ where there are no more."""
        place, score = (np.hstack(tables) for tables in zip(*self._parts, strict=True))
        best = np.lexsort((place, -score), axis=1)[:, :KEPT]
        return np.take_along_axis(place, best, axis=1), np.take_along_axis(score, best, axis=1)


@dataclass(frozen=True)
class Listed:
    """The strangers of each query in a field of scores; ``patient`` says whose every image is."""

    scores: Scores
    field: Field
    patient: Ints
    strangers: Strangers
    query: Ints
    """Of each probe its place among the queries of the field."""

    def only(self, kept: NDArray[np.bool_]) -> Listed:
        """Some of the probes."""
        return replace(self, strangers=self.strangers.only(kept), query=self.query[kept])

    def for_both(self, pool: int) -> Listed:
        """Long enough by either score."""
        return self.long_enough(pool).long_enough(pool, plain=True)

    def long_enough(self, pool: int, rate: float = FPIR, *, plain: bool = False) -> Listed:
        """The same with lists that reach down to the threshold of a pool, by the bare score if ``plain``."""
        listed, alarms = self.strangers, self.strangers.alarms(pool, plain=plain)
        rows = np.flatnonzero(alarms.open_lists(rate))
        if not len(rows):
            return self
        least = alarms.threshold(rate) + alarms.level[rows]
        found = [self._all_above(row, bar) for row, bar in zip(self.query[rows].tolist(), least.tolist(), strict=True)]
        place, score = (np.concatenate(column) for column in zip(*found, strict=True))
        more = replace(
            listed,
            probe=np.repeat(rows, [len(places) for places, _ in found]),
            score=score,
            count=np.ones(len(place), dtype=np.int64),
            whose=self.patient[place],
        )
        floor = listed.floor.copy()
        floor[rows] = least
        kept = listed.entries(~np.isin(listed.probe, rows))
        return replace(self, strangers=kept.joined(more, floor))

    def _all_above(self, query: int, least: float) -> tuple[Ints, Doubles]:
        images = next(one.images for one in self.field.segments if one.queries.start <= query < one.queries.stop)
        line = np.empty((1, images.stop - images.start))
        self.scores.fill(slice(query, query + 1), images, line)
        own = slice(
            max(self.field.own_start[query] - images.start, 0), max(self.field.own_stop[query] - images.start, 0)
        )
        line[0, own] = OWN
        above = np.flatnonzero(line[0] > least)
        return above + images.start, line[0, above]


def listed_of(nearest: NearestCounter, scores: Scores, field: Field, patient: Ints) -> Listed:
    """What a sweep over a field has kept. The queries are the first of the images; ``patient`` says whose these are."""
    place, score = nearest.result()
    there = place.ravel() >= 0
    probe = np.repeat(np.arange(len(place)), place.shape[1])[there]
    met, first = field.strangers[: len(place)], field.segments[0]
    strangers = Strangers(
        probe,
        score.ravel()[there],
        np.ones(len(probe), dtype=np.int64),
        patient[place.ravel()[there]],
        floor=np.where(met > place.shape[1], score[:, -1], OWN),
        met=met,
        patient=patient[: len(place)],
        patients=len(np.unique(patient[first.images.start :])),
    )
    return Listed(scores, field, patient, strangers, np.arange(len(place)))


@kernel
def _keep(block: Doubles, query: int, image: int, bars: Doubles, place: Ints, score: Doubles) -> None:
    """Into lists in falling order; ``bars`` are the lowest scores that the images' own lists hold."""
    last = score.shape[1] - 1
    for row in range(block.shape[0]):
        line, bar = block[row], score[query + row, last]
        for column in range(len(line)):
            if line[column] > bar:
                _insert(line[column], image + column, place[query + row], score[query + row])
                bar = score[query + row, last]
            if line[column] > bars[column]:
                _insert(line[column], query + row, place[image + column], score[image + column])
                bars[column] = score[image + column, last]


@kernel
def _insert(new: float, where: int, place: Ints, score: Doubles) -> None:
    at = len(score) - 1
    if new <= score[at]:  # its bar was of before an image's list got longer as a query's
        return
    while at > 0 and new > score[at - 1]:
        score[at], place[at] = score[at - 1], place[at - 1]
        at -= 1
    score[at], place[at] = new, where
