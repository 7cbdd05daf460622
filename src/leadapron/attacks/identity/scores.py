"""Scores: how alike an attacker finds two images, in whole numbers, so that a tie is a tie.

A score is one fixed function of two rows: a sum in double precision and in one order, divided by a unit and rounded.
Equal rows have equal scores wherever they stand, and what is equal in mathematics ties, too: the unit is a thousand
times what such a sum may be off. A product of matrices is faster, but adds up in an order that hangs on the shape of
the block. So it is believed where its error cannot change the whole number, and elsewhere, about once in 500, the fixed
sum decides: the numbers are the same whatever the blocks, the threads and the library.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import kernel
from leadapron.engine.inner_product import inner_product
from leadapron.release.rows import row_lengths

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

HALF_ULP = 2.0**-53
"""What one operation in double precision may be off, relative to its result."""
ERRORS_A_UNIT = 1024
WORD = 8
"""Flags that are looked at together."""


class Scores(Protocol):
    """A score is ``unit`` times a whole number; the whole numbers are what is compared."""

    @property
    def unit(self) -> float: ...

    def of_pairs(self, query: Ints, image: Ints) -> Doubles:
        """The whole numbers of pairs, row by row."""

    def fill(self, queries: slice, images: slice, out: Doubles) -> None:
        """The whole numbers of every query with every image."""

    def ordered(self, order: Ints) -> Scores:
        """The same with queries and images in another order."""


def whole(scores: Scores, score: float) -> float:
    """A score as the whole number that it is rounded to."""
    return float(np.rint(score / scores.unit))


@dataclass(frozen=True)
class Side:
    """Rows with a factor and a summand each, and what is known of the rounding of their products.

    The product of two rows by blocks is no further from the fixed sum than ``error`` of the one and of the other.
    """

    rows: Floats
    factor: Doubles
    summand: Doubles
    error: Doubles

    def only(self, chosen: Ints) -> Side:
        return Side(self.rows[chosen], self.factor[chosen], self.summand[chosen], self.error[chosen])

    def scaled(self, chosen: slice | Ints) -> Doubles:
        scaled: Doubles = self.rows[chosen] * self.factor[chosen, None]
        return scaled


def side_of(rows: Floats, factor: Doubles, summand: Doubles) -> Side:
    """Products of float32 numbers are exact in double precision; that leaves n sums each way and a few operations."""
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    squares = (row_lengths(rows) * factor) ** 2
    error = HALF_ULP * ((rows.shape[1] + 8) * squares + 4 * np.abs(summand))
    return Side(rows, factor, summand, error)


@dataclass(frozen=True)
class InnerProducts:
    """``queries[i] @ gallery[j]`` by both factors, and both summands on top."""

    queries: Side
    gallery: Side
    unit: float

    def of_pairs(self, query: Ints, image: Ints) -> Doubles:
        whole_numbers = np.empty(len(query))
        mine, theirs = self.queries, self.gallery
        _products(
            mine.rows, mine.factor, mine.summand, theirs.rows, theirs.factor, theirs.summand, 1 / self.unit,
            query, image, whole_numbers,
        )  # fmt: skip
        return whole_numbers

    def fill(self, queries: slice, images: slice, out: Doubles) -> None:
        mine, theirs = self.queries, self.gallery
        np.matmul(mine.scaled(queries), theirs.scaled(images).T, out=out)
        _settle(
            mine.rows[queries], mine.factor[queries], mine.summand[queries], mine.error[queries] / self.unit,
            theirs.rows[images], theirs.factor[images], theirs.summand[images], theirs.error[images] / self.unit,
            1 / self.unit, out,
        )  # fmt: skip

    def ordered(self, order: Ints) -> InnerProducts:
        return replace(self, queries=self.queries.only(order), gallery=self.gallery.only(order))

    def fused(self, held: Ints) -> InnerProducts:
        """A query for each row of ``held``: the mean of these queries, and so of their scores."""
        sums = sum(self.queries.scaled(some) for some in held.T)
        rows = (sums / held.shape[1]).astype(np.float32)
        return replace(self, queries=side_of(rows, np.ones(len(rows)), self.queries.summand[held].mean(axis=1)))


def inner_products(rows: Floats, factor: Doubles, summand: Doubles) -> InnerProducts:
    """Of all rows with each other."""
    side = side_of(rows, factor, summand)
    return InnerProducts(side, side, unit_for(2 * side.error))


def unit_for(error: Doubles) -> float:
    """A power of two, large against the usual error: to divide by it is exact."""
    usual = float(np.median(error)) or float(error.max())
    return math.ldexp(1.0, math.frexp(ERRORS_A_UNIT * usual)[1]) if usual > 0 else 1.0


def cosines(rows: Floats) -> InnerProducts:
    """The rows are taken as they are, and their lengths divided out in double precision: like rows have 1 exactly."""
    lengths = row_lengths(rows)
    return inner_products(rows, 1 / np.where(lengths > 0, lengths, 1), np.zeros(len(rows)))


def distances(rows: Floats) -> InnerProducts:
    """Minus half the squared Euclidean distance; of equal rows it is 0 exactly."""
    rows = _about_zero(rows)
    squares = np.empty(len(rows))
    _squares(rows, squares)
    return inner_products(rows, np.ones(len(rows)), squares / -2)


def _about_zero(rows: Floats) -> Floats:
    """Less what all have in common, in the columns where float32 holds the difference exactly: no distance changes.

    Far from zero a distance is the small difference of large numbers, and there float32 does hold it.
    """
    centre = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    shifted = rows.astype(np.float64) - centre
    narrow = shifted.astype(np.float32)
    return np.ascontiguousarray(np.where((narrow == shifted).all(axis=0), narrow, rows))


@kernel
def whole_product(
    left: Floats, row: int, factor: float, summand: float, right: Floats, other: int, factor_too: float,
    summand_too: float, per_unit: float,
) -> float:  # fmt: skip
    """The score itself: the same for the two rows either way."""
    product = inner_product(left, row, right, other)
    whole_number: float = np.rint((product * (factor * factor_too) + (summand + summand_too)) * per_unit)
    return whole_number


@kernel
def _products(
    left: Floats, factor: Doubles, summand: Doubles, right: Floats, factor_too: Doubles, summand_too: Doubles,
    per_unit: float, query: Ints, image: Ints, out: Doubles,
) -> None:  # fmt: skip
    for at in range(len(out)):
        row, other = query[at], image[at]
        out[at] = whole_product(
            left, row, factor[row], summand[row], right, other, factor_too[other], summand_too[other], per_unit
        )


@kernel
def _settle(
    left: Floats, factor: Doubles, summand: Doubles, error: Doubles,
    right: Floats, factor_too: Doubles, summand_too: Doubles, error_too: Doubles, per_unit: float, block: Doubles,
) -> None:  # fmt: skip
    """From products by blocks to whole numbers; those so near to the middle of two that the error decides, anew."""
    width = block.shape[1]
    doubtful = np.zeros((width + WORD - 1) // WORD * WORD, dtype=np.uint8)
    words = doubtful.view(np.uint64)
    for row in range(block.shape[0]):
        line, mine, sure = block[row], summand[row], 0.5 - error[row]
        for column in range(width):
            score = (line[column] + (mine + summand_too[column])) * per_unit
            rounded = np.rint(score)
            line[column] = rounded
            doubtful[column] = np.uint8(abs(score - rounded) > sure - error_too[column])
        for word in range(len(words)):
            if words[word]:
                for column in range(word * WORD, min(word * WORD + WORD, width)):
                    if doubtful[column]:
                        line[column] = whole_product(
                            left, row, factor[row], mine, right, column, factor_too[column], summand_too[column],
                            per_unit,
                        )  # fmt: skip


@kernel
def _squares(rows: Floats, out: Doubles) -> None:
    for row in range(len(out)):
        out[row] = inner_product(rows, row, rows, row)
