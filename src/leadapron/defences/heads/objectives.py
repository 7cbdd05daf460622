"""The objectives by name: what a step's embeddings are scored by, example by example."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leadapron.defences.heads import losses
from leadapron.defences.heads.bank import Bank
from leadapron.defences.heads.extras import Tensor, need
from leadapron.defences.heads.network import Network

PURPOSE = "training heads"
REFRESH = 4
"""Steps between two looks at the bank. It is a function of the heads alone, so it costs time but no privacy."""


class Objective(Protocol):
    """Scores the pairs of a step; ``rows`` are their places in the release."""

    def prepare(self, network: Network, step: int, /) -> None: ...

    def __call__(self, image: Tensor, text: Tensor, rows: NDArray[np.int64], /) -> Tensor: ...


class AgainstBank:
    """Public-bank InfoNCE."""

    def __init__(self, bank: Bank, temperature: float) -> None:
        torch = need("torch", PURPOSE)
        self._features = {"image": torch.from_numpy(bank.image), "text": torch.from_numpy(bank.text)}
        self._temperature = temperature
        self._embedded: dict[str, Tensor] = {}

    def prepare(self, network: Network, step: int) -> None:
        if step % REFRESH == 0:  # embed() without a tape follows no gradient: neither weights nor features ask for one
            self._embedded = {side: network.embed(side, rows) for side, rows in self._features.items()}

    def __call__(self, image: Tensor, text: Tensor, _rows: NDArray[np.int64]) -> Tensor:
        return losses.bank_infonce(image, text, self._embedded["image"], self._embedded["text"], self._temperature)


class AgainstBatch:
    """In-batch InfoNCE as published, with an entropy term of either sign."""

    def __init__(self, temperature: float, entropy: float = 0.0) -> None:
        self._temperature, self._entropy = temperature, entropy

    def prepare(self, _network: Network, _step: int) -> None: ...

    def __call__(self, image: Tensor, text: Tensor, _rows: NDArray[np.int64]) -> Tensor:
        contrast = losses.batch_infonce(image, text, self._temperature)
        if not self._entropy:
            return contrast
        return contrast + self._entropy * losses.batch_entropy(image, text, self._temperature)
