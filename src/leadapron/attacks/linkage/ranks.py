"""Where every query's true candidate stands in the whole database: one pass, the scores are never written out.

Two things make it fast. Each thread takes its own block of queries and compares it with the texts in 16-bit whole
numbers; only what these cannot tell apart is looked at in double precision (``screening``), so the ranks are those of
double precision. And candidates that are equal, bit by bit, are scored once and counted as often as they occur, which
also makes them tie exactly.

A small release is ranked without any of this, which would have to be compiled first (``plain_scores``): the outcome is
the same, bit by bit.

Candidates are read a chunk at a time, so they may lie in a memory-mapped file that is larger than memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.linkage.database import Database
from leadapron.attacks.linkage.plain_scores import compare_all, exact_scores, is_small
from leadapron.attacks.linkage.screening import screen
from leadapron.attacks.unit_rows import UnitRows
from leadapron.engine import Progress, parallel_map, silent
from leadapron.engine.fixed_point import FixedPoint, fix, slack
from leadapron.engine.tiles import COLUMNS, ROWS, TILES

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

QUERIES_AT_ONCE = 86 * ROWS
CANDIDATES_IN_MEMORY = 65_536


@dataclass(frozen=True)
class Ranks:
    """For each query, how many other candidates are above the true one and level with it, by tier.

    A tier is the number of labels in which a candidate differs from the query. ``margin`` is the lead of the text that
    scores highest in the whole database over the next. ``nearest`` are the texts that score highest, the highest first,
    and ``nearest_score`` their scores: as many as were asked for.
    """

    above_by_tier: Ints
    ties_by_tier: Ints
    margin: Doubles
    database: int
    nearest: Ints = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))
    nearest_score: Doubles = field(default_factory=lambda: np.empty((0, 0)))

    @cached_property
    def above(self) -> Ints:
        total: Ints = self.above_by_tier.sum(axis=1)
        return total

    @cached_property
    def ties(self) -> Ints:
        total: Ints = self.ties_by_tier.sum(axis=1)
        return total


def rank_truth(
    queries: Floats,
    database: Database,
    truth: Ints,
    codes: Ints | None = None,
    *,
    kept: int = 2,
    progress: Progress = silent,
) -> Ranks:
    """The rank of each query's true candidate by inner product.

    ``codes`` are the queries' labels as bits; without them every candidate is in tier 0. ``kept`` of the texts that
    score highest are listed, or as many as there are.
    """
    queries = np.ascontiguousarray(queries, dtype=np.float32)
    own = database.text_of[truth]
    asked = _Asked(queries, own, scores_of(queries, database.texts, own), codes)
    kept = min(kept, len(database.texts))
    compare: Compare = _plainly if is_small(queries, len(database.texts)) else _screened
    above, ties, nearest, score = compare(asked, database, kept, progress)
    _add_equal_texts(own, codes, database, ties)
    margin = score[:, 0] - score[:, 1] if kept > 1 else np.full(len(queries), np.inf)
    return Ranks(above, ties, margin, database.size, nearest, score)


@dataclass(frozen=True)
class _Asked:
    """Queries, the true text of each and its score."""

    queries: Floats
    own: Ints
    true_score: Doubles
    codes: Ints | None


Compared = tuple[Ints, Ints, Ints, Doubles]
"""Texts above and level by tier, the nearest ones, and their scores."""
Compare = Callable[[_Asked, Database, int, Progress], Compared]


def _plainly(asked: _Asked, database: Database, kept: int, _progress: Progress) -> Compared:
    """A column for each text, and one for each other set of labels that it occurs with."""
    texts = np.ascontiguousarray(database.texts[:], dtype=np.float32)
    *sides, nearest, score = compare_all(asked.queries, texts, asked.own, asked.true_score, kept)
    if asked.codes is None:
        copies = database.copies.astype(np.float64)
        above, ties = ((side @ copies).astype(np.int64)[:, None] for side in sides)
    else:
        tiers, column = 1 + database.labels, np.append(np.arange(len(texts)), database.extra_text)
        code = np.append(database.code, database.extra_code)
        count = np.append(database.count, database.extra_count).astype(np.float64)
        above, ties = (_by_tier(side[:, column], asked.codes, code, count, tiers) for side in sides)
    return above, ties, nearest, score


def _by_tier(side: NDArray[np.bool_], codes: Ints, code: Ints, count: Doubles, tiers: int) -> Ints:
    row, column = np.nonzero(side)
    tier = np.bitwise_count(codes[row] ^ code[column])
    counts = np.bincount(row * tiers + tier, weights=count[column], minlength=len(side) * tiers)
    return counts.astype(np.int64).reshape(len(side), tiers)


def _screened(asked: _Asked, database: Database, kept: int, progress: Progress) -> Compared:
    queries, own, codes, texts = asked.queries, asked.own, asked.codes, database.texts
    count, nowhere = len(queries), np.zeros(len(texts) + 1, dtype=np.int64)
    tiers = 1 if codes is None else 1 + database.labels
    if codes is None:
        own_codes, counted = np.zeros(count, dtype=np.int64), (nowhere[1:], database.copies.astype(np.int32), nowhere)
    else:
        own_codes, counted = codes, (database.code, database.count, database.extra_start)
    single = codes is None and bool((counted[1] == 1).all())
    above, ties = (np.zeros((count, tiers), dtype=np.int64) for _ in range(2))
    nearest, score = np.full((count, kept), -1, dtype=np.int64), np.full((count, kept), -np.inf)

    def rank_block(start: int, part: Floats, chunk: int, centre: Doubles, fixed: FixedPoint) -> None:
        rows = slice(start, start + QUERIES_AT_ONCE)
        mine = fix(queries[rows], nothing, ROWS)
        screen(
            queries[rows], part, mine.packed, fixed.packed, chunk,
            mine.scale * fixed.scale, queries[rows] @ centre, slack(mine, fixed), asked.true_score[rows], own[rows],
            single, own_codes[rows], *counted, database.extra_code, database.extra_count,
            above[rows], ties[rows], nearest[rows], score[rows],
        )  # fmt: skip

    nothing = np.zeros(queries.shape[1])
    with threadpool_limits(1, user_api="blas"):
        for chunk in range(0, len(texts), CANDIDATES_IN_MEMORY):
            part = np.ascontiguousarray(texts[chunk : chunk + CANDIDATES_IN_MEMORY])
            centre = part.mean(axis=0, dtype=np.float64)
            work = partial(rank_block, part=part, chunk=chunk, centre=centre, fixed=fix(part, centre, COLUMNS, TILES))
            parallel_map(work, range(0, count, QUERIES_AT_ONCE))
            progress("ranking", chunk + len(part), len(texts))
    return above, ties, nearest, score


def scores_of(queries: Floats, texts: Floats | UnitRows, own: Ints) -> Doubles:
    """Each query's score with one text, its own as a rule; only other texts are ever compared with that."""
    queries, scores = np.ascontiguousarray(queries, dtype=np.float32), np.empty(len(queries))
    for start in range(0, len(queries), CANDIDATES_IN_MEMORY):
        rows = slice(start, start + CANDIDATES_IN_MEMORY)
        theirs = np.ascontiguousarray(texts[own[rows]])
        every = np.arange(len(theirs))
        scores[rows] = exact_scores(queries[rows], every, theirs, every)
    return scores


def _add_equal_texts(own: Ints, codes: Ints | None, database: Database, ties: Ints) -> None:
    """The other candidates with the very words of the true one tie with it, by definition and not by arithmetic."""
    if codes is None:
        ties[:, 0] += database.copies[own] - 1
        return
    rows = np.arange(len(own))
    ties[rows, np.bitwise_count(codes ^ database.code[own])] += database.count[own]
    for row in rows[database.extra_start[own] < database.extra_start[own + 1]]:
        for entry in range(database.extra_start[own[row]], database.extra_start[own[row] + 1]):
            ties[row, np.bitwise_count(codes[row] ^ database.extra_code[entry])] += database.extra_count[entry]
    ties[:, 0] -= 1  # the true one itself, which has the query's own labels
