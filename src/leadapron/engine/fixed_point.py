"""Rows as 16-bit whole numbers, with a bound on what that does to their inner products.

With a centre c and scales s and t, a query q becomes Q, the whole numbers nearest to s·q, and a text x becomes X, those
nearest to t·(x − c). The centre is what all texts have in common: it moves all scores of a query by the same amount, so
it does not matter which text is ahead, and without it the whole numbers tell apart what differs. Then

    |s·t·q·(x − c) − Q·X|  ≤  |s·q − Q|·|t·(x − c)| + |Q|·|t·(x − c) − X|

by Cauchy and Schwarz: two texts whose whole-number scores differ by more than that are in the right order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.compiled import kernel

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]

LARGEST, LONGEST = 32_767.0, 46_000.0
"""A number must fit into 16 bits, and by the lengths of two rows, a little more by rounding, a score into 31."""
HIGHEST, LOWEST = 2**31 - 1, -(2**31)
ROUNDING = 2.0**-51
"""Four times what one operation in double precision may be off, relative to its result."""


@dataclass(frozen=True)
class FixedPoint:
    """``packed[group, step, row]`` holds numbers 2·step and 2·step + 1 of a row; groups are filled up with zeros.

    ``length`` is that of the longest row, ``centre`` that of the centre, and ``error`` the largest distance of a row
    from its whole numbers, all of them scaled.
    """

    packed: NDArray[np.int32]
    scale: float
    length: float
    centre: float
    error: float


def fix(rows: NDArray[np.floating[Any]], centre: Doubles, together: int, groups_at_once: int = 1) -> FixedPoint:
    """The rows, less the centre, as fine as they go; ``together`` of them make a group."""
    largest, longest = _extent(rows, centre)
    scale = min(LARGEST / largest, LONGEST / longest) if largest > 0 else 1.0
    groups = -(-len(rows) // (together * groups_at_once)) * groups_at_once
    packed = np.zeros((groups, -(-rows.shape[1] // 2), together), dtype=np.int32)
    error = _pack(rows, centre, scale, packed)
    return FixedPoint(packed, scale, scale * longest, scale * float(np.linalg.norm(centre)), error)


def slack(queries: FixedPoint, texts: FixedPoint) -> float:
    """How far whole-number scores may be off.

    The last term is what double precision itself may be off, in the scores and in the centre's share of them: nothing,
    unless the texts are so close to their centre that their scale makes it large.
    """
    width = float(2 * queries.packed.shape[1])
    arithmetic = ROUNDING * (width + 4) * queries.length * (texts.length + texts.centre)
    return queries.error * texts.length + (queries.length + queries.error) * texts.error + arithmetic + 1


@kernel
def _extent(rows: Floats, centre: Doubles) -> tuple[float, float]:
    """The largest number, and the length of the longest row."""
    largest, longest = 0.0, 0.0
    for row in range(rows.shape[0]):
        total = 0.0
        for column in range(rows.shape[1]):
            number = rows[row, column] - centre[column]
            largest = max(largest, abs(number))
            total += number * number
        longest = max(longest, total)
    return largest, math.sqrt(longest)


@kernel
def _pack(rows: Floats, centre: Doubles, scale: float, packed: NDArray[np.int32]) -> float:
    """Two numbers a word; returns the largest distance between a scaled row and its whole numbers."""
    together, largest = packed.shape[2], 0.0
    for row in range(rows.shape[0]):
        group, place, total = row // together, row % together, 0.0
        for column in range(rows.shape[1]):
            number = scale * (rows[row, column] - centre[column])
            whole = np.rint(number)
            total += (number - whole) ** 2
            half = np.int32(whole) & np.int32(0xFFFF) if column % 2 == 0 else np.int32(whole) << np.int32(16)
            packed[group, column // 2, place] |= half
        largest = max(largest, total)
    return math.sqrt(largest)


@kernel
def floored(number: float) -> np.int32:
    """The largest whole number that does not exceed this one; cut to 32 bits before it is turned into one."""
    return np.int32(math.floor(min(max(number, LOWEST), HIGHEST)))


@kernel
def bar(number: float) -> np.int32:
    """Whoever reaches this number is above the limit; it is minus infinity as long as there is nobody to beat."""
    return np.int32(max(math.ceil(min(max(number, LOWEST), HIGHEST)) - 1, LOWEST))
