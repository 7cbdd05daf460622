"""Where the randomness of private training comes from: who is sampled, and the noise.

``SecureNoise`` is for releases: a ChaCha20 keystream under a key that is drawn from the operating system and forgotten.
``SeededNoise`` is for rehearsals and tests: anybody who knows or guesses the seed can draw the same noise and subtract
it, so nothing is promised of a release that was made with it.
"""

from __future__ import annotations

import math
import secrets
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leadapron.defences.heads.extras import Tensor, need

PURPOSE = "private training"
BITS = 53
"""Of each 64 random bits, as many as a float64 can hold."""
BLOCK = 65_536
"""Numbers that are made at a time: as many as stay in the cache of a core."""


class Noise(Protocol):
    """A stream of random numbers. ``state`` and ``resume`` continue one that was interrupted."""

    name: str
    secret: bool

    def uniforms(self, count: int) -> NDArray[np.float64]: ...

    def normals(self, count: int) -> NDArray[np.float64]: ...

    def add_normals(self, total: Tensor, spread: float) -> Tensor:
        """``total`` (float32) + ``spread`` x standard normal numbers, rounded to float32 once, after the sum."""
        ...

    def state(self) -> NDArray[np.uint8]: ...

    def resume(self, state: NDArray[np.uint8]) -> None: ...


class SeededNoise:
    """torch's own generator: fast, and the same for the same seed."""

    name = "torch, seeded"
    secret = False

    def __init__(self, seed: int) -> None:
        self._generator = need("torch", PURPOSE).Generator().manual_seed(seed)

    def uniforms(self, count: int) -> NDArray[np.float64]:
        torch = need("torch", PURPOSE)
        drawn: NDArray[np.float64] = torch.rand(count, dtype=torch.float64, generator=self._generator).numpy()
        return drawn

    def normals(self, count: int) -> NDArray[np.float64]:
        torch = need("torch", PURPOSE)
        drawn: NDArray[np.float64] = torch.randn(count, dtype=torch.float64, generator=self._generator).numpy()
        return drawn

    def add_normals(self, total: Tensor, spread: float) -> Tensor:
        torch = need("torch", PURPOSE)
        return total.add_(torch.empty_like(total).normal_(generator=self._generator), alpha=spread)

    def state(self) -> NDArray[np.uint8]:
        held: NDArray[np.uint8] = self._generator.get_state().numpy().copy()
        return held

    def resume(self, state: NDArray[np.uint8]) -> None:
        self._generator.set_state(need("torch", PURPOSE).from_numpy(state.copy()))


class SecureNoise:
    """A ChaCha20 keystream -> 53-bit uniforms -> normals by Box and Muller.

    The noise is added in float64, where its grain is far finer than the float32 that comes out: the gaps between
    float32 noise values, by which an exact sum could be told from its neighbour (Mironov 2012), are not there to see.
    """

    name = "ChaCha20, key from the operating system"
    secret = True

    def __init__(self, key: bytes | None = None) -> None:
        """Without ``key`` a fresh one; a fixed one is for tests."""
        self._start(key or secrets.token_bytes(32))

    def _start(self, key: bytes) -> None:
        need("cryptography", PURPOSE)
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

        self._stream = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor()
        self._zeros, self._room = bytes(8 * BLOCK), bytearray(8 * BLOCK)

    def _draw(self, count: int) -> Tensor:
        """Uniform numbers strictly between 0 and 1, whose logarithm is finite."""
        torch = need("torch", PURPOSE)
        drawn = torch.empty(count, dtype=torch.float64)
        words = torch.frombuffer(self._room, dtype=torch.int64)
        for start in range(0, count, BLOCK):
            part = drawn[start : start + BLOCK]
            self._stream.update_into(memoryview(self._zeros)[: 8 * len(part)], self._room)
            part.copy_(words[: len(part)].bitwise_and_((1 << BITS) - 1)).add_(0.5).mul_(2.0**-BITS)
        return drawn

    def uniforms(self, count: int) -> NDArray[np.float64]:
        drawn: NDArray[np.float64] = self._draw(count).numpy()
        return drawn

    def normals(self, count: int) -> NDArray[np.float64]:
        drawn: NDArray[np.float64] = self._normals(count).numpy()
        return drawn

    def _normals(self, count: int) -> Tensor:
        torch = need("torch", PURPOSE)
        half = (count + 1) // 2
        length, turn = self._draw(2 * half).split(half)
        length.log_().mul_(-2).sqrt_()
        turn.mul_(2 * math.pi)
        normals = torch.empty(2 * half, dtype=torch.float64)
        torch.mul(length, turn.cos(), out=normals[:half])
        torch.mul(length, turn.sin_(), out=normals[half:])
        return normals[:count]

    def add_normals(self, total: Tensor, spread: float) -> Tensor:
        for part in total.view(-1).split(BLOCK):
            part.copy_(self._normals(len(part)).mul_(spread).add_(part))
        return total

    def state(self) -> NDArray[np.uint8]:
        """Nothing: a key that lies on a disk is a key to the noise."""
        return np.empty(0, dtype=np.uint8)

    def resume(self, state: NDArray[np.uint8]) -> None:  # noqa: ARG002
        """Go on under a fresh key: fresh noise is as good, though not the same."""
        self._start(secrets.token_bytes(32))
