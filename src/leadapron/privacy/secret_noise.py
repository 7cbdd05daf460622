"""Where the randomness of private training comes from: who is sampled, and the noise.

``SecureNoise`` is for releases: a ChaCha20 keystream under a key that is drawn from the operating system and forgotten.
``SeededNoise`` is for rehearsals and tests: anybody who knows or guesses the seed can draw the same noise and subtract
it, so nothing is promised of a release that was made with it.
"""

from __future__ import annotations

import secrets
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.extras import Tensor, need
from leadapron.privacy.ziggurat import GRAIN, MASK, add_normals

PURPOSE = "private training"
BLOCK = 32_768
"""Random words that are drawn at a time: as many as stay in the cache of a core."""
SPARE = 16
"""Words that are drawn beyond one for each normal number, since a few numbers take more."""
MOST = 1 << 37
"""Bytes under one key: half of what ChaCha20's block counter can number."""


class Noise(Protocol):
    """A stream of random numbers. ``state`` and ``resume`` continue one that was interrupted."""

    name: str
    secret: bool

    def uniforms(self, count: int) -> NDArray[np.float64]:
        """From 0 on and below 1."""
        ...

    def normals(self, count: int) -> NDArray[np.float64]: ...

    def add_normals(self, total: Tensor, spread: float) -> Tensor:
        """``total`` (float32) + ``spread`` x standard normal numbers, rounded to float32 once, after the sum.

        The numbers are drawn on the CPU, whichever device ``total`` is on.
        """
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
        drawn = torch.empty_like(total, device="cpu").normal_(generator=self._generator)
        return total.add_(drawn.to(total.device), alpha=spread)

    def state(self) -> NDArray[np.uint8]:
        held: NDArray[np.uint8] = self._generator.get_state().numpy().copy()
        return held

    def resume(self, state: NDArray[np.uint8]) -> None:
        self._generator.set_state(need("torch", PURPOSE).from_numpy(state.copy()))


class SecureNoise:
    """A ChaCha20 keystream -> 64-bit words -> uniforms of 53 bits, and normals by the ziggurat.

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
        self._zeros, self._drawn = memoryview(bytes(8 * BLOCK)), 0

    def _fill(self, words: NDArray[np.int64]) -> None:
        """The next words of the key stream, BLOCK of them at most; a long run goes on under a fresh key."""
        if self._drawn + words.nbytes > MOST:
            self._start(secrets.token_bytes(32))
        self._drawn += words.nbytes
        self._stream.update_into(self._zeros[: words.nbytes], words.data.cast("B"))

    def uniforms(self, count: int) -> NDArray[np.float64]:
        words = np.empty(count, dtype=np.int64)
        for start in range(0, count, BLOCK):
            self._fill(words[start : start + BLOCK])
        return (words & MASK).astype(np.float64) * GRAIN

    def normals(self, count: int) -> NDArray[np.float64]:
        drawn = np.zeros(count)
        self._add(drawn, 1.0)
        return drawn

    def add_normals(self, total: Tensor, spread: float) -> Tensor:
        held = total.cpu()  # on a CPU that is ``total`` itself
        self._add(held.view(-1).numpy(), spread)
        return total.copy_(held)

    def _add(self, out: NDArray[np.floating], spread: float) -> None:
        """Words that one round leaves come first in the next; those that are left in the end are never used."""
        words, left = np.empty(BLOCK, dtype=np.int64), 0
        while len(out):
            ready = min(BLOCK, left + len(out) + SPARE)
            self._fill(words[left:ready])
            done, used = add_normals(out, spread, words[:ready])
            out, left = out[done:], ready - used
            words[:left] = words[used:ready]

    def state(self) -> NDArray[np.uint8]:
        """Nothing: a key that lies on a disk is a key to the noise."""
        return np.empty(0, dtype=np.uint8)

    def resume(self, state: NDArray[np.uint8]) -> None:  # noqa: ARG002
        """Go on under a fresh key: fresh noise is as good, though not the same."""
        self._start(secrets.token_bytes(32))
