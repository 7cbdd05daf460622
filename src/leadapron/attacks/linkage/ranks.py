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
from leadapron.engine import Progress, kernel, parallel_map, silent

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

QUERIES_AT_ONCE = 1024
CANDIDATES_AT_ONCE = 512
CANDIDATES_IN_MEMORY = 65_536
STRETCH = 32
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


def rank_truth(
    queries: Floats, database: Database, truth: Ints, codes: Ints | None = None, *, progress: Progress = silent
) -> Ranks:
    """The rank of each query's true candidate by inner product.

    ``codes`` are the queries' labels as bits; without them every candidate is in tier 0.
    """
    count, texts, copies = len(queries), database.texts, database.copies.astype(np.int32)
    own = database.text_of[truth]
    true_score = _true_scores(queries, texts, own)
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
            offset = chunk + left
            mine = own[rows] - offset
            news = _count(scores, true_score[rows], mine, copies[offset:], second[rows], above[rows], ties[rows])
            _keep_best(scores, news, offset, best[rows], first[rows], second[rows])
            if codes is not None:
                _count_tiers(
                    scores, true_score[rows], mine, codes[rows], database.code[offset:],
                    database.count[offset:], offset,
                    database.extra_start, database.extra_text, database.extra_code, database.extra_count,
                    above[rows], ties[rows],
                )  # fmt: skip

    with threadpool_limits(1, user_api="blas"):
        for chunk in range(0, len(texts), CANDIDATES_IN_MEMORY):
            part = np.ascontiguousarray(texts[chunk : chunk + CANDIDATES_IN_MEMORY])
            parallel_map(partial(rank_block, part=part, chunk=chunk), range(0, count, QUERIES_AT_ONCE))
            progress("ranking", min(chunk + CANDIDATES_IN_MEMORY, len(texts)), len(texts))
    _add_equal_texts(own, codes, database, ties)
    return Ranks(above, ties, best, first - second, database.size)


def _true_scores(queries: Floats, texts: Floats, own: Ints) -> Floats:
    """Each query's score with its own text; only other texts are ever compared with it."""
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
    scores: Floats, true_score: Floats, own: Ints, copies: NDArray[np.int32], second: Floats, above: Ints, ties: Ints
) -> Ints:
    """Candidates above and level with the true one, whose own column is left out; and how many beat the second best.

    No branch and 32-bit sums in the inner loop, so that eight candidates are counted at once.
    """
    news = np.zeros(scores.shape[0], dtype=np.int64)
    for row in range(scores.shape[0]):
        line, target, bar = scores[row], true_score[row], second[row]
        higher, at_least, beat = np.int32(0), np.int32(0), np.int32(0)
        for column in range(len(line)):
            score, many = line[column], copies[column]
            higher += many if score > target else np.int32(0)
            at_least += many if score >= target else np.int32(0)
            beat += np.int32(score > bar)
        if 0 <= own[row] < len(line):
            score, many = line[own[row]], copies[own[row]]
            higher -= many if score > target else np.int32(0)
            at_least -= many if score >= target else np.int32(0)
        above[row, 0] += higher
        ties[row, 0] += at_least - higher
        news[row] = beat
    return news


@kernel
def _count_tiers(
    scores: Floats, true_score: Floats, own: Ints, codes: Ints, code: Ints, count: NDArray[np.int32], offset: int,
    extra_start: Ints, extra_text: Ints, extra_code: Ints, extra_count: NDArray[np.int32], above: Ints, ties: Ints,
) -> None:  # fmt: skip
    """Move the candidates that tier 0 was given to the tiers of their labels. Few are above the true one, as a rule."""
    extras = range(extra_start[offset], extra_start[offset + scores.shape[1]])
    moved = np.zeros((2, TIERS), dtype=np.int64)  # above and level, of one row
    for row in range(scores.shape[0]):
        line, target, mine, own_code = scores[row], true_score[row], own[row], codes[row]
        moved[:] = 0
        for left in range(0, len(line), STRETCH):
            stretch = line[left : left + STRETCH]
            any_there = np.int32(0)  # without a branch: many stretches have none
            for score in stretch:
                any_there += np.int32(score >= target)
            if any_there:
                for column in range(left, left + len(stretch)):
                    if line[column] >= target and column != mine:
                        moved[int(line[column] == target), BITS[own_code ^ code[column]]] += count[column]
        for entry in extras:
            column = extra_text[entry] - offset
            if line[column] >= target and column != mine:
                moved[int(line[column] == target), BITS[own_code ^ extra_code[entry]]] += extra_count[entry]
        for tier in range(1, TIERS):
            above[row, 0] -= moved[0, tier]
            above[row, tier] += moved[0, tier]
            ties[row, 0] -= moved[1, tier]
            ties[row, tier] += moved[1, tier]
