"""What a step of training makes smaller. Losses and the memory of earlier batches are pytorch-metric-learning's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from torch.nn import functional

from leadapron.attacks.identity.training.identity_training_config import DIMENSION, TrainingConfig
from leadapron.attacks.identity.training.networks import Network
from leadapron.engine.extras import Tensor, need

TEMPERATURE = 0.07
MARGIN = 1.0
PURPOSE = "training an identity network"


@dataclass(frozen=True)
class Objective:
    """A loss of a batch, and the memory that it keeps from batch to batch, if it keeps one."""

    loss: Callable[[Network, Tensor, Tensor], Tensor]
    memory: Any = None

    def state(self) -> dict[str, Any]:
        if self.memory is None:
            return {}
        return {
            "embeddings": self.memory.embedding_memory.clone(),
            "labels": self.memory.label_memory.clone(),
            "next": self.memory.queue_idx,
            "full": self.memory.has_been_filled,
        }

    def resume(self, state: dict[str, Any]) -> None:
        if self.memory is not None:
            self.memory.embedding_memory = state["embeddings"].clone()
            self.memory.label_memory = state["labels"].clone()
            self.memory.queue_idx, self.memory.has_been_filled = state["next"], state["full"]


def build_objective(config: TrainingConfig) -> Objective:
    return Objective(_pair_loss) if config.network == "verification" else _metric_loss(config)


def _pair_loss(network: Network, images: Tensor, truth: Tensor) -> Tensor:
    """Both halves of the batch go through the network at once: they share it anyway."""
    left, right = network(images).chunk(2)
    logits = network.similarity(left, right)
    return functional.binary_cross_entropy_with_logits(logits, truth)


def _metric_loss(config: TrainingConfig) -> Objective:
    losses = metric_learning()
    measure = {
        "supervised-contrastive": lambda: losses.SupConLoss(temperature=TEMPERATURE),
        "multi-similarity": lambda: losses.MultiSimilarityLoss(),
        "contrastive": lambda: losses.ContrastiveLoss(neg_margin=MARGIN),
    }[config.loss]()
    memory = None
    if config.memory:
        # A batch must fit into the memory, which holds the batch itself, too.
        size = max(config.memory, config.patients_a_batch * config.images_a_patient)
        measure = memory = losses.CrossBatchMemory(measure, DIMENSION, size)

    def loss(network: Network, images: Tensor, truth: Tensor) -> Tensor:
        return measure(network(images), truth)

    return Objective(loss, memory)


def metric_learning() -> ModuleType:
    """The losses, or an error that says how to get them."""
    return need("pytorch_metric_learning.losses", PURPOSE)
