"""The sweep: every query against every image of a stranger, once, the scores never written out.

Each thread takes its own block of queries, scores it against a piece of the gallery with a BLAS of one thread and lets
the counters count while the scores are in cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.identity.scores import Scores
from leadapron.engine import Progress, kernel, parallel_map, silent

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

QUERIES_AT_ONCE = 1024
IMAGES_AT_ONCE = 512
OWN = np.float32(-np.inf)
"""What stands for the score of a query with images of its own patient."""


@dataclass(frozen=True)
class Segment:
    """Queries that meet a stretch of the gallery."""

    queries: slice
    images: slice


@dataclass(frozen=True)
class Field:
    """Who meets whom; between ``own_start`` and ``own_stop`` lie a query's own patient's images in the gallery."""

    segments: Sequence[Segment]
    own_start: Ints
    own_stop: Ints

    @property
    def own(self) -> Ints:
        """For each query, how many images of its own patient it meets."""
        met = np.zeros(len(self.own_start), dtype=np.int64)
        for segment in self.segments:
            last = np.minimum(self.own_stop[segment.queries], segment.images.stop)
            met[segment.queries] += np.maximum(
                0, last - np.maximum(self.own_start[segment.queries], segment.images.start)
            )
        return met

    @property
    def strangers(self) -> Ints:
        """For each query, how many images of others it meets."""
        met = -self.own
        for segment in self.segments:
            met[segment.queries] += segment.images.stop - segment.images.start
        return met


class Counter(Protocol):
    """What is counted about a block of scores of the queries ``rows`` with the images from ``start`` on.

    It is called from several threads.
    """

    def count(self, block: Floats, rows: slice, start: int) -> None: ...


def sweep(scores: Scores, field: Field, counters: Sequence[Counter], progress: Progress = silent) -> None:
    """Show every block of scores to every counter."""
    tasks = list(_tasks(field))
    done = 0

    def work(task: Segment) -> None:
        nonlocal done
        queries = scores.queries[task.queries]
        room = np.empty((len(queries), IMAGES_AT_ONCE), dtype=np.float32)  # one for all blocks: it stays in cache
        for start in range(task.images.start, task.images.stop, IMAGES_AT_ONCE):
            images = scores.gallery[start : min(start + IMAGES_AT_ONCE, task.images.stop)]
            block = room[:, : len(images)]
            scores.fill(queries, images, block)
            _leave_out(block, field.own_start[task.queries] - start, field.own_stop[task.queries] - start)
            for counter in counters:
                counter.count(block, task.queries, start)
        done += 1
        progress("comparing images", done, len(tasks))

    with threadpool_limits(1, user_api="blas"):
        parallel_map(work, tasks)


def _tasks(field: Field) -> Iterator[Segment]:
    for segment in field.segments:
        for start in range(segment.queries.start, segment.queries.stop, QUERIES_AT_ONCE):
            yield Segment(slice(start, min(start + QUERIES_AT_ONCE, segment.queries.stop)), segment.images)


@kernel
def _leave_out(block: Floats, own_start: Ints, own_stop: Ints) -> None:
    for row in range(block.shape[0]):
        for column in range(max(own_start[row], 0), min(own_stop[row], block.shape[1])):
            block[row, column] = OWN
