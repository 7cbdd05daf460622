"""The noise: it is normal, it is the same from the same key, and it is another every time where it has to be."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import torch
from scipy import stats

from leadapron.privacy import secret_noise as noises
from leadapron.privacy.secret_noise import SecureNoise, SeededNoise

KEY = bytes(range(32))


def fixed(kind):
    return SecureNoise(KEY) if kind == "secure" else SeededNoise(7)


@pytest.mark.parametrize("kind", ["secure", "seeded"])
def test_normals_are_normal(kind):
    noise = fixed(kind)
    drawn = noise.normals(200_001)
    added = noise.add_normals(torch.full((200_001,), 3.0), 2.0).numpy()
    for sample in (drawn, (added - 3) / 2):
        assert stats.kstest(sample, "norm").pvalue > 1e-3
        assert abs(np.corrcoef(sample[:-1], sample[1:])[0, 1]) < 0.01
        half = len(sample) // 2  # sine and cosine of the same angle
        assert abs(np.corrcoef(sample[:half] ** 2, sample[half : 2 * half] ** 2)[0, 1]) < 0.015
    assert abs(np.corrcoef(drawn, added)[0, 1]) < 0.01
    assert np.abs(drawn).max() > 4  # the tails are there


@pytest.mark.parametrize("kind", ["secure", "seeded"])
def test_uniforms_are_uniform_and_strictly_inside(kind):
    drawn = fixed(kind).uniforms(100_000)
    assert stats.kstest(drawn, "uniform").pvalue > 1e-3
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert fixed(kind).uniforms(0).shape == (0,)


def test_the_largest_uniform_is_below_one():
    """A draw of 1 would pick a record of the next patient."""
    with mock.patch.object(SecureNoise, "_fill", lambda _, words: words.fill(-1)):
        assert SecureNoise(KEY).uniforms(1)[0] == 1 - 2.0**-53


def test_a_broken_generator_would_be_noticed():
    """The test above can fail: uniforms of 6 bits, or a spread that is 2 % off, do not pass it."""
    drawn = SecureNoise(KEY).normals(200_001)
    assert stats.kstest(drawn * 1.02, "norm").pvalue < 1e-3
    coarse = np.floor(SecureNoise(KEY).uniforms(100_000) * 64) / 64
    assert stats.kstest(coarse, "uniform").pvalue < 1e-3


@pytest.mark.parametrize("kind", ["secure", "seeded"])
def test_the_same_key_gives_the_same_noise(kind):
    one, other = fixed(kind), fixed(kind)
    for _ in range(2):
        np.testing.assert_array_equal(one.uniforms(33), other.uniforms(33))
        np.testing.assert_array_equal(one.normals(7), other.normals(7))
        assert torch.equal(one.add_normals(torch.zeros(9), 1.0), other.add_normals(torch.zeros(9), 1.0))


def test_the_keystream_is_chacha20():
    """The first block of key 00 01 … 1f with nonce and counter 0, from the cipher's definition (RFC 8439), by hand."""
    first = np.frombuffer(chacha20_block(KEY, 0), dtype="<u8")
    expected = (first & np.uint64(2**53 - 1)).astype(np.float64) / 2**53
    np.testing.assert_array_equal(SecureNoise(KEY).uniforms(8), expected)


def test_a_key_is_left_before_its_block_counter_is_full():
    """Under another key, and not with the first block once more."""
    with mock.patch.object(noises, "MOST", 8 * 40):
        noise = SecureNoise(KEY)
        drawn = np.concatenate([noise.uniforms(16) for _ in range(4)])
    np.testing.assert_array_equal(drawn[:32], SecureNoise(KEY).uniforms(32))
    assert not np.isin(drawn[32:], SecureNoise(KEY).uniforms(64)).any()
    assert len(np.unique(drawn)) == len(drawn)


def test_without_a_key_every_stream_is_another():
    one, other = SecureNoise().uniforms(4), SecureNoise().uniforms(4)
    assert not (one == other).any()


def test_a_seeded_stream_goes_on_where_it_was_and_a_secure_one_starts_afresh():
    noise = SeededNoise(3)
    noise.uniforms(5)
    state, expected = noise.state(), noise.uniforms(5)
    again = SeededNoise(99)
    again.resume(state)
    np.testing.assert_array_equal(again.uniforms(5), expected)
    secure = SecureNoise(KEY)
    assert secure.state().size == 0  # a key on a disk is a key to the noise
    secure.resume(secure.state())
    assert not (secure.uniforms(8) == SecureNoise(KEY).uniforms(8)).any()


def test_secure_noise_is_rounded_after_the_sum():
    """Noise that was rounded to float32 by itself would lie on a grid that the sum gives away."""
    total = torch.full((1000,), 1024.0)
    exact = 1024.0 + 1e-3 * SecureNoise(KEY).normals(1000)
    found = SecureNoise(KEY).add_normals(total, 1e-3).numpy()
    np.testing.assert_array_equal(found, exact.astype(np.float32))


def chacha20_block(key: bytes, counter: int) -> bytes:
    """RFC 8439, section 2.3, word by word."""
    constants = np.frombuffer(b"expand 32-byte k", dtype="<u4")
    start = [int(word) for word in (*constants, *np.frombuffer(key, dtype="<u4"), counter, 0, 0, 0)]
    state = list(start)

    def quarter(a, b, c, d):
        for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[x] = (state[x] + state[y]) % 2**32
            mixed = state[z] ^ state[x]
            state[z] = ((mixed << turn) | (mixed >> (32 - turn))) % 2**32

    for _ in range(10):
        for a, b, c, d in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)):
            quarter(a, b, c, d)
        for a, b, c, d in ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            quarter(a, b, c, d)
    words = [(one + other) % 2**32 for one, other in zip(state, start, strict=True)]
    return np.array(words, dtype="<u4").tobytes()
