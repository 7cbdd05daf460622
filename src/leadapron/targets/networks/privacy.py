"""Target networks with differential privacy: gradients clipped and noised by Opacus, noise by our own accountant.

A step draws patients (or records) by independent coins and takes one record of each, so that a patient moves the sum of
a step by the clip at most, however many records there are of them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType

import numpy as np
import torch
from numpy.typing import NDArray

from leadapron.defences.heads.accounting import Spending, check_delta, grid_for, solve_sigma
from leadapron.defences.heads.extras import need
from leadapron.defences.heads.noise import SeededNoise
from leadapron.defences.heads.sampling import Units, poisson
from leadapron.targets.networks.config import NetworkConfig
from leadapron.targets.networks.losses import Tensor, record_losses
from leadapron.targets.networks.wide_resnet import WideResNet, count_parameters

Rows = NDArray[np.int64]
PURPOSE = "private training of networks"
GRADIENTS_AT_ONCE = 64_000_000
"""Numbers: a batch has a gradient a record and is taken in parts that stay below this."""


@dataclass(frozen=True)
class Privacy:
    """What every model of a study spends. Nothing of it depends on who is in a model."""

    level: str
    clip: float
    delta: float
    epsilon: float
    expected: float
    """Units in a step, on average: what sums are divided by."""
    steps_an_epoch: int
    spending: Spending
    profile: tuple[tuple[float, ...], tuple[float, ...]]

    def card(self) -> dict[str, object]:
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "sigma": self.spending.sigma,
            "clip": self.clip,
            "rate": self.spending.rate,
            "steps": self.spending.steps,
            "level": self.level,
            "profile": [list(row) for row in self.profile],
            "noise": "seeded, so that a model can be trained again: a stand-in for an audit, not for release",
            "not_covered": "the held-out patients by whom training is stopped early",
        }


def plan_privacy(config: NetworkConfig, audited: int) -> Privacy:
    """The least noise that keeps epsilon for models that hold half of the ``audited`` patients or records."""
    assert config.epsilon is not None
    opacus()
    units = max(audited / 2, 1.0)
    delta = check_delta(config.delta, math.ceil(units), config.level)
    rate = min(1.0, config.batch / units)
    steps = math.ceil(1 / rate)
    spending = solve_sigma(Spending(1.0, rate, steps * config.epochs), config.epsilon, delta)
    grid = grid_for(config.epsilon)
    spent, profile = spending.epsilon(delta, grid), spending.profile(grid)
    return Privacy(config.level, config.clip, delta, spent, rate * units, steps, spending, profile)


def units_of(rows: Rows, patient: Rows, level: str) -> Units:
    """The protected units of a model: each record for itself, or the records of each patient together."""
    if level == "record":
        return Units(level, rows, np.arange(len(rows) + 1))
    by_patient = np.argsort(patient, kind="stable")
    counts = np.unique(patient, return_counts=True)[1]
    return Units(level, rows[by_patient], np.concatenate([[0], np.cumsum(counts)]))


def draw_epoch(units: Units, privacy: Privacy, rng: np.random.Generator) -> list[Rows]:
    coins = SeededNoise(int(rng.integers(2**62)))
    return [poisson(units, privacy.spending.rate, 1, coins).rows for _ in range(privacy.steps_an_epoch)]


class PrivateStep:
    """Clip each record's gradient, sum, add noise once, divide by the expected batch, go a step."""

    def __init__(self, network: WideResNet, optimiser: torch.optim.Optimizer, privacy: Privacy, seed: int) -> None:
        modules = opacus()
        with _quiet():
            self._module = modules.GradSampleModule(network, loss_reduction="sum")
            self._optimiser = need("opacus.optimizers", PURPOSE).DPOptimizer(
                optimiser,
                noise_multiplier=privacy.spending.sigma,
                max_grad_norm=privacy.clip,
                expected_batch_size=privacy.expected,
                generator=torch.Generator().manual_seed(seed),
            )
        self._at_once = max(1, GRADIENTS_AT_ONCE // count_parameters(network))

    def __call__(self, images: Tensor, truth: Tensor) -> float:
        """The mean loss of the records that were drawn; with none of them the step is noise alone."""
        if not len(images):
            for parameter in self._module.parameters():
                parameter.grad_sample = torch.zeros(0, *parameter.shape)
            self._step()
            return 0.0
        total = 0.0
        starts = range(0, len(images), self._at_once)
        for start in starts:
            part = slice(start, start + self._at_once)
            with _quiet():
                loss = record_losses(self._module(images[part]), truth[part]).sum()
                loss.backward()
            self._optimiser.signal_skip_step(do_skip=start != starts[-1])
            self._step()
            total += loss.item()
        return total / len(images)

    def _step(self) -> None:
        self._optimiser.step()
        self._optimiser.zero_grad()


def opacus() -> ModuleType:
    """Opacus, or an error that says how to get it."""
    with _quiet():
        return need("opacus", PURPOSE)


@contextmanager
def _quiet() -> Iterator[None]:
    """Opacus and torch remark on each other's ways: that an image has no gradient, that a function will move."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
