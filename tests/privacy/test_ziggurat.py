"""The ziggurat: layers of equal area, the bell as it is, tails included, and no word used twice."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from leadapron.privacy.secret_noise import SecureNoise
from leadapron.privacy.ziggurat import BITS, EDGES, HEIGHTS, LAYERS, MASK, TAIL, add_normals

KEY = bytes(range(32))
MANY = 20_000_000
GRID = np.concatenate([np.arange(0, 4.5, 1 / 16), [4.5, np.inf]])
"""Beyond 4.5 there are 136 numbers of so many, and beyond 3.65, where the tail begins, 5,160."""


def normals_of(words: np.ndarray) -> np.ndarray:
    out = np.zeros(len(words))
    done, _ = add_normals(out, 1.0, words)
    return out[:done]


def tail_word(sign: int) -> int:
    """A word that picks the lowest layer, and the place farthest out in it."""
    return (sign * MASK) << (63 - BITS)


# ---------------------------------------------------------------- the distribution


def test_layers_have_equal_areas_and_end_at_the_top():
    areas = EDGES[1:-1] * np.diff(HEIGHTS[1:])
    tail = np.sqrt(2 * np.pi) * stats.norm.sf(TAIL)
    np.testing.assert_allclose(areas, TAIL * HEIGHTS[1] + tail, rtol=1e-12)
    assert len(EDGES) == LAYERS + 1
    assert (np.diff(EDGES) < 0).all()


@pytest.fixture(scope="module")
def counts():
    """How many of very many numbers lie in each cell of the grid, below and above 0."""
    noise, found = SecureNoise(KEY), np.zeros((2, len(GRID) - 1), dtype=np.int64)
    for _ in range(MANY // 1_000_000):
        drawn = noise.normals(1_000_000)
        cells = np.minimum((np.abs(drawn) * 16).astype(np.int64), len(GRID) - 2)
        for side, chosen in enumerate((drawn < 0, drawn > 0)):
            found[side] += np.bincount(cells[chosen], minlength=len(GRID) - 1)
    return found


def expected() -> np.ndarray:
    return MANY * -np.diff(stats.norm.sf(GRID))


def agrees(found: np.ndarray) -> bool:
    """Both over all cells, and over those of the tail alone, where few numbers lie."""
    first, both = np.searchsorted(GRID, TAIL), np.stack([expected()] * 2)
    everywhere = stats.chi2.sf(((found - both) ** 2 / both).sum(), found.size)
    in_tail = stats.poisson.cdf(found[:, first:].sum(), both[:, first:].sum())
    farthest = stats.poisson.cdf(found[:, -1].sum(), both[:, -1].sum())
    return everywhere > 1e-3 and all(5e-4 < level < 1 - 5e-4 for level in (in_tail, farthest))


def test_very_many_numbers_are_normal_as_far_out_as_there_are_any(counts):
    assert agrees(counts)


def test_a_tail_that_is_wrong_would_be_noticed(counts):
    """7 % too thin, as when a refused draw begins anew; cut off at 4.5; or all on one side."""
    first = np.searchsorted(GRID, TAIL)
    thin, cut, lopsided = counts.copy(), counts.copy(), counts.copy()
    thin[:, first:] = np.round(0.93 * thin[:, first:])
    cut[:, -1] = 0
    lopsided[:, first:] = [np.zeros_like(lopsided[0, first:]), lopsided[:, first:].sum(axis=0)]
    for wrong in (thin, cut, lopsided):
        assert not agrees(wrong)


@pytest.mark.parametrize("far", [3.7, 5.0, 6.0, 8.0, 12.0])
def test_the_tail_reaches_to_twelve(far):
    """By hand: TAIL − log(u) / TAIL, if the second draw is small enough; the finest u has 53 bits."""
    first = round(np.exp(-TAIL * (far - TAIL)) * 2**BITS) - 1
    reached = TAIL - np.log((first + 1) / 2**BITS) / TAIL
    assert abs(reached - far) < 1e-3
    for sign in (1, -1):
        words = np.array([tail_word(sign), first, 0])
        np.testing.assert_allclose(normals_of(words), [sign * reached], rtol=1e-14)


def test_the_grain_is_53_bits_of_a_layer():
    layer = 5
    words = (np.array([1, -1, 2**31 + 1]) << (63 - BITS)) | layer
    np.testing.assert_array_equal(normals_of(words), np.array([1, -1, 2**31 + 1]) * EDGES[layer] / 2**53)


def test_a_refused_draw_of_the_tail_is_made_again_in_the_tail():
    refused = (0, MASK)  # very far out, and not rare enough for that
    words = np.array([tail_word(1), *refused, *refused, 2 ** (BITS - 1) - 1, 0])
    np.testing.assert_allclose(normals_of(words), [TAIL + np.log(2) / TAIL], rtol=1e-14)


# ---------------------------------------------------------------- the words


def test_words_that_run_out_within_a_number_are_left_for_the_next_round():
    edge_word = (MASK << (63 - BITS)) | 100  # the end of a layer that sticks out of the bell there
    for begun in ([edge_word], [tail_word(1)], [tail_word(1), 0], [tail_word(1), 0, MASK], [tail_word(1), 0, MASK, 0]):
        out = np.zeros(5)
        done, used = add_normals(out, 1.0, np.array([0, *begun]))
        assert (done, used) == (1, 1)  # the place 0 of the lowest layer, and nothing of what was begun
        assert not out.any()


@pytest.mark.parametrize("size", [40, 97, 1000])
def test_rounds_of_any_size_make_the_same_numbers(size):
    """Of 30,000 numbers some hundred take more than a word, and some of these meet the end of a round."""
    words = np.random.default_rng(5).integers(-(2**63), 2**63, 30_000, dtype=np.int64)
    whole, found, at = normals_of(words), [], 0
    while at < len(words) - 50:  # the last number may lack words
        out = np.zeros(size)
        done, used = add_normals(out, 1.0, words[at : at + size])
        found.append(out[:done])
        at += used
    together = np.concatenate(found)
    np.testing.assert_array_equal(together, whole[: len(together)])


def test_no_word_makes_two_numbers():
    """Over many refills of the stream: equal numbers would be equal places in equal layers, 1 in 2**60."""
    noise = SecureNoise(KEY)
    drawn = np.concatenate([noise.normals(count) for count in (1, 7, 100_000, 3, 250_000)])
    assert len(np.unique(drawn)) == len(drawn)
