"""The phases of an identity network's training, as courses of the training loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from leadapron.attacks.identity.training.identity_training_config import Phase, TrainingConfig
from leadapron.attacks.identity.training.networks import Network
from leadapron.attacks.identity.training.objectives import build_objective
from leadapron.attacks.identity.training.training_patients import Batch
from leadapron.engine import Progress, silent
from leadapron.engine.extras import Tensor
from leadapron.training.epoch_checkpoint import Checkpoint
from leadapron.training.image_batches import augmented, grey
from leadapron.training.training_loop import Course, Watch, fit

Prepared = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class Data:
    """What a run draws from: images, the batches of an epoch, and the figures of a network on validation."""

    images: NDArray[np.uint8]
    batches: Callable[[np.random.Generator], list[Batch]]
    validate: Callable[[Network], dict[str, float]]


def run(
    network: Network,
    data: Data,
    config: TrainingConfig,
    *,
    checkpoint: Checkpoint | None = None,
    progress: Progress = silent,
) -> list[dict[str, float]]:
    """Train the network in place; the figures of each epoch."""
    courses = [partial(_course, network, data, config, number) for number in range(len(config.phases))]
    watch = Watch(partial(data.validate, network), "auc", config.patience)
    return fit(network, courses, watch, checkpoint=checkpoint, progress=progress).history


def _course(network: Network, data: Data, config: TrainingConfig, number: int) -> Course:
    phase = config.phases[number]
    objective, optimiser = build_objective(config), _optimiser(network, config, phase)

    def begin(epoch: int) -> list[Callable[[], Prepared]]:
        if phase.head_only:
            network.backbone.eval()  # a frozen backbone keeps its running means, too
        torch.manual_seed((config.seed * 1_000 + number) * 1_000 + epoch)  # for layers that drop things at random
        rng = np.random.default_rng([config.seed, number, epoch])
        return [partial(_prepared, data, config, batch, rng) for batch in data.batches(rng)]

    def step(images: Tensor, truth: Tensor) -> float:
        loss = objective.loss(network, images, truth)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        return float(loss.item())

    stage = "training the head" if phase.head_only else "training the network"
    return Course(stage, phase.epochs, phase.low, phase.high, optimiser, begin, step, objective)


def _prepared(data: Data, config: TrainingConfig, batch: Batch, rng: np.random.Generator) -> Prepared:
    images = grey(data.images[batch.rows])
    return (augmented(images, rng) if config.augment else images), torch.from_numpy(batch.truth)


def _optimiser(network: Network, config: TrainingConfig, phase: Phase) -> torch.optim.Optimizer:
    for parameter in network.backbone.parameters():
        parameter.requires_grad_(not phase.head_only)
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    kind = {"adamw": torch.optim.AdamW, "adam": torch.optim.Adam, "sgd": torch.optim.SGD}[config.optimiser]
    return kind(trained, lr=phase.low, weight_decay=config.weight_decay)
