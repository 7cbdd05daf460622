"""Inner products of 16-bit whole numbers, six rows against sixteen at a time, compared before they leave the registers.

Processors multiply two pairs of 16-bit numbers and add them up in the time of one product in float32, so this takes
half the time of a float32 product; and since only the outcome of comparisons is written, a bit each, the products never
reach memory. Compilers do not find this by themselves in a loop over arrays, so the loop's body is written here as LLVM
code on vectors: no instruction of a certain processor is named, and each gets the best it has.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from leadapron.engine.bits import BITS

ROWS, LANES, VECTORS = 6, 8, 2
"""Twelve vectors of sums, two of columns, one of a row and one of products: the sixteen registers there are."""
COLUMNS = LANES * VECTORS
TILES = BITS // COLUMNS
"""So many tiles fill a word of bits."""

BYTE, SHORT, WORD, LONG = (ir.IntType(bits) for bits in (8, 16, 32, 64))
WORDS = ir.VectorType(WORD, LANES)
PAIRS = ir.VectorType(SHORT, 2 * LANES)
NOTHING = ir.Constant(WORDS, ir.Undefined)
ZEROS = ir.Constant(WORDS, [0] * LANES)


@intrinsic
def compare_tile(
    _typing: Any, rows: Any, columns: Any, limits: Any, bits: Any, strip: Any, group: Any, place: Any
) -> Any:
    """Where the products of a strip of six rows with a group of sixteen columns exceed each row's three limits.

    ``rows[strip, step, row]`` and ``columns[group, step, column]`` hold two 16-bit numbers in 32 bits. For row r the
    first bits, ``bits[r, 0]``, say "above limits[0]", and the second, ``bits[r, 1]``, "above limits[1] and not above
    limits[0], or above limits[2]"; the two bytes from ``place`` on are written.
    """

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: list[ir.Value]) -> ir.Value:
        arrays = [
            context.make_array(kind)(context, builder, array)
            for kind, array in zip(signature.args[:4], args[:4], strict=True)
        ]
        (strips, steps, _), (groups, *_), (rows_limited, _), _ = (
            cgutils.unpack_tuple(builder, array.shape) for array in arrays
        )
        if config.BOUNDSCHECK:
            cgutils.do_boundscheck(context, builder, args[4], strips)
            cgutils.do_boundscheck(context, builder, args[5], groups)
            cgutils.do_boundscheck(context, builder, builder.mul(args[4], _long(ROWS)), rows_limited)
        _write_tile(builder, [array.data for array in arrays], steps, *args[4:])
        return context.get_dummy_value()

    if [array.dtype for array in (rows, columns, limits, bits)] != [types.int32] * 3 + [types.uint8]:
        raise TypingError(f"arrays of other kinds are needed, not {rows}, {columns}, {limits} and {bits}")
    index = types.int64
    return types.void(rows, columns, limits, bits, index, index, index), code


def _write_tile(
    builder: ir.IRBuilder, data: list[ir.Value], steps: ir.Value, strip: ir.Value, group: ir.Value, place: ir.Value
) -> None:
    rows, columns, limits, bits = data
    sums = [[cgutils.alloca_once(builder, WORDS) for _ in range(VECTORS)] for _ in range(ROWS)]
    for vector in chain(*sums):
        builder.store(ZEROS, vector)
    first_row, first_column = (builder.mul(which, steps) for which in (strip, group))
    with cgutils.for_range(builder, steps) as loop:
        row_at = builder.mul(builder.add(first_row, loop.index), _long(ROWS))
        column_at = builder.mul(builder.add(first_column, loop.index), _long(COLUMNS))
        theirs = [
            builder.load(builder.bitcast(_at(builder, columns, column_at, LANES * v), PAIRS.as_pointer()), align=4)
            for v in range(VECTORS)
        ]
        for row in range(ROWS):
            mine = builder.bitcast(_everywhere(builder, builder.load(_at(builder, rows, row_at, row))), PAIRS)
            for vector, other in zip(sums[row], theirs, strict=True):
                builder.store(builder.add(builder.load(vector), _sum_of_two_products(builder, mine, other)), vector)
    limits_at = builder.mul(strip, _long(3 * ROWS))
    for row in range(ROWS):
        sure, maybe, best = (
            _everywhere(builder, builder.load(_at(builder, limits, limits_at, 3 * row + limit))) for limit in range(3)
        )
        for v, vector in enumerate(sums[row]):
            total = builder.load(vector)
            above = builder.icmp_signed(">", total, sure)
            level = builder.and_(builder.icmp_signed(">", total, maybe), builder.not_(above))
            look = builder.or_(level, builder.icmp_signed(">", total, best))
            for kind, mask in enumerate((above, look)):
                builder.store(builder.bitcast(mask, BYTE), _at(builder, bits, place, 8 * (2 * row + kind) + v))


def _sum_of_two_products(builder: ir.IRBuilder, left: ir.Value, right: ir.Value) -> ir.Value:
    """Neighbours multiplied in 32 bits and added up, written so that it is known for the one instruction it is."""
    wide = ir.VectorType(WORD, 2 * LANES)
    products = builder.mul(builder.sext(left, wide), builder.sext(right, wide))
    even, odd = (
        builder.shuffle_vector(
            products, ir.Constant(wide, ir.Undefined), ir.Constant(WORDS, list(range(start, 2 * LANES, 2)))
        )
        for start in (0, 1)
    )
    return builder.add(even, odd)


def _everywhere(builder: ir.IRBuilder, word: ir.Value) -> ir.Value:
    return builder.shuffle_vector(builder.insert_element(NOTHING, word, ir.Constant(WORD, 0)), NOTHING, ZEROS)


def _at(builder: ir.IRBuilder, data: ir.Value, start: ir.Value, offset: int) -> ir.Value:
    return builder.gep(data, [builder.add(start, _long(offset))])


def _long(number: int) -> ir.Constant:
    return ir.Constant(LONG, number)
