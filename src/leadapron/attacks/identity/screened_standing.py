"""Standing without every score: 16-bit whole numbers rule out nearly all strangers, and only the rest is scored.

Where a query's mates stand takes few of its scores: strangers above all of its mates are only counted, and those below
the lowest level that matters are nobody's concern. What the rounding leaves open is decided by the scores themselves,
so the outcome is that of a sweep, to the last stranger.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.attacks.identity.levels import Levels
from leadapron.attacks.identity.scores import HALF_ULP, InnerProducts, Side, whole_product
from leadapron.attacks.identity.standing import Standing, add_up, bounds_of, place_among, raise_floor
from leadapron.attacks.identity.sweep import Field
from leadapron.engine import kernel, parallel_map
from leadapron.engine.bits import BITS, ONE, count_bits, lowest_bit, lowest_bits
from leadapron.engine.fixed_point import HIGHEST, FixedPoint, bar, fix, floored, slack
from leadapron.engine.tiles import COLUMNS, ROWS, TILES, compare_tile

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = NDArray[np.int32]

QUERIES_AT_ONCE = 86 * ROWS
IMAGES_AT_ONCE = 65_536
WORDS_AT_ONCE = 8
"""So many images stay in a core's cache while all queries of a block pass by."""


@dataclass(frozen=True)
class _Part:
    """Some images of the gallery, from ``first`` on, as whole numbers around their centre."""

    images: slice
    centre: Doubles
    fixed: FixedPoint


def standing_of(scores: InnerProducts, field: Field, mates: Levels) -> Standing:
    """Where the mates of each query stand among the strangers that it meets."""
    wanted, best, floor = bounds_of(mates)
    above, ties = (np.zeros(len(mates.score), dtype=np.int64) for _ in range(2))
    mine, theirs = scores.queries, scores.gallery
    moved = bool(theirs.summand.any())

    def block(start: int, last: int, part: _Part) -> None:
        rows = slice(start, min(start + QUERIES_AT_ONCE, last))
        queries = _stretched(mine, rows, np.ones(rows.stop - start), moved=moved)
        fixed = fix(queries, np.zeros(queries.shape[1]), ROWS)
        scale = fixed.scale * part.fixed.scale
        shift = queries @ part.centre + mine.summand[rows]
        error = mine.error[rows].max() + theirs.error[part.images].max() + 4 * HALF_ULP * np.abs(shift).max()
        _stand(
            mine.rows[rows], mine.factor[rows], mine.summand[rows], fixed.packed,
            theirs.rows[part.images], theirs.factor[part.images], theirs.summand[part.images], part.fixed.packed,
            scores.unit, scale, shift, slack(fixed, part.fixed) + scale * error,
            field.own_start[rows] - part.images.start, field.own_stop[rows] - part.images.start,
            mates.start[start : rows.stop + 1], mates.score, wanted[rows], best[rows], floor[rows], above, ties,
        )  # fmt: skip

    with threadpool_limits(1, user_api="blas"):
        for segment in field.segments:
            queries = range(segment.queries.start, segment.queries.stop, QUERIES_AT_ONCE)
            for first in range(segment.images.start, segment.images.stop, IMAGES_AT_ONCE):
                images = slice(first, min(first + IMAGES_AT_ONCE, segment.images.stop))
                rows = _stretched(theirs, images, theirs.summand[images], moved=moved)
                centre = rows.mean(axis=0)
                part = _Part(images, centre, fix(rows, centre, COLUMNS, TILES))
                parallel_map(partial(block, last=segment.queries.stop, part=part), queries)
    add_up(mates.start, above, ties)
    return Standing(mates, above, ties)


def _stretched(side: Side, some: slice, last: Doubles, *, moved: bool) -> Doubles:
    """Rows by their factors; where images have a summand it is one more column, and that of queries is one."""
    rows = side.scaled(some)
    return np.column_stack([rows, last]) if moved else rows


@kernel
def _stand(
    queries: Floats, factor: Doubles, summand: Doubles, packed_queries: Words,
    images: Floats, factor_too: Doubles, summand_too: Doubles, packed_images: Words,
    unit: float, scale: float, shift: Doubles, slack: float, own_start: Ints, own_stop: Ints,
    start: Ints, level: Doubles, wanted: Ints, best: Doubles, floor: Doubles, above: Ints, ties: Ints,
) -> None:  # fmt: skip
    """Add to ``above`` and ``ties`` what these images bring each query; a whole number w is of scores around w units.

    Between ``own_start`` and ``own_stop`` lie the images of a query's own patient.
    """
    limits = np.full((len(packed_queries) * ROWS, 3), HIGHEST, dtype=np.int32)
    for row in range(len(queries)):
        if wanted[row] > 0:
            limits[row, 0] = floored(scale * ((best[row] + 0.5) * unit - shift[row]) + slack)
            limits[row, 1] = bar(scale * ((floor[row] - 0.5) * unit - shift[row]) - slack)
    bits = np.empty((ROWS, 2, BITS // 8), dtype=np.uint8)
    words = bits.view(np.uint64)
    number = len(packed_images) // TILES
    for left in range(0, number, WORDS_AT_ONCE):
        for strip in range(len(packed_queries)):
            lines = min(ROWS, len(queries) - strip * ROWS)
            for word in range(left, min(left + WORDS_AT_ONCE, number)):
                for tile in range(TILES):
                    compare_tile(packed_queries, packed_images, limits, bits, strip, word * TILES + tile, 2 * tile)
                first_image = word * BITS
                there = lowest_bits(len(images) - first_image)
                for line in range(lines):
                    row = strip * ROWS + line
                    higher, look = words[line, 0, 0] & there, words[line, 1, 0] & there
                    if not (higher | look):
                        continue
                    own = _between(own_start[row] - first_image, own_stop[row] - first_image)
                    higher, look, last = higher & ~own, look & ~own, start[row + 1] - 1
                    above[last] += count_bits(higher)
                    while look:
                        image = first_image + int(lowest_bit(look))
                        score = whole_product(
                            queries, row, factor[row], summand[row], images, image, factor_too[image],
                            summand_too[image], 1 / unit,
                        )  # fmt: skip
                        if score > best[row]:
                            above[last] += 1
                        elif score >= floor[row]:
                            place_among(score, start[row], last, level, above, ties)
                        look &= look - ONE
            for line in range(lines):
                row = strip * ROWS + line
                if floor[row] < best[row]:
                    raise_floor(row, start, level, wanted, floor, above, ties)
                    limits[row, 1] = bar(scale * ((floor[row] - 0.5) * unit - shift[row]) - slack)


@kernel
def _between(start: int, stop: int) -> np.uint64:
    """The word with these bits, as far as they are in it."""
    return lowest_bits(max(stop, 0)) & ~lowest_bits(max(start, 0))
