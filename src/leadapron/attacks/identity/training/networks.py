"""The two networks of the study, one that places a patient's images together and one that judges pairs; and ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from leadapron.attacks.identity.training.backbones import Loaded
from leadapron.attacks.identity.training.frozen import FrozenNetwork
from leadapron.attacks.identity.training.identity_training_config import DIMENSION

Tensor = Any
GRID = 5
MAPS = 100
HIDDEN = 512
AGAINST, USUAL_DIFFERENCE = -0.15, 0.08


class RetrievalNetwork(nn.Module):  # type: ignore[misc]
    """Average and greatest value of each map on a grid, squeezed to fewer maps, two dense layers; at length one."""

    def __init__(self, loaded: Loaded, *, batch_norm: bool) -> None:
        super().__init__()
        self.backbone = loaded.module
        self.head = nn.Sequential(
            nn.Conv2d(2 * loaded.maps, MAPS, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(MAPS * GRID**2, HIDDEN),
            nn.ReLU(),
            nn.Linear(HIDDEN, DIMENSION),
            *([nn.BatchNorm1d(DIMENSION)] if batch_norm else []),
        )

    def forward(self, images: Tensor) -> Tensor:
        maps = self.backbone(images)
        pooled = [functional.adaptive_avg_pool2d(maps, GRID), functional.adaptive_max_pool2d(maps, GRID)]
        return functional.normalize(self.head(torch.cat(pooled, 1)))

    def similarity(self, left: Tensor, right: Tensor) -> Tensor:
        """The cosine of the angle between embeddings, row by row."""
        return (left * right).sum(1)

    def score_card(self) -> Mapping[str, object]:
        """Nothing: embeddings are compared as all others are."""
        return {}


class VerificationNetwork(nn.Module):  # type: ignore[misc]
    """128 activations an image; what differs between two images is weighed into one number."""

    def __init__(self, loaded: Loaded, *, batch_norm: bool) -> None:
        super().__init__()
        self.backbone = loaded.module
        grid = GRID if batch_norm else 1  # as published: the mean of each map
        self.head = nn.Sequential(
            nn.AdaptiveAvgPool2d(grid),
            nn.Flatten(),
            nn.Linear(loaded.maps * grid**2, DIMENSION),
            *([nn.BatchNorm1d(DIMENSION)] if batch_norm else []),
            nn.Sigmoid(),
        )
        self.judge = nn.Linear(DIMENSION, 1)
        # What differs speaks against one patient. From signs drawn at random it takes many epochs to find that out.
        nn.init.constant_(self.judge.weight, AGAINST)
        nn.init.constant_(self.judge.bias, -AGAINST * DIMENSION * USUAL_DIFFERENCE)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.backbone(images))

    def similarity(self, left: Tensor, right: Tensor) -> Tensor:
        """The logit of "both are of one patient", row by row."""
        return self.judge((left - right).abs()).squeeze(1)

    def score_card(self) -> Mapping[str, object]:
        """How activations are compared, so that an audit can do it without the network."""
        weights = self.judge.weight.detach()[0].tolist()
        return {"identity_score": {"kind": "weighted-l1", "weights": weights, "bias": self.judge.bias.item()}}


Network = RetrievalNetwork | VerificationNetwork | FrozenNetwork


def build_network(kind: str, loaded: Loaded, *, batch_norm: bool = False) -> Network:
    """The network on a backbone, its own layers as they are before training."""
    if kind == "frozen":
        return FrozenNetwork(loaded)
    built = RetrievalNetwork if kind == "retrieval" else VerificationNetwork
    return built(loaded, batch_norm=batch_norm)
