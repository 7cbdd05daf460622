"""Target networks with differential privacy: gradients clipped and noised by Opacus, noise by our own accountant.

A step draws patients (or records) by independent coins and takes one record of each, so that a patient moves the sum of
a step by the clip at most, however many records there are of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

import numpy as np
import torch
from numpy.typing import NDArray

from leadapron.engine.extras import need
from leadapron.privacy.poisson_sampling import Units, poisson
from leadapron.privacy.secret_noise import SeededNoise
from leadapron.targets.budget import Budget, plan_budget
from leadapron.targets.networks.network_data import NetworkConfig
from leadapron.targets.networks.wide_resnet import Tensor, WideResNet, count_parameters, record_losses
from leadapron.training.devices import device_of

Rows = NDArray[np.int64]
PURPOSE = "private training of networks"
GRADIENTS_AT_ONCE = 64_000_000
"""Numbers: a batch has a gradient a record and is taken in parts that stay below this."""
NOT_COVERED = "the held-out patients by whom training is stopped early"


def plan_privacy(config: NetworkConfig, audited: int) -> Budget:
    """The least noise that keeps epsilon for models that hold half of the ``audited`` patients or records."""
    opacus()
    return plan_budget(config, max(audited / 2, 1.0), config.batch)


def draw_epoch(units: Units, privacy: Budget, rng: np.random.Generator) -> list[Rows]:
    coins = SeededNoise(int(rng.integers(2**62)))
    return [poisson(units, privacy.spending.rate, 1, coins).rows for _ in range(privacy.steps_an_epoch)]


class PrivateStep:
    """Clip each record's gradient, sum, add noise once, divide by the expected batch, go a step."""

    def __init__(self, network: WideResNet, optimiser: torch.optim.Optimizer, privacy: Budget, seed: int) -> None:
        modules = opacus()
        with _quiet():
            self._module = modules.GradSampleModule(network, loss_reduction="sum")
            self._optimiser = need("opacus.optimizers", PURPOSE).DPOptimizer(
                optimiser,
                noise_multiplier=privacy.spending.sigma,
                max_grad_norm=privacy.clip,
                expected_batch_size=privacy.expected,
                generator=torch.Generator(device_of(network)).manual_seed(seed),
            )
        self._at_once = max(1, GRADIENTS_AT_ONCE // count_parameters(network))

    def __call__(self, images: Tensor, truth: Tensor) -> float:
        """The mean loss of the records that were drawn; with none of them the step is noise alone."""
        if not len(images):
            for parameter in self._module.parameters():
                parameter.grad_sample = parameter.new_zeros(0, *parameter.shape)
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
