"""Bits of a 64-bit word, one machine instruction each, for compiled loops."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from leadapron.engine.compiled import kernel

BITS = 64
ONE = np.uint64(1)


@intrinsic
def count_bits(_typing: Any, word: Any) -> Any:
    """How many bits of the word are set."""

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: list[ir.Value]) -> ir.Value:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), code


@intrinsic
def lowest_bit(_typing: Any, word: Any) -> Any:
    """The place of the lowest bit that is set, counted from 0; the word is not 0."""

    def code(_context: Any, builder: ir.IRBuilder, _signature: Any, args: list[ir.Value]) -> ir.Value:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), code


@kernel
def lowest_bits(number: int) -> np.uint64:
    return (ONE << np.uint64(number)) - ONE if number < BITS else ~np.uint64(0)
