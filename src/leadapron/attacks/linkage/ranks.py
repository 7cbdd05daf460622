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

QUERIES_AT_ONCE = 256
CANDIDATES_AT_ONCE = 1024
CANDIDATES_IN_MEMORY = 65_536
TIERS = 15
"""Hamming distances between two vectors of 14 labels."""


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
        rows = slice(start, start + QUERIES_AT_ONCE)
        block = queries[rows]
        for left in range(0, len(part), CANDIDATES_AT_ONCE):
            scores = block @ part[left : left + CANDIDATES_AT_ONCE].T
            offset = chunk + left
            _keep_best(scores, offset, best[rows], first[rows], second[rows])
            if codes is None:
                _count(scores, true_score[rows], own[rows] - offset, copies[offset:], above[rows], ties[rows])
            else:
                _count_tiers(
                    scores, true_score[rows], own[rows] - offset, codes[rows], segments(offset, scores.shape[1]),
                    database.code[offset:], database.count[offset:], offset,
                    database.extra_start, database.extra_text, database.extra_code, database.extra_count,
                    above[rows], ties[rows],
                )  # fmt: skip

    def segments(offset: int, width: int) -> Ints:
        """Where a block's runs of texts with the same labels begin, and where the last one ends."""
        part = database.code[offset : offset + width]
        return np.concatenate([[0], np.flatnonzero(np.diff(part)) + 1, [len(part)]])

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
    for row, text in enumerate(own):
        ties[row, _bits(codes[row] ^ database.code[text])] += database.count[text]
        for entry in range(database.extra_start[text], database.extra_start[text + 1]):
            ties[row, _bits(codes[row] ^ database.extra_code[entry])] += database.extra_count[entry]
    ties[:, 0] -= 1  # the true one itself, which has the query's own labels


@kernel
def _bits(number: int) -> int:
    """How many bits are set: in how many labels two codes differ."""
    count = 0
    while number:
        number &= number - 1
        count += 1
    return count


@kernel
def _keep_best(scores: Floats, offset: int, best: Ints, first: Floats, second: Floats) -> None:
    """The highest score of each query so far, the text it is of, and the next highest."""
    for row in range(scores.shape[0]):
        top, next_top = first[row], second[row]
        news = np.int32(0)  # counted without a branch: most blocks have none
        for column in range(scores.shape[1]):
            news += np.int32(1) if scores[row, column] > next_top else np.int32(0)
        if news:
            for column in range(scores.shape[1]):
                score = scores[row, column]
                if score > next_top:
                    if score > top:
                        next_top, top, best[row] = top, score, offset + column
                    else:
                        next_top = score
            first[row], second[row] = top, next_top


@kernel
def _count(scores: Floats, true_score: Floats, own: Ints, copies: NDArray[np.int32], above: Ints, ties: Ints) -> None:
    """Candidates above and level with the true one, whose own column is left out.

    No branch and 32-bit sums in the inner loop, so that eight candidates are counted at once.
    """
    for row in range(scores.shape[0]):
        target = true_score[row]
        higher, level = np.int32(0), np.int32(0)
        for column in range(scores.shape[1]):
            score = scores[row, column]
            higher += copies[column] if score > target else np.int32(0)
            level += copies[column] if score == target else np.int32(0)
        if 0 <= own[row] < scores.shape[1]:
            score = scores[row, own[row]]
            higher -= copies[own[row]] if score > target else np.int32(0)
            level -= copies[own[row]] if score == target else np.int32(0)
        above[row, 0] += higher
        ties[row, 0] += level


@kernel
def _count_tiers(
    scores: Floats, true_score: Floats, own: Ints, codes: Ints, bounds: Ints, code: Ints, count: NDArray[np.int32],
    offset: int, extra_start: Ints, extra_text: Ints, extra_code: Ints, extra_count: NDArray[np.int32],
    above: Ints, ties: Ints,
) -> None:  # fmt: skip
    """The same, each candidate in the tier of its labels: one run of texts with the same labels after the other."""
    extras = range(extra_start[offset], extra_start[offset + scores.shape[1]])
    for row in range(scores.shape[0]):
        target, mine = true_score[row], own[row]
        for segment in range(len(bounds) - 1):
            higher, level = np.int32(0), np.int32(0)
            for column in range(bounds[segment], bounds[segment + 1]):
                score = scores[row, column]
                higher += count[column] if score > target else np.int32(0)
                level += count[column] if score == target else np.int32(0)
            if bounds[segment] <= mine < bounds[segment + 1]:
                higher -= count[mine] if scores[row, mine] > target else np.int32(0)
                level -= count[mine] if scores[row, mine] == target else np.int32(0)
            tier = _bits(codes[row] ^ code[bounds[segment]])
            above[row, tier] += higher
            ties[row, tier] += level
        for entry in extras:
            column = extra_text[entry] - offset
            if column != mine and scores[row, column] >= target:
                tier = _bits(codes[row] ^ extra_code[entry])
                if scores[row, column] > target:
                    above[row, tier] += extra_count[entry]
                else:
                    ties[row, tier] += extra_count[entry]
