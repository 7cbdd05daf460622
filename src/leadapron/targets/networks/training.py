"""One target network: trained on its members with the published counter-measures, then asked about everybody."""

from __future__ import annotations

import math
import time
from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray

from leadapron.engine import Progress, silent
from leadapron.targets.judged import macro_auroc
from leadapron.targets.learner import FULL, Trained
from leadapron.targets.networks.config import NetworkConfig
from leadapron.targets.networks.data import NetworkData, Rows
from leadapron.targets.networks.loop import Way, fit, logits_of
from leadapron.targets.networks.losses import Tensor, record_losses
from leadapron.targets.networks.privacy import Privacy, PrivateStep, draw_epoch, units_of
from leadapron.targets.networks.views import VIEWS
from leadapron.targets.networks.wide_resnet import WideResNet, build, count_parameters

STREAMS = ("weights", "noise", "batches")


def train_one(
    data: NetworkData,
    config: NetworkConfig,
    privacy: Privacy | None,
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
    )
    way = _way(network, data, config, privacy, members, seed)
    standing = fit(network, way, data, config, stream(config, seed, "batches"), progress)
    answers = {name: logits_of(network, data.images, data.audited, VIEWS[name]) for name in (FULL, *config.views)}
    judged = logits_of(network, data.images, data.judged) if len(data.judged) else None
    card = {
        "auroc": None if judged is None else macro_auroc(judged, data.signs[data.judged]),
        "auroc_train": macro_auroc(answers[FULL][members], data.signs[data.audited[members]]),
        "epochs": standing.epochs,
        "best_epoch": standing.best_epoch,
        "validation_loss": standing.best_loss if config.early_stopping else None,
        "parameters": count_parameters(network),
        **({} if privacy is None else privacy.card()),
        "seconds": time.perf_counter() - began,
    }
    return Trained(answers, card)


def stream(config: NetworkConfig, seed: int, purpose: str) -> int:
    """A seed for each purpose: noise from the numbers that the weights were drawn with would cancel them."""
    words = np.random.SeedSequence([config.seed, seed, STREAMS.index(purpose)]).generate_state(1, np.uint64)
    return int(words[0] >> np.uint64(1))


def _way(
    network: WideResNet,
    data: NetworkData,
    config: NetworkConfig,
    privacy: Privacy | None,
    members: NDArray[np.bool_],
    seed: int,
) -> Way:
    optimiser = torch.optim.AdamW(network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay)
    rows = data.audited[members]
    if privacy is None:
        return Way(partial(_shuffled, rows, config.batch), partial(_plain_step, network, optimiser), optimiser)
    units = units_of(rows, data.patient[members], config.level)
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
