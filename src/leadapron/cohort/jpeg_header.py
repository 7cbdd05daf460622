"""What stands before the pixels of a JPEG file, read for the plain kind that radiographs are: grey, 8 bit, baseline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

START = b"\xff\xd8"
TABLES, CODES, FRAME, SCAN = 0xDB, 0xC4, 0xC0, 0xDA
PASSED_OVER = {*range(0xE0, 0xF0), 0xFE}
"""What applications and people wrote there."""
WHOLE_SCAN = bytes([0, 63, 0])
WINDOW = 16
"""Bits that are looked at together: no code is longer."""
MOST_BITS = 11
"""Of a number in an 8-bit image."""

Codes = NDArray[np.uint16]
"""For WINDOW bits the length of the code that they begin with (high byte), and its symbol; 0 where there is none."""


@dataclass(frozen=True)
class Header:
    """Size, the divisors of a block in the order of the file, the codes, and where the coded pixels start."""

    height: int
    width: int
    divisors: NDArray[np.float32]
    first: Codes
    others: Codes
    start: int


def read_header(data: bytes) -> Header | None:
    """None for every other kind of JPEG file, and for what is damaged: a whole decoder is to judge those."""
    divisors: dict[int, NDArray[np.float32]] = {}
    codes: dict[int, Codes] = {}
    frame = b""
    place = len(START)
    try:
        while True:
            marker, length = data[place + 1], int.from_bytes(data[place + 2 : place + 4])
            body = data[place + 4 : place + 2 + length]
            if data[place] != 0xFF or length < 2 or len(body) != length - 2:
                return None
            place += 2 + length
            if marker == TABLES:
                divisors |= _divisors(body)
            elif marker == CODES:
                codes |= _codes(body)
            elif marker == FRAME and not frame:
                frame = body
            elif marker == SCAN:
                if len(frame) != 9 or frame[0] != 8 or frame[5] != 1 or body[:2] != bytes([1, frame[6]]):
                    return None
                if body[3:] != WHOLE_SCAN:
                    return None
                height, width = int.from_bytes(frame[1:3]), int.from_bytes(frame[3:5])
                return Header(height, width, divisors[frame[8]], codes[body[2] >> 4], codes[16 | body[2] & 15], place)
            elif marker not in PASSED_OVER:
                return None
    except (IndexError, KeyError, ValueError):  # cut short, or a table that is missing or no table
        return None


def _divisors(body: bytes) -> dict[int, NDArray[np.float32]]:
    found = {}
    while body:
        deep, number = body[0] >> 4, body[0] & 15
        values = np.frombuffer(body, ">u2" if deep else np.uint8, 64, offset=1)
        found[number] = values.astype(np.float32)
        body = body[1 + values.nbytes :]
    return found


def _codes(body: bytes) -> dict[int, Codes]:
    """By number, with 16 more where they are for the numbers after a block's first."""
    found = {}
    while body:
        lengths = body[1:17]
        symbols = body[17 : 17 + sum(lengths)]
        found[body[0]] = _looked_up(lengths, symbols, others=body[0] >= 16)
        body = body[17 + sum(lengths) :]
    return found


def _looked_up(lengths: bytes, symbols: bytes, *, others: bool) -> Codes:
    table = np.zeros(1 << WINDOW, dtype=np.uint16)
    start = place = 0
    for length, count in enumerate(lengths, start=1):
        for symbol in symbols[place : place + count]:
            width = 1 << (WINDOW - length)
            if start + width > len(table) or (symbol & 15 if others else symbol) > MOST_BITS:
                raise ValueError("more codes than fit, or a number of more bits than there are")
            table[start : start + width] = length << 8 | symbol
            start += width
        place += count
    if place != len(symbols):
        raise ValueError("fewer symbols than codes")
    return table
