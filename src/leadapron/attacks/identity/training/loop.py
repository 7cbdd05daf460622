"""The training loop: phases of one cycle each, epoch by epoch, watched on validation patients."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from leadapron.attacks.identity.training.augment import ahead, augmented, grey
from leadapron.attacks.identity.training.checkpoint import Checkpoint, Standing
from leadapron.attacks.identity.training.config import Phase, TrainingConfig
from leadapron.attacks.identity.training.networks import Network
from leadapron.attacks.identity.training.objectives import Objective, build_objective
from leadapron.attacks.identity.training.patients import Batch
from leadapron.engine import Progress, silent
from leadapron.errors import DataError

Tensor = Any
RISE = 0.2
"""The share of a cycle in which the learning rate goes up."""


@dataclass(frozen=True)
class Data:
    """What the loop draws from: images, the batches of an epoch, and the figures of a network on validation."""

    images: NDArray[np.uint8]
    batches: Callable[[np.random.Generator], list[Batch]]
    steps: int
    validate: Callable[[Network], dict[str, float]]


def run(
    network: Network,
    data: Data,
    config: TrainingConfig,
    *,
    checkpoint: Checkpoint | None = None,
    progress: Progress = silent,
) -> list[dict[str, float]]:
    """Train the network in place; the figures of each epoch.

    An epoch that is finished is kept in ``checkpoint``, for the same run to go on. With patience the best epoch's
    weights are the result, without it the last one's.
    """
    kept = checkpoint.read() if checkpoint is not None else None
    standing = Standing(**kept["standing"]) if kept else Standing()
    for number in range(standing.phase, len(config.phases)):
        phase = config.phases[number]
        if number > standing.phase:
            standing.phase, standing.epochs = number, 0
        objective, optimiser = build_objective(config), _optimiser(network, config, phase)
        if kept:
            network.load_state_dict(kept["network"])
            optimiser.load_state_dict(kept["optimiser"])
            objective.resume(kept["memory"])
            kept = None
        for epoch in range(standing.epochs, phase.epochs):
            if standing.stopped:
                break
            loss = _epoch(network, data, config, number, epoch, objective, optimiser, progress)
            figures = data.validate(network)
            standing.epochs = epoch + 1
            standing.history.append({"phase": number, "epoch": epoch + 1, "loss": loss, **figures})
            if config.patience is not None:
                _watch(standing, network, figures["auc"], config.patience)
            if checkpoint is not None:
                checkpoint.keep(standing, network, optimiser, objective)
    if standing.best_weights:
        network.load_state_dict(standing.best_weights)
    network.eval()
    return standing.history


def _watch(standing: Standing, network: Network, auc: float, patience: int) -> None:
    """Remember the best epoch; stop when it has not been beaten for a while."""
    if auc > standing.best:
        standing.best, standing.waited = auc, 0
        standing.best_weights = {name: value.clone() for name, value in network.state_dict().items()}
    else:
        standing.waited += 1
        standing.stopped = standing.waited >= patience


def _epoch(
    network: Network,
    data: Data,
    config: TrainingConfig,
    number: int,
    epoch: int,
    objective: Objective,
    optimiser: torch.optim.Optimizer,
    progress: Progress,
) -> float:
    """One pass; the mean loss. Everything that is drawn depends on the seed, the phase and the epoch alone."""
    phase = config.phases[number]
    before, total = epoch * data.steps, phase.epochs * data.steps
    stage = "training the head" if phase.head_only else "training the network"
    network.train()
    if phase.head_only:
        network.backbone.eval()  # a frozen backbone keeps its running means, too
    losses = 0.0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed((config.seed * 1_000 + number) * 1_000 + epoch)  # for layers that drop things at random
        for step, (images, truth) in enumerate(ahead(_prepared(data, config, number, epoch))):
            for group in optimiser.param_groups:
                group["lr"] = one_cycle((before + step) / total, phase)
            loss = objective.loss(network, images, truth)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses += loss.item()
            if not math.isfinite(losses):
                raise DataError(
                    f"the loss is no longer finite in epoch {epoch + 1}",
                    got=losses,
                    fix="Choose a smaller --learning-rate.",
                )
            progress(stage, before + step + 1, total)
    return losses / data.steps


def _prepared(data: Data, config: TrainingConfig, number: int, epoch: int) -> Iterator[tuple[Tensor, NDArray[Any]]]:
    rng = np.random.default_rng([config.seed, number, epoch])
    for batch in data.batches(rng):
        images = grey(data.images[batch.rows])
        yield (augmented(images, rng) if config.augment else images), batch.truth


def one_cycle(done: float, phase: Phase) -> float:
    """The learning rate: half a cosine up to the highest, then half a cosine down to the lowest."""
    way = done / RISE if done < RISE else (1 - done) / (1 - RISE)
    return phase.low + (phase.high - phase.low) * (1 - math.cos(math.pi * way)) / 2


def _optimiser(network: Network, config: TrainingConfig, phase: Phase) -> torch.optim.Optimizer:
    for parameter in network.backbone.parameters():
        parameter.requires_grad_(not phase.head_only)
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    kind = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam, "sgd": torch.optim.SGD}[config.optimiser]
    return kind(trained, lr=phase.low, weight_decay=config.weight_decay)
