"""The inner product of two rows in double precision, eight numbers at a time and always in the same order.

A compiled loop would either add one number after the other, which is slow, or be free to add them as it likes, and then
the same two rows need not have the same product wherever it is asked for. So the order is written down, as LLVM code.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

LANES = 8
FLOATS, DOUBLES = (ir.VectorType(kind, LANES) for kind in (ir.FloatType(), ir.DoubleType()))
ZEROS = ir.Constant(DOUBLES, [0.0] * LANES)


@intrinsic
def inner_product(_typing: Any, left: Any, row: Any, right: Any, other: Any) -> Any:
    """``left[row] @ right[other]`` of two contiguous float32 arrays."""

    def code(context: Any, builder: ir.IRBuilder, signature: Any, args: list[ir.Value]) -> ir.Value:
        arrays = [context.make_array(signature.args[i])(context, builder, args[i]) for i in (0, 2)]
        (length, width), (others, _) = (cgutils.unpack_tuple(builder, array.shape) for array in arrays)
        if config.BOUNDSCHECK:
            cgutils.do_boundscheck(context, builder, args[1], length)
            cgutils.do_boundscheck(context, builder, args[3], others)
        starts = [
            builder.gep(array.data, [builder.mul(which, width)])
            for array, which in zip(arrays, (args[1], args[3]), strict=True)
        ]
        return _sum_of_products(builder, starts, width)

    if any((array.dtype, array.layout) != (types.float32, "C") for array in (left, right)):
        raise TypingError(f"contiguous float32 arrays are needed, not {left} and {right}")
    return types.float64(left, types.int64, right, types.int64), code


def _sum_of_products(builder: ir.IRBuilder, starts: list[ir.Value], width: ir.Value) -> ir.Value:
    sums = cgutils.alloca_once(builder, DOUBLES)
    builder.store(ZEROS, sums)
    lanes = ir.Constant(width.type, LANES)
    whole = builder.udiv(width, lanes)
    with cgutils.for_range(builder, whole) as loop:
        place = builder.mul(loop.index, lanes)
        left, right = (
            builder.fpext(
                builder.load(builder.bitcast(builder.gep(start, [place]), FLOATS.as_pointer()), align=4), DOUBLES
            )
            for start in starts
        )
        builder.store(builder.fadd(builder.load(sums), builder.fmul(left, right)), sums)
    total = cgutils.alloca_once(builder, ir.DoubleType())
    vector = builder.load(sums)
    parts = [builder.extract_element(vector, ir.Constant(ir.IntType(32), lane)) for lane in range(LANES)]
    while len(parts) > 1:
        parts = [builder.fadd(parts[i], parts[i + 1]) for i in range(0, len(parts), 2)]
    builder.store(parts[0], total)
    with cgutils.for_range(builder, builder.urem(width, lanes)) as loop:
        place = builder.add(builder.mul(whole, lanes), loop.index)
        left, right = (builder.fpext(builder.load(builder.gep(start, [place])), ir.DoubleType()) for start in starts)
        builder.store(builder.fadd(builder.load(total), builder.fmul(left, right)), total)
    return builder.load(total)
