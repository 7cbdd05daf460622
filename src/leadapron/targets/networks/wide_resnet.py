"""Wide residual networks (Zagoruyko and Komodakis 2016): the architecture that the published study trains.

Norms and rectifiers stand before the convolutions, so that a block's way past them carries the signal as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional

Tensor = Any
Norm = Callable[[int], nn.Module]

STEM = 16
GROUPS = 8
"""Channels are multiples of 16, so that 8 groups have two or more each."""
MEAN, SPREAD = 0.5, 0.25
"""Of equalised pixels, roughly. They are the same for everybody: statistics of the patients would not be private."""


def group_norm(channels: int) -> nn.Module:
    """Each image for itself: what training with differential privacy needs."""
    return nn.GroupNorm(GROUPS, channels)


class WideResNet(nn.Module):  # type: ignore[misc]
    """Grey images of 0..1, one channel, in; a logit a label out, each of a sigmoid of its own."""

    def __init__(self, depth: int, width: int, outputs: int, norm: Norm = nn.BatchNorm2d) -> None:
        super().__init__()
        blocks: list[nn.Module] = []
        before = STEM
        for stage in range(3):
            after = STEM * width * 2**stage
            for block in range((depth - 4) // 6):
                blocks.append(_Block(before, after, 2 if stage and not block else 1, norm))
                before = after
        self.stem = nn.Conv2d(1, STEM, 3, padding=1, bias=False)
        self.blocks = nn.Sequential(*blocks)
        self.norm = norm(before)
        self.head = nn.Linear(before, outputs)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        nn.init.zeros_(self.head.bias)

    def forward(self, images: Tensor) -> Tensor:
        maps = self.blocks(self.stem((images - MEAN) / SPREAD))
        return self.head(functional.relu(self.norm(maps)).mean((2, 3)))


class _Block(nn.Module):  # type: ignore[misc]
    def __init__(self, before: int, after: int, stride: int, norm: Norm) -> None:
        super().__init__()
        self.norms = nn.ModuleList([norm(before), norm(after)])
        self.first = nn.Conv2d(before, after, 3, stride, padding=1, bias=False)
        self.second = nn.Conv2d(after, after, 3, padding=1, bias=False)
        same = before == after and stride == 1
        self.past = None if same else nn.Conv2d(before, after, 1, stride, bias=False)

    def forward(self, maps: Tensor) -> Tensor:
        ready = functional.relu(self.norms[0](maps))
        past = maps if self.past is None else self.past(ready)
        return past + self.second(functional.relu(self.norms[1](self.first(ready))))


def count_parameters(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


def build(depth: int, width: int, outputs: int, *, private: bool, seed: int) -> WideResNet:
    """The network before training, the same for the same seed whatever was drawn before."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = WideResNet(depth, width, outputs, group_norm if private else nn.BatchNorm2d)
    if not private:  # a fifth faster on a CPU; gradients record by record need the usual order
        network.to(memory_format=torch.channels_last)
    return network


def record_losses(logits: Tensor, signs: Tensor) -> Tensor:
    """−log of the probability of what is true (1 or −1), the mean over the labels that are known (not 0).

    A record counts as one however much is known of it; one of which nothing is known has no loss.
    """
    known = signs != 0
    return (functional.softplus(-logits * signs) * known).sum(1) / known.sum(1).clamp(min=1)
