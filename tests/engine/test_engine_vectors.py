"""The loops that are written as vectors, against plain NumPy and plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core.errors import TypingError

from leadapron.engine import kernel
from leadapron.engine.bits import count_bits, lowest_bit
from leadapron.engine.inner_product import inner_product
from leadapron.engine.tiles import COLUMNS, ROWS, compare_tile


@kernel
def bits_of(word):
    return count_bits(word), lowest_bit(word)


@kernel
def tile_of(rows, columns, limits, strip, group, place):
    bits = np.zeros((ROWS, 2, 8), dtype=np.uint8)
    compare_tile(rows, columns, limits, bits, strip, group, place)
    return bits


@kernel
def product_of(left, row, right, other):
    return inner_product(left, row, right, other)


@settings(deadline=None)
@given(st.integers(1, 2**64 - 1))
def test_bits(word):
    assert bits_of(np.uint64(word)) == (word.bit_count(), (word & -word).bit_length() - 1)


def packed(rows, together):
    """Two neighbours of a row in 32 bits; the rows of a group side by side."""
    groups = rows.reshape(-1, together, rows.shape[1]).astype(np.int16)
    return np.ascontiguousarray(groups.view(np.int32).transpose(0, 2, 1))


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 2), st.integers(0, 2), st.integers(0, 3), st.integers(0, 2**32))
def test_a_tile_is_three_comparisons(steps, strip, group, tile, seed):
    rng = np.random.default_rng(seed)
    most = math.isqrt((2**31 - 1) // (2 * steps))  # the largest numbers whose products still fit
    rows = rng.integers(-most, most + 1, (3 * ROWS, 2 * steps)).clip(-(2**15) + 1, 2**15 - 1)
    columns = rng.integers(-most, most + 1, (3 * COLUMNS, 2 * steps)).clip(-(2**15) + 1, 2**15 - 1)
    scores = rows[strip * ROWS :][:ROWS] @ columns[group * COLUMNS :][:COLUMNS].T
    limits = np.zeros((3 * ROWS, 3), dtype=np.int32)
    sure, maybe, best = np.quantile(scores, [0.7, 0.5, 0.9], axis=1).astype(np.int32)
    limits[strip * ROWS :][:ROWS] = np.stack([sure, maybe, best], axis=1)

    bits = tile_of(packed(rows, ROWS), packed(columns, COLUMNS), limits, strip, group, 2 * tile)
    found = np.unpackbits(bits, axis=2, bitorder="little")
    here = slice(COLUMNS * tile, COLUMNS * (tile + 1))
    above = scores > sure[:, None]
    assert (found[:, 0, here] == above).all()
    assert (found[:, 1, here] == ((scores > maybe[:, None]) & ~above | (scores > best[:, None]))).all()
    assert found[:, :, here].sum() == found.sum()


@pytest.mark.parametrize("width", [1, 7, 8, 9, 128, 131])
def test_the_inner_product_is_that_of_double_precision(width):
    rng = np.random.default_rng(width)
    left, right = (rng.standard_normal((5, width)).astype(np.float32) for _ in range(2))
    for row in range(5):
        for other in range(5):
            terms = [float(a) * float(b) for a, b in zip(left[row], right[other], strict=True)]
            found = product_of(left, row, right, other)
            assert found == pytest.approx(math.fsum(terms), abs=1e-15 * sum(map(abs, terms)))
            assert found == product_of(right, other, left, row)


def test_the_inner_product_of_other_arrays_is_refused():
    doubles = np.ones((2, 4))
    with pytest.raises(TypingError, match="float32"):
        product_of(doubles, 0, doubles, 1)
