"""What one station does in a round: a few passes over its own records, in an order that the seed decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from torch.nn import functional

from leadapron.federated.federation_plan import Plan
from leadapron.federated.fusion_model import FusionModel, tensor
from leadapron.federated.station import Station


@contextmanager
def one_thread() -> Iterator[None]:
    """Sums must not depend on how many threads share them, so that every engine gets the same bits."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(before)


@dataclass(frozen=True)
class Batches:
    """A station's records as tensors, and the labels with what is unknown masked."""

    image: torch.Tensor | None
    text: torch.Tensor | None
    target: torch.Tensor
    known: torch.Tensor

    @classmethod
    def of(cls, station: Station, device: torch.device) -> Batches:
        image, text = (None if half is None else tensor(half, device) for half in (station.image, station.text))
        truth = np.asarray(station.truth)
        target, known = (tensor(there.astype(np.float32), device) for there in (truth == 1, truth != -1))
        return cls(image, text, target, known)

    def __len__(self) -> int:
        return len(self.target)

    def loss(self, model: FusionModel, rows: torch.Tensor) -> torch.Tensor:
        """Binary cross-entropy, on average over what is known of these records."""
        image, text = (None if half is None else half[rows] for half in (self.image, self.text))
        return known_loss(model(image, text), self.target[rows], self.known[rows])


def known_loss(logits: torch.Tensor, target: torch.Tensor, known: torch.Tensor) -> torch.Tensor:
    summed = functional.binary_cross_entropy_with_logits(logits, target, weight=known, reduction="sum")
    return summed / known.sum().clamp(min=1)


def adam(model: FusionModel, plan: Plan, state: dict[str, Any] | None) -> torch.optim.Adam:
    """Adam as it was left after the round before, where the plan keeps it."""
    optimiser = torch.optim.Adam(model.parameters(), lr=plan.learning_rate, fused=True)
    if state is not None and plan.optimiser == "kept":
        optimiser.load_state_dict(state)
    return optimiser


def train_pass(
    model: FusionModel,
    optimiser: torch.optim.Optimizer,
    rows: int,
    loss_of: Callable[[torch.Tensor], torch.Tensor],
    plan: Plan,
    rng: np.random.Generator,
) -> float:
    """One pass in an order of its own; the mean loss."""
    model.train()
    losses = []
    order = torch.from_numpy(rng.permutation(rows)).to(next(model.parameters()).device)
    for batch in order.split(plan.batch):
        optimiser.zero_grad()
        loss = loss_of(batch)
        loss.backward()
        if plan.gradient_limit is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), plan.gradient_limit)
        optimiser.step()
        losses.append(loss.detach())
    return float(torch.stack(losses).mean())


def embeddings(model: FusionModel, half: str, values: NDArray[Any]) -> NDArray[np.float32]:
    """Of images or texts, as the model has them now."""
    model.eval()
    device = next(model.parameters()).device
    with torch.inference_mode():
        parts = [
            model.embed(half, tensor(values[start : start + model.rows_at_once], device)).cpu().numpy()
            for start in range(0, len(values), model.rows_at_once)
        ]
    return np.concatenate(parts)
