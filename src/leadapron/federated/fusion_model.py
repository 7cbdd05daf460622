"""The model that hospitals train together: an encoder per modality, joined end to end, and one classifier."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from leadapron.federated.station import Arrays

GROUPS = ("image_encoder", "text_encoder", "classifier")


class FusionModel(nn.Module):  # type: ignore[misc]
    """Image and text, each brought to a vector of length one; a half that is missing is a vector of zeros."""

    rows_at_once = 4096
    """Records that go through it together when nothing is learnt."""

    def __init__(self, image_encoder: nn.Module, text_encoder: nn.Module, width: int, findings: int) -> None:
        super().__init__()
        self.image_encoder = image_encoder
        self.text_encoder = text_encoder
        self.classifier = nn.Linear(2 * width, findings)
        self.width = width

    def embed(self, half: str, values: torch.Tensor) -> torch.Tensor:
        encoder = self.image_encoder if half == "image" else self.text_encoder
        return functional.normalize(encoder(values), dim=1)

    def classify(self, image: torch.Tensor | None, text: torch.Tensor | None) -> torch.Tensor:
        """Logits from embeddings."""
        there = image if image is not None else text
        assert there is not None
        halves = [torch.zeros_like(there) if half is None else half for half in (image, text)]
        logits: torch.Tensor = self.classifier(torch.cat(halves, dim=1))
        return logits

    def forward(self, image: torch.Tensor | None, text: torch.Tensor | None) -> torch.Tensor:
        return self.classify(
            None if image is None else self.embed("image", image), None if text is None else self.embed("text", text)
        )


def tensor(array: NDArray[Any], device: torch.device | None = None) -> torch.Tensor:
    """A copy on the device, because what a station holds is read-only."""
    return torch.from_numpy(np.array(array)).to(device)


def group_of(name: str) -> str:
    """The part of the model that a weight belongs to."""
    return name.partition(".")[0]


def weights_of(model: nn.Module, groups: tuple[str, ...] = GROUPS) -> Arrays:
    """The weights by name, as arrays of their own."""
    return {
        name: value.detach().cpu().numpy().copy()
        for name, value in model.state_dict().items()
        if group_of(name) in groups
    }


def load_weights(model: nn.Module, weights: Mapping[str, NDArray[Any] | torch.Tensor]) -> None:
    """Arrays as they were received, or tensors as they were kept; the other parts of the model stay as they are."""
    held = {name: one if isinstance(one, torch.Tensor) else tensor(one) for name, one in weights.items()}
    model.load_state_dict(held, strict=False)


def fingerprint(arrays: Mapping[str, NDArray[Any]]) -> str:
    """The sha256 of weights: names, shapes and every bit."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
