"""Every query against every text: whole numbers decide what they can, and the rest is looked at in double precision.

Six queries and sixteen texts at a time, whole-number scores become bits: surely above the true text; or to be looked
at, because it is too close to call or perhaps among the best so far. Counting is counting of bits, and of a thousand
texts only a few are looked at.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import kernel
from leadapron.engine.bits import BITS, ONE, count_bits, lowest_bit, lowest_bits
from leadapron.engine.fixed_point import HIGHEST, bar, floored
from leadapron.engine.inner_product import inner_product
from leadapron.engine.tiles import ROWS, TILES, compare_tile

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Counts = NDArray[np.int32]

WORDS_AT_ONCE = 8
"""So many texts, as whole numbers and as floats, stay in a core's cache while all queries of a block pass by."""


@kernel
def screen(
    queries: Floats, texts: Floats, packed_queries: Counts, packed_texts: Counts, offset: int,
    scale: float, shift: Doubles, slack: float, true_score: Doubles, own: Ints,
    single: bool, codes: Ints, code: Ints, count: Counts, extra_start: Ints, extra_code: Ints, extra_count: Counts,
    above: Ints, ties: Ints, nearest: Ints, nearest_score: Doubles,
) -> None:  # fmt: skip
    """Add to ``above`` and ``ties`` what these texts, of which the first has the number ``offset``, bring each query.

    A score s has the whole number ``scale`` · (s − ``shift``), ``shift`` being the query's, give or take ``slack``.
    ``own`` is the true text, which is not counted. With ``single`` every text counts once in tier 0; else ``code``,
    ``count`` and the ``extra`` arrays say with which labels it occurs, and how often. ``nearest`` are the texts with
    the highest scores so far, and ``nearest_score`` these, the highest first.
    """
    limits = np.full((len(packed_queries) * ROWS, 3), HIGHEST, dtype=np.int32)
    for row in range(len(queries)):
        middle = scale * (true_score[row] - shift[row])
        limits[row, 0] = floored(middle + slack)
        limits[row, 1] = bar(middle - slack)
        limits[row, 2] = bar(scale * (nearest_score[row, -1] - shift[row]) - slack)
    bits = np.empty((ROWS, 2, BITS // 8), dtype=np.uint8)
    words = bits.view(np.uint64)
    number = len(packed_texts) // TILES
    for left in range(0, number, WORDS_AT_ONCE):
        for strip in range(len(packed_queries)):
            for word in range(left, min(left + WORDS_AT_ONCE, number)):
                for tile in range(TILES):
                    compare_tile(packed_queries, packed_texts, limits, bits, strip, word * TILES + tile, 2 * tile)
                start = word * BITS
                there = lowest_bits(len(texts) - start)
                for line in range(min(ROWS, len(queries) - strip * ROWS)):
                    row = strip * ROWS + line
                    mine = _bit(own[row] - offset - start)
                    higher, look = words[line, 0, 0] & there & ~mine, words[line, 1, 0] & there
                    if single:
                        above[row, 0] += count_bits(higher)
                    else:
                        rest = higher
                        while rest:
                            text = offset + start + int(lowest_bit(rest))
                            above[row, _tier(codes[row], code[text])] += count[text]
                            if len(extra_code) and extra_start[text] < extra_start[text + 1]:
                                _add_extra(above, row, codes[row], text, extra_start, extra_code, extra_count)
                            rest &= rest - ONE
                    if not look:
                        continue
                    counted = higher | mine
                    while look:
                        place = lowest_bit(look)
                        text = offset + start + int(place)
                        score = inner_product(queries, row, texts, text - offset)
                        if score >= true_score[row] and not (counted >> place) & ONE:
                            side = above if score > true_score[row] else ties
                            side[row, _tier(codes[row], code[text])] += count[text]
                            _add_extra(side, row, codes[row], text, extra_start, extra_code, extra_count)
                        insert(score, text, nearest_score[row], nearest[row])
                        look &= look - ONE
                    limits[row, 2] = bar(scale * (nearest_score[row, -1] - shift[row]) - slack)


@kernel
def insert(score: float, text: int, scores: Doubles, places: Ints) -> None:
    """Into a list in falling order; behind its equals, so that the first of them stay."""
    place = len(scores) - 1
    if score <= scores[place]:
        return
    while place > 0 and score > scores[place - 1]:
        scores[place], places[place] = scores[place - 1], places[place - 1]
        place -= 1
    scores[place], places[place] = score, text


@kernel
def _bit(place: int) -> np.uint64:
    """The word with one bit at this place, or none where the place is outside."""
    return ONE << np.uint64(place) if 0 <= place < BITS else np.uint64(0)


@kernel
def _tier(own_code: int, code: int) -> np.uint64:
    """In how many labels the two differ."""
    return np.uint64(count_bits(np.uint64(own_code ^ code)))


@kernel
def _add_extra(
    side: Ints, row: int, own_code: int, text: int, extra_start: Ints, extra_code: Ints, extra_count: Counts
) -> None:
    """The candidates that have this text with other labels, of which there are few: it takes long to call this."""
    for entry in range(extra_start[text], extra_start[text + 1]):
        side[row, _tier(own_code, extra_code[entry])] += extra_count[entry]
