"""The mean levels of a JPEG file's blocks without decoding its pixels, and some blocks whole, to learn from.

Most of a block's numbers say what varies inside it. A decoder that makes the image smaller has no use for them, yet
reads each, which is most of its work. Here they are only stepped over, several at a time: by a table that says for some
bits how many numbers they hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort.jpeg_header import WINDOW, Codes, Header
from leadapron.engine.compiled import kernel

SIDE = 8
"""Pixels of a block; it holds as many numbers as pixels, its mean first."""
NUMBERS = SIDE * SIDE
FINE = 8
"""Steps in which means are told, a level of 8 bit."""
MIDDLE = 128 * FINE
TOP = 256 * FINE
STEPPED = 13
"""Bits whose numbers are stepped over at once: the table of them fits the processor's nearest memory."""
EVERY = 64
ACROSS, DOWN, BOTH = 1, 2, 4
"""Places of the numbers that tell a block's left half from the right, the upper from the lower, and the diagonals."""
HALF = float(np.mean(np.cos(np.arange(1, SIDE, 2) * np.pi / (2 * SIDE)))) / 2
"""The mean of the slowest wave over half a block."""
END = 0xD9
SLACK = 256
"""Bytes that may be read beyond the end: a block has 64 numbers of 27 bits at most, and then the end is looked for."""


@dataclass(frozen=True)
class Blocks:
    """Means of cells, a row of cells after the other; the numbers of one whole block in EVERY; the place of each."""

    means: NDArray[np.int16]
    whole: NDArray[np.int16]
    places: NDArray[np.int64]


def read_blocks(data: bytes, header: Header, cells: int) -> Blocks | None:
    """Blocks of ``cells`` x ``cells`` cells (1 or 2), each with its mean in steps of 1/FINE level.

    None where anything is strange: a whole decoder is to judge that.
    """
    coded = np.frombuffer(data, np.uint8, offset=header.start)
    plain = np.zeros(len(coded) // 4 * 4 + SLACK, dtype=np.uint8)
    length, end = _unstuffed(coded, plain)
    high, wide = -(-header.height // SIDE), -(-header.width // SIDE)
    if end + 1 >= len(coded) or coded[end + 1] != END or 2 * high * wide > 8 * length:
        return None
    means = np.empty((high * cells, wide * cells), dtype=np.int16)
    whole = np.zeros((high * wide // EVERY + high, NUMBERS), dtype=np.int16)
    places = np.zeros(len(whole), dtype=np.int64)
    steps, first_shorts, shorts = _steps(header.others), _shorts(header.first, 0), _shorts(header.others, 1)
    words = plain.view(">u4").astype(np.uint32)
    count = _read(
        words,
        8 * length,
        header.first,
        header.others,
        steps,
        first_shorts,
        shorts,
        header.divisors,
        means,
        whole,
        places,
        cells,
    )
    return None if count < 0 else Blocks(means, whole[:count], places[:count])


@kernel
def _unstuffed(coded: NDArray[np.uint8], plain: NDArray[np.uint8]) -> tuple[int, int]:
    """Without the zero that follows each 255 of the pixels; how many bytes there are, and where a marker follows."""
    length = place = 0
    while place < len(coded):
        plain[length] = coded[place]
        if coded[place] == 255:
            if place + 1 == len(coded) or coded[place + 1] != 0:
                break
            place += 1
        place += 1
        length += 1
    return length, place


@kernel
def _steps(codes: Codes) -> NDArray[np.uint16]:
    """For STEPPED bits: how many of them hold whole numbers, how many numbers (from bit 5), and if they end a block."""
    steps = np.zeros(1 << STEPPED, dtype=np.uint16)
    for bits in range(1 << STEPPED):
        used = numbers = ends = 0
        while not ends:
            code = codes[((bits << (WINDOW - STEPPED)) << used) & 0xFFFF]
            length, zeros, size = code >> 8, (code >> 4) & 15, code & 15
            if length == 0 or used + length + size > STEPPED or numbers + zeros + 1 >= NUMBERS:
                break
            used += length + size
            if size == 0 and zeros < 15:
                ends = 1
            else:
                numbers += zeros + 1
        steps[bits] = used | numbers << 5 | ends << 12
    return steps


@kernel
def _shorts(codes: Codes, least: int) -> NDArray[np.int32]:
    """For STEPPED bits: how many hold the next number, the zeros before it (from bit 5), the number (bit 16)."""
    shorts = np.zeros(1 << STEPPED, dtype=np.int32)
    for bits in range(1 << STEPPED):
        code = codes[bits << (WINDOW - STEPPED)]
        length, zeros, size = code >> 8, (code >> 4) & 15, code & 15
        if length > 0 and size >= least and length + size <= STEPPED:
            number = (bits >> (STEPPED - length - size)) & ((1 << size) - 1)
            if size > 0 and number >> (size - 1) == 0:
                number -= (1 << size) - 1
            shorts[bits] = number << 16 | zeros << 5 | (length + size)
    return shorts


@kernel
def _read(
    words: NDArray[np.uint32],
    bits: int,
    first: Codes,
    others: Codes,
    steps: NDArray[np.uint16],
    first_shorts: NDArray[np.int32],
    shorts: NDArray[np.int32],
    divisors: NDArray[np.float32],
    means: NDArray[np.int16],
    whole: NDArray[np.int16],
    places: NDArray[np.int64],
    cells: int,
) -> int:
    """Fill ``means``, ``whole`` and ``places``; how many are whole, or -1 if the file does not hold what it should.

    The next 33 bits or more stand highest in ``ahead``: enough for two steps, or for a code with its number (27).
    """
    high, wide = len(means) // cells, means.shape[1] // cells
    half = np.float32(FINE * HALF / np.sqrt(SIDE))
    across, down = half * divisors[ACROSS], half * divisors[DOWN]
    both = np.float32(FINE * HALF**2) * divisors[BOTH]
    told = np.zeros(NUMBERS, dtype=np.int64)  # those of this block that are read and not stepped over
    at, mean, found = np.int64(0), np.int64(0), 0
    for row in range(high):
        for column in range(wide):
            asked = (column + 13 * row) % EVERY == 0  # a grid that is askew: no pattern of the image falls in with it
            read = NUMBERS if asked else 1 if cells == 1 else BOTH + 1
            told[:read] = 0
            number = np.int64(0)
            if at > bits:
                return -1
            while number < NUMBERS:
                word = at >> 5
                ahead = (np.uint64(words[word]) << np.uint64(32) | np.uint64(words[word + 1])) << np.uint64(at & 31)
                if number >= read:
                    step = np.int64(steps[ahead >> np.uint64(64 - STEPPED)])
                    passed = number + (step >> 5 & 127)
                    if step & 31 and passed < NUMBERS:
                        at += step & 31
                        if step >> 12:
                            break
                        number = passed
                        step = np.int64(steps[ahead << np.uint64(step & 31) >> np.uint64(64 - STEPPED)])
                        passed = number + (step >> 5 & 127)
                        if step & 31 and passed < NUMBERS:
                            at += step & 31
                            if step >> 12:
                                break
                            number = passed
                        continue
                else:
                    short = np.int64((shorts if number else first_shorts)[ahead >> np.uint64(64 - STEPPED)])
                    passed = number + (short >> 5 & 15)
                    if short & 31 and passed < read:
                        at += short & 31
                        if number == 0:
                            mean += short >> 16
                            told[0] = mean
                        else:
                            told[passed] = short >> 16
                        number = passed + 1
                        continue
                code = np.int64((others if number else first)[ahead >> np.uint64(64 - WINDOW)])
                length, zeros, size = code >> 8, code >> 4 & 15, code & 15
                if length == 0:
                    return -1
                at += length + size
                value = np.int64(0)
                if size > 0:
                    value = np.int64(ahead << np.uint64(length) >> np.uint64(64 - size))
                    value -= (1 - (value >> (size - 1))) * ((1 << size) - 1)
                elif number > 0 and zeros < 15:
                    break
                if number == 0:
                    mean += value
                    value = mean
                number += zeros
                if number >= NUMBERS:
                    return -1
                if number < read:
                    told[number] = value
                number += 1
            middle = np.float32(told[0]) * divisors[0] + np.float32(MIDDLE)
            if cells == 1:
                means[row, column] = np.int16(min(max(middle, 0), TOP - 1))
            else:
                right, lower, apart = told[ACROSS] * across, told[DOWN] * down, told[BOTH] * both
                for corner in range(4):
                    x, y = 1 - 2 * (corner & 1), 1 - (corner & 2)
                    level = np.rint(middle + x * right + y * lower + x * y * apart)
                    means[2 * row + (corner >> 1), 2 * column + (corner & 1)] = np.int16(min(max(level, 0), TOP - 1))
            if asked:
                for told_at in range(NUMBERS):
                    whole[found, told_at] = told[told_at]
                places[found] = row * wide + column
                found += 1
    return found if 0 <= bits - at < 16 else -1
