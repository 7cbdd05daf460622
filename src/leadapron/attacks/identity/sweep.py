"""The sweep: every query against every image of a stranger, the scores never written out.

Each thread takes its own block of queries, scores it against a piece of the gallery with a BLAS of one thread and lets
the counters count while the scores are in cache. Where the queries are the images themselves every pair is scored once
and counts for both: that pays for scores in double precision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.identity.scores import Scores
from leadapron.engine import Progress, kernel, parallel_map, silent

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

QUERIES_AT_ONCE = 1024
IMAGES_AT_ONCE = 512
OWN = -np.inf
"""What stands for the score of a query with images of its own patient, and of a pair that is scored elsewhere."""
DRAWN = 2**20
"""Strangers' pairs from which it is guessed how all of them lie."""


@dataclass(frozen=True)
class Segment:
    """Queries that meet a stretch of the gallery."""

    queries: slice
    images: slice


@dataclass(frozen=True)
class Field:
    """Who meets whom; between ``own_start`` and ``own_stop`` lie a query's own patient's images in the gallery.

    ``mutual`` is where query i is image i, and the queries of a segment are its images.
    """

    segments: Sequence[Segment]
    own_start: Ints
    own_stop: Ints
    mutual: bool = True

    @cached_property
    def own(self) -> Ints:
        """For each query, how many images of its own patient it meets."""
        met = np.zeros(len(self.own_start), dtype=np.int64)
        for segment in self.segments:
            last = np.minimum(self.own_stop[segment.queries], segment.images.stop)
            met[segment.queries] += np.maximum(
                0, last - np.maximum(self.own_start[segment.queries], segment.images.start)
            )
        return met

    @cached_property
    def strangers(self) -> Ints:
        """For each query, how many images of others it meets."""
        met = -self.own
        for segment in self.segments:
            met[segment.queries] += segment.images.stop - segment.images.start
        return met

    @cached_property
    def some_strangers(self) -> tuple[Ints, Ints]:
        """Some strangers' pairs, each as likely: they are numbered query by query, and numbers are drawn."""
        first = np.empty_like(self.own_start)
        for segment in self.segments:
            first[segment.queries] = segment.images.start
        last = np.cumsum(self.strangers)
        few = last[-1] <= DRAWN
        number = np.arange(last[-1]) if few else np.random.default_rng(0).integers(0, last[-1], DRAWN)
        query = np.searchsorted(last, number, side="right")
        image = first[query] + number - (last - self.strangers)[query]
        return query, image + np.where(image >= self.own_start[query], self.own[query], 0)


class Counter(Protocol):
    """What is counted about a block of scores of some queries with some images; ``mutual`` ones count for both.

    It is called from several threads.
    """

    def count(self, block: Doubles, queries: slice, images: slice, *, mutual: bool) -> None: ...


def sweep(scores: Scores, field: Field, counters: Sequence[Counter], progress: Progress = silent) -> None:
    """Show every block of scores to every counter."""
    tasks = list(_tasks(field))
    done = 0

    def work(task: Segment) -> None:
        nonlocal done
        queries, last = task.queries, task.images.stop
        room = np.empty((queries.stop - queries.start) * IMAGES_AT_ONCE)  # one for all blocks: it stays in cache
        for start in range(task.images.start, last, IMAGES_AT_ONCE):
            images = slice(start, min(start + IMAGES_AT_ONCE, last))
            shape = queries.stop - queries.start, images.stop - start
            block = room[: shape[0] * shape[1]].reshape(shape)
            scores.fill(queries, images, block)
            _leave_out(block, field.own_start[queries] - start, field.own_stop[queries] - start)
            if field.mutual:
                _leave_out_earlier(block, queries.start - start)
            for counter in counters:
                counter.count(block, queries, images, mutual=field.mutual)
        done += 1
        progress("comparing images", done, len(tasks))

    with threadpool_limits(1, user_api="blas"):
        parallel_map(work, tasks)


def _tasks(field: Field) -> Iterator[Segment]:
    """Blocks of queries with their images: where these are the same, only with those that do not come earlier."""
    for segment in field.segments:
        for start in range(segment.queries.start, segment.queries.stop, QUERIES_AT_ONCE):
            images = slice(start, segment.images.stop) if field.mutual else segment.images
            yield Segment(slice(start, min(start + QUERIES_AT_ONCE, segment.queries.stop)), images)


@kernel
def _leave_out(block: Doubles, own_start: Ints, own_stop: Ints) -> None:
    for row in range(block.shape[0]):
        for column in range(max(own_start[row], 0), min(own_stop[row], block.shape[1])):
            block[row, column] = OWN


@kernel
def _leave_out_earlier(block: Doubles, first: int) -> None:
    """Query r is the image in column ``first`` + r, and those before it have met it already."""
    for row in range(block.shape[0]):
        for column in range(min(first + row, block.shape[1])):
            block[row, column] = OWN
