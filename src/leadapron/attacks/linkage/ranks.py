"""Where every query's true candidate stands in the whole database: one pass, the scores are never written out.

Two things make it fast. Each thread takes its own block of queries, multiplies with a BLAS of one thread and counts
while the block of scores is still in cache. And candidates that are equal, bit by bit, are scored once and counted as
often as they occur, which also makes them tie exactly, whatever the shape of the blocks.

Candidates are read a chunk at a time, so they may lie in a memory-mapped file that is larger than memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.linkage.database import Database
from leadapron.attacks.unit_rows import UnitRows
from leadapron.engine import Progress, kernel, parallel_map, silent

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

QUERIES_AT_ONCE = 1024
CANDIDATES_AT_ONCE = 512
CANDIDATES_IN_MEMORY = 65_536
TIERS = 15
"""Hamming distances between two vectors of 14 labels."""
BITS = np.array([number.bit_count() for number in range(2 ** (TIERS - 1))], dtype=np.int8)
"""In how many labels two codes differ, looked up by their exclusive or; small enough to stay in cache."""


@dataclass(frozen=True)
class Ranks:
    """For each query, how many other candidates are above the true one and level with it, by tier.

    A tier is the number of labels in which a candidate differs from the query. ``best`` is the text that scores
    highest in the whole database and ``margin`` its lead over the next.
    """

    above_by_tier: Ints
    ties_by_tier: Ints
    best: Ints
    margin: Floats
    database: int

    @property
    def above(self) -> Ints:
        total: Ints = self.above_by_tier.sum(axis=1)
        return total

    @property
    def ties(self) -> Ints:
        total: Ints = self.ties_by_tier.sum(axis=1)
        return total


@dataclass(frozen=True)
class _Line:
    """The texts in the order in which they are scored: within a chunk, texts with the same labels stand together.

    So a run of scores belongs to one tier and is counted without looking at labels. Runs also end where blocks do.
    """

    order: Ints
    place: Ints
    code: Ints
    count: NDArray[np.int32]
    run_start: Ints
    extra_place: Ints
    extra_code: Ints
    extra_count: NDArray[np.int32]


def _line_up(database: Database, *, by_labels: bool) -> _Line:
    size = len(database.texts)
    places = np.arange(size)
    block_starts = places % CANDIDATES_IN_MEMORY % CANDIDATES_AT_ONCE == 0
    if not by_labels:
        none = np.empty(0, dtype=np.int64)
        copies = database.copies.astype(np.int32)
        starts = np.append(places[block_starts], size)
        return _Line(places, places, np.zeros(size, dtype=np.int64), copies, starts, none, none, none.astype(np.int32))
    order = np.lexsort((database.code, places // CANDIDATES_IN_MEMORY))
    place = np.empty(size, dtype=np.int64)
    place[order] = places
    code = database.code[order]
    starts = np.flatnonzero(block_starts | (code != np.roll(code, 1)))
    extra = np.argsort(place[database.extra_text], kind="stable")
    return _Line(
        order,
        place,
        code,
        database.count[order],
        np.append(starts, size),
        place[database.extra_text][extra],
        database.extra_code[extra],
        database.extra_count[extra],
    )


def rank_truth(
    queries: Floats, database: Database, truth: Ints, codes: Ints | None = None, *, progress: Progress = silent
) -> Ranks:
    """The rank of each query's true candidate by inner product.

    ``codes`` are the queries' labels as bits; without them every candidate is in tier 0.
    """
    count, texts = len(queries), database.texts
    own = database.text_of[truth]
    true_score = scores_of(queries, texts, own)
    line = _line_up(database, by_labels=codes is not None)
    own_place, own_codes = line.place[own], np.zeros(count, dtype=np.int64) if codes is None else codes
    single = codes is None and bool((database.copies == 1).all())
    above, ties = (np.zeros((count, TIERS), dtype=np.int64) for _ in range(2))
    best = np.full(count, -1, dtype=np.int64)
    first, second = (np.full(count, -np.inf, dtype=np.float32) for _ in range(2))

    def rank_block(start: int, part: Floats, chunk: int) -> None:
        rows = slice(start, min(start + QUERIES_AT_ONCE, count))
        block = queries[rows]
        room = np.empty((len(block), CANDIDATES_AT_ONCE), dtype=np.float32)  # one for all blocks: it stays in cache
        for left in range(0, len(part), CANDIDATES_AT_ONCE):
            texts_here = part[left : left + CANDIDATES_AT_ONCE]
            scores = room[:, : len(texts_here)]
            np.matmul(block, texts_here.T, out=scores)
            here = slice(chunk + left, chunk + left + len(texts_here))
            if single:
                news = _count_single(scores, true_score[rows], own_place[rows] - here.start, second[rows],
                                     above[rows, 0], ties[rows, 0])  # fmt: skip
                _keep_best(scores, news, here.start, best[rows], first[rows], second[rows])
                continue
            first_run, last_run = np.searchsorted(line.run_start, [here.start, here.stop])
            runs = slice(first_run, last_run + 1)  # with the end of the last one
            extras = slice(*np.searchsorted(line.extra_place, [here.start, here.stop]))
            news = _count(
                scores, true_score[rows], own_place[rows] - here.start, own_codes[rows],
                line.run_start[runs] - here.start, line.code[here], line.count[here],
                line.extra_place[extras] - here.start, line.extra_code[extras], line.extra_count[extras],
                second[rows], above[rows], ties[rows],
            )  # fmt: skip
            _keep_best(scores, news, here.start, best[rows], first[rows], second[rows])

    with threadpool_limits(1, user_api="blas"):
        for chunk in range(0, len(texts), CANDIDATES_IN_MEMORY):
            part = texts[chunk : chunk + CANDIDATES_IN_MEMORY][line.order[chunk : chunk + CANDIDATES_IN_MEMORY] - chunk]
            parallel_map(partial(rank_block, part=part, chunk=chunk), range(0, count, QUERIES_AT_ONCE))
            progress("ranking", min(chunk + CANDIDATES_IN_MEMORY, len(texts)), len(texts))
    _add_equal_texts(own, codes, database, ties)
    return Ranks(above, ties, line.order[best], first - second, database.size)


def scores_of(queries: Floats, texts: Floats | UnitRows, own: Ints) -> Floats:
    """Each query's score with one text, its own as a rule; only other texts are ever compared with that."""
    scores = np.empty(len(queries), dtype=np.float32)
    for start in range(0, len(queries), CANDIDATES_IN_MEMORY):
        rows = slice(start, start + CANDIDATES_IN_MEMORY)
        scores[rows] = np.einsum("ij,ij->i", queries[rows], texts[own[rows]])
    return scores


def _add_equal_texts(own: Ints, codes: Ints | None, database: Database, ties: Ints) -> None:
    """The other candidates with the very words of the true one tie with it, by definition and not by arithmetic."""
    if codes is None:
        ties[:, 0] += database.copies[own] - 1
        return
    rows = np.arange(len(own))
    ties[rows, BITS[codes ^ database.code[own]]] += database.count[own]
    for row in rows[database.extra_start[own] < database.extra_start[own + 1]]:
        for entry in range(database.extra_start[own[row]], database.extra_start[own[row] + 1]):
            ties[row, BITS[codes[row] ^ database.extra_code[entry]]] += database.extra_count[entry]
    ties[:, 0] -= 1  # the true one itself, which has the query's own labels


@kernel
def _keep_best(scores: Floats, news: Ints, offset: int, best: Ints, first: Floats, second: Floats) -> None:
    """The highest score of each query so far, the text it is of, and the next highest. Most blocks have no news."""
    for row in range(scores.shape[0]):
        if news[row]:
            top, next_top = first[row], second[row]
            for column in range(scores.shape[1]):
                score = scores[row, column]
                if score > next_top:
                    if score > top:
                        next_top, top, best[row] = top, score, offset + column
                    else:
                        next_top = score
            first[row], second[row] = top, next_top


@kernel
def _count(
    scores: Floats, true_score: Floats, own: Ints, codes: Ints, run_start: Ints, code: Ints, count: NDArray[np.int32],
    extra_place: Ints, extra_code: Ints, extra_count: NDArray[np.int32], second: Floats, above: Ints, ties: Ints,
) -> Ints:  # fmt: skip
    """Candidates above and level with the true one, whose own column is left out; and how many beat the second best.

    No branch and 32-bit sums in the inner loop, so that eight candidates are counted at once.
    """
    news = np.zeros(scores.shape[0], dtype=np.int64)
    for row in range(scores.shape[0]):
        line, target, bar, mine, own_code = scores[row], true_score[row], second[row], own[row], codes[row]
        beat = np.int32(0)
        for run in range(len(run_start) - 1):
            higher, at_least = np.int32(0), np.int32(0)
            for column in range(run_start[run], run_start[run + 1]):
                score, many = line[column], count[column]
                higher += many if score > target else np.int32(0)
                at_least += many if score >= target else np.int32(0)
                beat += np.int32(score > bar)
            tier = BITS[own_code ^ code[run_start[run]]]
            above[row, tier] += higher
            ties[row, tier] += at_least - higher
        news[row] = beat
        for entry in range(len(extra_place)):
            column = extra_place[entry]
            if line[column] >= target and column != mine:
                side = above if line[column] > target else ties
                side[row, BITS[own_code ^ extra_code[entry]]] += extra_count[entry]
        if 0 <= mine < len(line) and line[mine] >= target:
            side = above if line[mine] > target else ties
            side[row, BITS[own_code ^ code[mine]]] -= count[mine]
    return news


@kernel
def _count_single(scores: Floats, true_score: Floats, own: Ints, second: Floats, above: Ints, ties: Ints) -> Ints:
    """The same where every candidate occurs once and there is one tier: nothing to look up, and most releases' case."""
    news = np.zeros(scores.shape[0], dtype=np.int64)
    for row in range(scores.shape[0]):
        line, target, bar, mine = scores[row], true_score[row], second[row], own[row]
        higher, at_least, beat = np.int32(0), np.int32(0), np.int32(0)
        for column in range(len(line)):
            score = line[column]
            higher += np.int32(score > target)
            at_least += np.int32(score >= target)
            beat += np.int32(score > bar)
        if 0 <= mine < len(line) and line[mine] >= target:
            at_least -= np.int32(1)
            higher -= np.int32(line[mine] > target)
        above[row] += higher
        ties[row] += at_least - higher
        news[row] = beat
    return news
