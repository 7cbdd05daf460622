"""One target network: trained on its members with the published counter-measures, then asked about everybody."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from leadapron.engine import Progress, silent
from leadapron.privacy.poisson_sampling import Units
from leadapron.targets.budget import Budget
from leadapron.targets.learner import FULL, Trained, macro_auroc
from leadapron.targets.networks.network_data import VIEWS, Floats, NetworkConfig, NetworkData, Rows, View
from leadapron.targets.networks.private_network import NOT_COVERED, PrivateStep, draw_epoch
from leadapron.targets.networks.wide_resnet import Tensor, WideResNet, build, count_parameters, record_losses
from leadapron.training.devices import device, device_of
from leadapron.training.image_batches import augmented, grey
from leadapron.training.training_loop import Course, Standing, Watch, fit

STREAMS = ("weights", "noise", "batches")
AT_ONCE = 256
PATIENCE = 10
"""Epochs without a better one after which training ends."""
LOWEST = 1e-3
"""The learning rate at both ends of its cycle, as a share of the highest."""


def train_one(
    data: NetworkData,
    config: NetworkConfig,
    privacy: Budget | None,
    members: NDArray[np.bool_],
    seed: int,
    progress: Progress = silent,
) -> Trained:
    """The model of these members and this seed; the same each time."""
    began = time.perf_counter()
    network = build(
        config.depth,
        config.width,
        len(data.names),
        private=privacy is not None,
        seed=stream(config, seed, "weights"),
    ).to(device(config.device))
    way = way_of(network, data, config, privacy, members, seed)
    standing = train(network, way, data, config, stream(config, seed, "batches"), progress)
    answers = {name: logits_of(network, data.images, data.audited, VIEWS[name]) for name in (FULL, *config.views)}
    judged = logits_of(network, data.images, data.judged) if len(data.judged) else None
    card = {
        "auroc": None if judged is None else macro_auroc(judged, data.signs[data.judged]),
        "auroc_train": macro_auroc(answers[FULL][members], data.signs[data.audited[members]]),
        "epochs": standing.epochs,
        "best_epoch": standing.best_epoch if config.early_stopping else standing.epochs,
        "validation_loss": -standing.best if config.early_stopping else None,
        "parameters": count_parameters(network),
        "device": str(device_of(network)),
        **({} if privacy is None else privacy.card(NOT_COVERED)),
        "seconds": time.perf_counter() - began,
    }
    return Trained(answers, card)


def stream(config: NetworkConfig, seed: int, purpose: str) -> int:
    """A seed for each purpose: noise from the numbers that the weights were drawn with would cancel them."""
    words = np.random.SeedSequence([config.seed, seed, STREAMS.index(purpose)]).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))


@dataclass(frozen=True)
class Way:
    """How a model is trained: the rows of each step of an epoch, what a step does, and whose learning rate it uses."""

    draw: Callable[[np.random.Generator], list[Rows]]
    step: Callable[[Tensor, Tensor], float]
    optimiser: torch.optim.Optimizer


def way_of(
    network: WideResNet,
    data: NetworkData,
    config: NetworkConfig,
    privacy: Budget | None,
    members: NDArray[np.bool_],
    seed: int,
) -> Way:
    optimiser = torch.optim.AdamW(network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay)
    rows = data.audited[members]
    if privacy is None:
        return Way(partial(_shuffled, rows, config.batch), partial(_plain_step, network, optimiser), optimiser)
    units = Units.of(config.level, rows, data.patient[members])
    step = PrivateStep(network, optimiser, privacy, stream(config, seed, "noise"))
    return Way(partial(draw_epoch, units, privacy), step, optimiser)


def _shuffled(rows: Rows, batch: int, rng: np.random.Generator) -> list[Rows]:
    """Everybody once, in batches of nearly one size."""
    return np.array_split(rng.permutation(rows), math.ceil(len(rows) / batch))


def _plain_step(network: WideResNet, optimiser: torch.optim.Optimizer, images: Tensor, truth: Tensor) -> float:
    loss = record_losses(network(images), truth).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    return float(loss.item())


def train(
    network: WideResNet, way: Way, data: NetworkData, config: NetworkConfig, seed: int, progress: Progress = silent
) -> Standing:
    """Train in place. With early stopping the weights are those of the epoch with the least loss, else of the last."""

    def begin(epoch: int) -> list[Callable[[], tuple[Tensor, Tensor]]]:
        rng = np.random.default_rng([seed, epoch])
        return [partial(_prepared, data, config, rows, rng) for rows in way.draw(rng)]

    lowest = config.learning_rate * LOWEST
    stage = "training a network"
    course = Course(stage, config.epochs, lowest, config.learning_rate, way.optimiser, begin, way.step)
    watch = Watch(lambda: {"minus_loss": -loss_of(network, data, data.watched)}, "minus_loss", PATIENCE)
    return fit(network, [lambda: course], watch if config.early_stopping else None, progress=progress)


def _prepared(data: NetworkData, config: NetworkConfig, rows: Rows, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    images = grey(np.ascontiguousarray(data.images[rows]))
    moved = augmented(images, rng) if config.augment and len(rows) else images
    return moved, torch.from_numpy(data.signs[rows])


def loss_of(network: WideResNet, data: NetworkData, rows: Rows) -> float:
    logits = torch.from_numpy(logits_of(network, data.images, rows))
    return float(record_losses(logits, torch.from_numpy(data.signs[rows])).mean())


def logits_of(network: WideResNet, images: NDArray[np.uint8], rows: Rows, view: View = VIEWS[FULL]) -> Floats:
    """What the network says of these rows, seen like that."""
    network.eval()
    place = device_of(network)
    with torch.inference_mode():
        parts = [
            network(grey(view(np.ascontiguousarray(images[rows[start : start + AT_ONCE]]))).to(place)).cpu().numpy()
            for start in range(0, len(rows), AT_ONCE)
        ]
    return np.concatenate(parts).astype(np.float32)
