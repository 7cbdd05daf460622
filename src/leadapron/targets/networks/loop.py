"""The training loop of a target network: epochs of steps, watched on held-out patients."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from leadapron.attacks.identity.training.augment import ahead, augmented, grey
from leadapron.attacks.identity.training.config import Phase
from leadapron.attacks.identity.training.loop import one_cycle
from leadapron.engine import Progress, silent
from leadapron.errors import DataError
from leadapron.targets.learner import FULL
from leadapron.targets.networks.config import NetworkConfig
from leadapron.targets.networks.data import Floats, NetworkData, Rows
from leadapron.targets.networks.losses import Tensor, record_losses
from leadapron.targets.networks.views import VIEWS, View
from leadapron.targets.networks.wide_resnet import WideResNet

AT_ONCE = 256
PATIENCE = 10
"""Epochs without a better one after which training ends."""
LOWEST = 1e-3
"""The learning rate at both ends of its cycle, as a share of the highest."""


@dataclass(frozen=True)
class Way:
    """How a model is trained: the rows of each step of an epoch, what a step does, and whose learning rate it uses."""

    draw: Callable[[np.random.Generator], list[Rows]]
    step: Callable[[Tensor, Tensor], float]
    optimiser: torch.optim.Optimizer


@dataclass
class Standing:
    """How far training has come, and the best of it: the epoch, its loss and its weights."""

    epochs: int = 0
    best_epoch: int = 0
    best_loss: float = math.inf
    best_weights: dict[str, Any] | None = None


def fit(
    network: WideResNet, way: Way, data: NetworkData, config: NetworkConfig, seed: int, progress: Progress = silent
) -> Standing:
    """Train in place. With early stopping the weights are those of the best epoch, else of the last."""
    standing = Standing()
    for epoch in range(config.epochs):
        _epoch(network, way, data, config, epoch, seed, progress)
        standing.epochs = epoch + 1
        if not config.early_stopping:
            standing.best_epoch = epoch + 1
            continue
        loss = loss_of(network, data, data.watched)
        if loss < standing.best_loss:
            standing.best_epoch, standing.best_loss = epoch + 1, loss
            standing.best_weights = copy.deepcopy(network.state_dict())
        elif standing.epochs - standing.best_epoch >= PATIENCE:
            break
    if standing.best_weights is not None:
        network.load_state_dict(standing.best_weights)
    return standing


def loss_of(network: WideResNet, data: NetworkData, rows: Rows) -> float:
    logits = torch.from_numpy(logits_of(network, data.images, rows))
    return float(record_losses(logits, torch.from_numpy(data.signs[rows])).mean())


def logits_of(network: WideResNet, images: NDArray[np.uint8], rows: Rows, view: View = VIEWS[FULL]) -> Floats:
    """What the network says of these rows, seen like that."""
    network.eval()
    with torch.inference_mode():
        parts = [
            network(grey(view(np.ascontiguousarray(images[rows[start : start + AT_ONCE]])))).numpy()
            for start in range(0, len(rows), AT_ONCE)
        ]
    return np.concatenate(parts).astype(np.float32)


def _epoch(
    network: WideResNet, way: Way, data: NetworkData, config: NetworkConfig, epoch: int, seed: int, progress: Progress
) -> None:
    """One pass. What is drawn depends on the seed and the epoch alone."""
    rng = np.random.default_rng([seed, epoch])
    steps = way.draw(rng)
    cycle = Phase(config.epochs, config.learning_rate, config.learning_rate * LOWEST)
    before, total = epoch * len(steps), config.epochs * len(steps)
    network.train()
    for step, (images, truth) in enumerate(ahead(_prepared(data, steps, config, rng))):
        for group in way.optimiser.param_groups:
            group["lr"] = one_cycle((before + step) / total, cycle)
        loss = way.step(images, truth)
        if not math.isfinite(loss):
            raise DataError(
                f"the loss is no longer finite in epoch {epoch + 1}",
                got=loss,
                fix="Choose a smaller --learning-rate.",
            )
        progress("training a network", before + step + 1, total)


def _prepared(
    data: NetworkData, steps: list[Rows], config: NetworkConfig, rng: np.random.Generator
) -> Iterator[tuple[Tensor, Tensor]]:
    for rows in steps:
        images = grey(np.ascontiguousarray(data.images[rows]))
        moved = augmented(images, rng) if config.augment and len(rows) else images
        yield moved, torch.from_numpy(data.signs[rows])
