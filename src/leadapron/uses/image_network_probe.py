"""A probe that learns from pixels: a small convolutional network from scratch, a sigmoid a finding.

It sees small things that frozen features may have lost, and costs minutes instead of seconds.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from leadapron.audits.images_subject import ReleasedImages
from leadapron.cohort.truth import Labels
from leadapron.engine import Progress, worker_count
from leadapron.engine.extras import Tensor, torch_threads
from leadapron.engine.remembered import content, remembered
from leadapron.training.devices import device as find_device
from leadapron.training.devices import device_of, mixed_precision
from leadapron.training.fitting_batches import in_batches
from leadapron.training.image_batches import augmented, grey
from leadapron.training.training_loop import Course, fit
from leadapron.uses.image_probes import Rows
from leadapron.uses.image_scores import AGREEMENT, REAL, RELEASED

Bytes = NDArray[np.uint8]
Doubles = NDArray[np.float64]

CELL, LOOKS = 2, 2
WIDTHS = (16, 32, 64, 128)
NEAR = 8
"""Pixels: what is brighter than its neighbourhood of this size is a look of its own, in which anatomy is faint."""
BATCH = 32
LOW, HIGH, DECAY = 1e-5, 3e-3, 1e-2
RARE = 0.5
"""Positives of a finding count by this power of how many negatives there are to one of them."""


def probed_by_network(
    subject: ReleasedImages, labels: Labels, rows: Rows, epochs: int, seed: int, device: str, progress: Progress
) -> dict[str, Doubles]:
    """Scores of the test records by method; the network of released images sees no real one before it is judged."""

    def learn(images: Bytes) -> nn.Module:
        what = ("network probe", rows.key, content(labels.truth), epochs, seed)
        own = labels.rows(rows.train)
        return remembered(images, what, lambda: _trained(images[rows.train], own, epochs, seed, device, progress))

    with torch_threads(worker_count()):
        of_real = learn(subject.source.images)
        real = _scores(of_real, subject.source.images[rows.test])
        if not subject.defended:
            return {RELEASED: real, REAL: real, AGREEMENT: real}
        of_released = learn(subject.released.images)
        return {
            RELEASED: _scores(of_released, subject.source.images[rows.test]),
            REAL: real,
            AGREEMENT: _scores(of_real, subject.released.images[rows.test]),
        }


def _trained(images: Bytes, labels: Labels, epochs: int, seed: int, device: str, progress: Progress) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Probe(len(labels.names)).to(find_device(device), memory_format=torch.channels_last)
    known = torch.from_numpy(labels.known.astype(np.float32))
    truth = torch.from_numpy(labels.positive.astype(np.float32))
    positives = truth.sum(dim=0)
    rare = ((known.sum(dim=0) - positives) / positives.clamp(min=1)).clamp(min=1) ** RARE
    rare = rare.to(device_of(network))
    optimiser = torch.optim.AdamW(network.parameters(), lr=LOW, weight_decay=DECAY)

    def batch(rows: NDArray[np.int64], rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        there = torch.from_numpy(rows)
        return augmented(grey(images[rows]), rng), torch.stack([truth[there], known[there]])

    def begin(epoch: int) -> list[partial[tuple[Tensor, Tensor]]]:
        rng = np.random.default_rng([seed, epoch])
        order = rng.permutation(len(images))
        return [partial(batch, order[at : at + BATCH], rng) for at in range(0, len(order) - 1, BATCH)]

    def step(shown: Tensor, said: Tensor) -> float:
        losses = functional.binary_cross_entropy_with_logits(network(shown), said[0], pos_weight=rare, reduction="none")
        loss = (losses * said[1]).sum() / said[1].sum().clamp(min=1)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        return float(loss.item())

    fit(network, [lambda: Course("training a probe", epochs, LOW, HIGH, optimiser, begin, step)], progress=progress)
    return network


class Probe(nn.Module):  # type: ignore[misc]
    """A logit a finding: by what lies where, and by whether something is there at all, wherever that is."""

    def __init__(self, findings: int) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.PixelUnshuffle(CELL)]
        before = LOOKS * CELL**2
        for number, width in enumerate(WIDTHS):
            layers += [nn.Conv2d(before, width, 3, 2 if number else 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
            before = width
        self.body = nn.Sequential(*layers)
        self.placed = nn.Sequential(nn.AdaptiveMaxPool2d(4), nn.Flatten(), nn.Linear(before * 16, findings))
        self.anywhere = nn.Sequential(nn.Conv2d(before, findings, 1), nn.AdaptiveMaxPool2d(1), nn.Flatten())

    def forward(self, images: Tensor) -> Tensor:
        looks = _looks(images).contiguous(memory_format=torch.channels_last)
        with mixed_precision(images.device, learns=self.training):
            seen = self.body(looks).float()
        return self.placed(seen) + self.anywhere(seen)


def _looks(images: Tensor) -> Tensor:
    """The image, and what stands out from its neighbourhood."""
    near = functional.avg_pool2d(images, NEAR, ceil_mode=True)
    wide = functional.interpolate(near, size=images.shape[-2:], mode="bilinear")
    return torch.cat([images - 0.5, 4 * (images - wide)], dim=1)


def _scores(network: nn.Module, images: Bytes) -> Doubles:
    network.eval()
    place = device_of(network)
    with torch.inference_mode():
        logits = in_batches(lambda some: network(grey(some).to(place)).cpu().numpy(), images, BATCH)
    scores: Doubles = logits.astype(np.float64)
    return scores
