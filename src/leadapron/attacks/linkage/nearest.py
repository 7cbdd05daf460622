"""The nearest texts of every query: whole numbers rule out nearly all, and the rest is scored in double precision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.linkage.plain_scores import is_small, nearest_texts
from leadapron.attacks.linkage.screening import WORDS_AT_ONCE, insert
from leadapron.engine import kernel, parallel_map
from leadapron.engine.bits import BITS, ONE, lowest_bit, lowest_bits
from leadapron.engine.fixed_point import HIGHEST, bar, fix, slack
from leadapron.engine.inner_product import inner_product
from leadapron.engine.remembered import content, recalled, remembered
from leadapron.engine.tiles import COLUMNS, ROWS, TILES, compare_tile

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.int32]

QUERIES_AT_ONCE = 86 * ROWS


def keep_nearest(queries: Floats, texts: Floats, places: Ints, scores: Doubles) -> None:
    """What ranking has found on the way, for those who ask for the nearest of the same rows later."""
    remembered(queries, ("nearest", content(texts)), lambda: (places, scores))


def nearest_kept(queries: Floats, texts: Floats, kept: int) -> tuple[Ints, Doubles]:
    """``nearest``, looked up where ranking has found as many of the same rows."""
    known = recalled(queries, ("nearest", content(texts)))
    if known is None or known[0].shape[1] < kept:
        return nearest(queries, texts, kept)
    places, scores = known
    return places[:, :kept].copy(), scores[:, :kept].copy()


def nearest(queries: Floats, texts: Floats, kept: int) -> tuple[Ints, Doubles]:
    """For each query the ``kept`` texts with the highest inner products, the highest first, and these."""
    queries, texts = (np.ascontiguousarray(rows, dtype=np.float32) for rows in (queries, texts))
    if is_small(queries, len(texts)):
        return nearest_texts(queries, texts, kept)
    centre = texts.mean(axis=0, dtype=np.float64)
    fixed = fix(texts, centre, COLUMNS, TILES)
    nothing = np.zeros_like(centre)
    places = np.full((len(queries), kept), -1, dtype=np.int64)
    scores = np.full((len(queries), kept), -np.inf)

    def block(start: int) -> None:
        rows = slice(start, start + QUERIES_AT_ONCE)
        mine = fix(queries[rows], nothing, ROWS)
        _keep_nearest(
            queries[rows], texts, mine.packed, fixed.packed,
            mine.scale * fixed.scale, queries[rows] @ centre, slack(mine, fixed), places[rows], scores[rows],
        )  # fmt: skip

    with threadpool_limits(1, user_api="blas"):
        parallel_map(block, range(0, len(queries), QUERIES_AT_ONCE))
    return places, scores


@kernel
def _keep_nearest(
    queries: Floats, texts: Floats, packed_queries: Words, packed_texts: Words,
    scale: float, shift: Doubles, slack: float, places: Ints, scores: Doubles,
) -> None:  # fmt: skip
    """Only a text that may be among the nearest so far is looked at."""
    limits = np.full((len(packed_queries) * ROWS, 3), HIGHEST, dtype=np.int32)
    for row in range(len(queries)):
        limits[row, 2] = bar(-np.inf)
    bits = np.empty((ROWS, 2, BITS // 8), dtype=np.uint8)
    words = bits.view(np.uint64)
    number = len(packed_texts) // TILES
    for left in range(0, number, WORDS_AT_ONCE):
        for strip in range(len(packed_queries)):
            for word in range(left, min(left + WORDS_AT_ONCE, number)):
                for tile in range(TILES):
                    compare_tile(packed_queries, packed_texts, limits, bits, strip, word * TILES + tile, 2 * tile)
                there = lowest_bits(len(texts) - word * BITS)
                for line in range(min(ROWS, len(queries) - strip * ROWS)):
                    row, look = strip * ROWS + line, words[line, 1, 0] & there
                    if not look:
                        continue
                    while look:
                        text = word * BITS + int(lowest_bit(look))
                        insert(inner_product(queries, row, texts, text), text, scores[row], places[row])
                        look &= look - ONE
                    limits[row, 2] = bar(scale * (scores[row, -1] - shift[row]) - slack)
