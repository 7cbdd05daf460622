"""The training loop of a network: courses of one cycle each, epoch by epoch, watched on held-out patients."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch

from leadapron.engine import Progress, silent
from leadapron.engine.extras import Tensor
from leadapron.engine.parallel import ahead
from leadapron.errors import DataError
from leadapron.training.devices import device_of
from leadapron.training.epoch_checkpoint import Checkpoint

RISE = 0.2
"""The share of a cycle in which the learning rate goes up."""


class Memory(Protocol):
    """What a loss keeps from batch to batch."""

    def state(self) -> dict[str, Any]: ...

    def resume(self, state: dict[str, Any]) -> None: ...


@dataclass(frozen=True)
class Course:
    """A stretch of training with one optimiser and one cycle of the learning rate, from ``low`` up to ``high``.

    ``begin`` makes ready for an epoch and returns its batches, each to be made when its turn comes. What it draws must
    depend on a seed and the number of the epoch alone: then a run that was interrupted ends like one that was not.
    ``step`` goes one step by a batch (images and what is true of them), which is then on the network's device, and
    returns the loss.
    """

    stage: str
    epochs: int
    low: float
    high: float
    optimiser: torch.optim.Optimizer
    begin: Callable[[int], Sequence[Callable[[], tuple[Tensor, Tensor]]]]
    step: Callable[[Tensor, Tensor], float]
    memory: Memory | None = None


@dataclass(frozen=True)
class Watch:
    """The figures of the network on held-out patients; the higher ``decides``, the better.

    ``patience`` is how many epochs without a better one end the training; None trains to the end of the last course.
    """

    figures: Callable[[], dict[str, float]]
    decides: str
    patience: int | None


@dataclass
class Standing:
    """How far a run has come: the course, the epochs finished in it, the figures so far, the best weights so far.

    There is no generator of random numbers in it: what an epoch draws comes from the seed and its number.
    """

    phase: int = 0
    epochs: int = 0
    history: list[dict[str, float]] = field(default_factory=list)
    best: float = -math.inf
    best_epoch: int = 0
    waited: int = 0
    best_weights: dict[str, Any] = field(default_factory=dict)
    stopped: bool = False


def fit(
    network: torch.nn.Module,
    courses: Sequence[Callable[[], Course]],
    watch: Watch | None = None,
    *,
    checkpoint: Checkpoint | None = None,
    progress: Progress = silent,
) -> Standing:
    """Train the network in place, by one course after another, each made when its turn comes.

    It is trained on the device where it is. Batches are made on the CPU and then moved there, so that they are the
    same on every device.

    An epoch that is finished is kept in ``checkpoint``, for the same run to go on. With patience the best epoch's
    weights are the result, without it the last one's.
    """
    kept = checkpoint.read() if checkpoint is not None else None
    standing = Standing(**kept["standing"]) if kept else Standing()
    for number in range(standing.phase, len(courses)):
        course = courses[number]()
        if number > standing.phase:
            standing.phase, standing.epochs = number, 0
        if kept:
            _resume(network, course, kept)
            kept = None
        for epoch in range(standing.epochs, course.epochs):
            if standing.stopped:
                break
            loss = _epoch(network, course, epoch, progress)
            figures = watch.figures() if watch is not None else {}
            standing.epochs = epoch + 1
            standing.history.append({"phase": number, "epoch": epoch + 1, "loss": loss, **figures})
            if watch is not None and watch.patience is not None:
                _remember(standing, network, figures[watch.decides], watch.patience)
            if checkpoint is not None:
                checkpoint.keep(_state(network, course, standing))
    if standing.best_weights:
        network.load_state_dict(standing.best_weights)
    network.eval()
    return standing


def _state(network: torch.nn.Module, course: Course, standing: Standing) -> dict[str, Any]:
    return {
        "standing": vars(standing),
        "network": network.state_dict(),
        "optimiser": course.optimiser.state_dict(),
        "memory": {} if course.memory is None else course.memory.state(),
    }


def _resume(network: torch.nn.Module, course: Course, kept: dict[str, Any]) -> None:
    network.load_state_dict(kept["network"])
    course.optimiser.load_state_dict(kept["optimiser"])
    if course.memory is not None:
        course.memory.resume(kept["memory"])


def _remember(standing: Standing, network: torch.nn.Module, figure: float, patience: int) -> None:
    """The best epoch; stop when it has not been beaten for a while."""
    if figure > standing.best:
        standing.best, standing.best_epoch, standing.waited = figure, standing.epochs, 0
        standing.best_weights = {name: value.clone() for name, value in network.state_dict().items()}
    else:
        standing.waited += 1
        standing.stopped = standing.waited >= patience


def _epoch(network: torch.nn.Module, course: Course, epoch: int, progress: Progress) -> float:
    """One pass; the mean loss."""
    network.train()
    device = device_of(network)
    losses = 0.0
    with torch.random.fork_rng(devices=[]):
        batches = course.begin(epoch)
        before, total = epoch * len(batches), course.epochs * len(batches)
        for step, (images, truth) in enumerate(ahead(make() for make in batches)):
            for group in course.optimiser.param_groups:
                group["lr"] = one_cycle((before + step) / total, course.low, course.high)
            loss = course.step(images.to(device), truth.to(device))
            if not math.isfinite(loss):
                raise DataError(
                    f"the loss is no longer finite in epoch {epoch + 1}",
                    got=loss,
                    fix="Choose a smaller --learning-rate.",
                )
            losses += loss
            progress(course.stage, before + step + 1, total)
    return losses / len(batches)


def one_cycle(done: float, low: float, high: float) -> float:
    """The learning rate: half a cosine up to the highest, then half a cosine down to the lowest."""
    way = done / RISE if done < RISE else (1 - done) / (1 - RISE)
    return low + (high - low) * (1 - math.cos(math.pi * way)) / 2
