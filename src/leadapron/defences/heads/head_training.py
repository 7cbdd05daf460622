"""The training loop: draw, clip, sum, add noise, step. What was finished of it survives a kill."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadapron.defences.heads.head_objectives import Objective
from leadapron.defences.heads.network import Network
from leadapron.engine import Progress, atomic_path, silent
from leadapron.engine.extras import Tensor, need
from leadapron.engine.ours import claim
from leadapron.engine.private import private_folder
from leadapron.privacy.poisson_sampling import Drawn, Units, poisson, shuffled_batches
from leadapron.privacy.private_steps import Traced, clipped_sum, noisy
from leadapron.privacy.secret_noise import Noise
from leadapron.release.heads import SIDES

PURPOSE = "training heads"
MOST_AT_ONCE = 8192
"""Pairs that are followed through the heads at a time; a larger batch is summed up in parts."""

MOMENTS = ("step", "exp_avg", "exp_avg_sq")
"""Of the optimiser, what a checkpoint keeps."""
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Recipe:
    """The numbers of a run, all of them decided before the data are looked at."""

    epochs: int
    steps_an_epoch: int
    batch: int
    rate: float
    clip: float | None
    sigma: float
    uses_data: bool = True
    shuffles: bool = False
    per_unit: int = 1
    per_example: bool = True
    learning_rate: float = 3e-4
    weight_decay: float = 0.01

    @property
    def steps(self) -> int:
        return self.epochs * self.steps_an_epoch


@dataclass(frozen=True)
class Pairs:
    """What is trained on: the backbones' features of every record, side by side, and whose records they are."""

    features: Mapping[str, Floats]
    units: Units


def train(
    network: Network,
    pairs: Pairs,
    objective: Objective,
    recipe: Recipe,
    noise: Noise,
    *,
    checkpoint: Checkpoint | None = None,
    progress: Progress = silent,
) -> None:
    """Train the network in place. An epoch that is finished is kept in ``checkpoint``, for the same run to go on."""
    torch = need("torch", PURPOSE)
    optimiser = torch.optim.AdamW([network.flat], lr=recipe.learning_rate, weight_decay=recipe.weight_decay, fused=True)
    done = checkpoint.resume(network, optimiser, noise) if checkpoint is not None else 0
    total = torch.empty_like(network.flat)
    for epoch in range(done, recipe.epochs):
        for step, drawn in enumerate(_draws(pairs.units, recipe, noise)):
            total.zero_()
            if drawn is not None:
                objective.prepare(network, step)
                for part in _parts(drawn, recipe):
                    _add_gradients(network, pairs.features, part, objective, recipe.clip, total)
            noisy(total, recipe.clip or 1.0, recipe.sigma, noise)
            # By the size that is expected: the size that was drawn is a secret of the patients.
            network.flat.grad = total.div_(recipe.batch)
            optimiser.step()
            progress("training the heads", epoch * recipe.steps_an_epoch + step + 1, recipe.steps)
        if checkpoint is not None:
            checkpoint.keep(network, optimiser, noise, epoch + 1)
    network.flat.grad = None


def _draws(units: Units, recipe: Recipe, noise: Noise) -> Iterator[Drawn | None]:
    """The steps of an epoch. An empty draw is a step all the same, and without data every draw is empty."""
    if not recipe.uses_data:
        yield from [None] * recipe.steps_an_epoch
    elif recipe.shuffles:
        yield from shuffled_batches(units, recipe.batch, noise)
    else:
        for _ in range(recipe.steps_an_epoch):
            yield poisson(units, recipe.rate, recipe.per_unit, noise)


def _parts(drawn: Drawn, recipe: Recipe) -> Iterator[Drawn]:
    """A large draw in pieces of whole units; where examples see each other it must stay whole."""
    size = max(1, MOST_AT_ONCE // drawn.per_unit) * drawn.per_unit if recipe.per_example else max(len(drawn.rows), 1)
    for start in range(0, len(drawn.rows), size):
        weights = None if drawn.weights is None else drawn.weights[start : start + size]
        yield Drawn(drawn.rows[start : start + size], weights, drawn.per_unit)


def _add_gradients(
    network: Network,
    features: Mapping[str, Floats],
    drawn: Drawn,
    objective: Objective,
    clip: float | None,
    out: Tensor,
) -> None:
    torch = need("torch", PURPOSE)
    tape: list[Traced] = []
    image, text = (network.embed(side, torch.from_numpy(features[side][drawn.rows]), tape) for side in SIDES)
    losses = objective(image, text, drawn.rows)
    loss = losses.sum() if drawn.weights is None else losses @ torch.from_numpy(drawn.weights).to(out.device)
    clipped_sum(loss, tape, clip, out, drawn.per_unit)


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run after each epoch, so that a kill costs one epoch at most.

    A file, and the key of the run that it belongs to: with another key it is as if it were not there.
    """

    file: Path
    key: str

    def keep(self, network: Network, optimiser: Tensor, noise: Noise, epochs: int) -> None:
        moments = {name: optimiser.state[network.flat][name].cpu().numpy() for name in MOMENTS}
        claim(private_folder(self.file.parent), self.file.name, scratch=True)
        with atomic_path(self.file, private=True) as path, path.open("wb") as stream:
            np.savez(
                stream,
                key=np.array(self.key),
                epochs=np.array(epochs),
                flat=network.flat.cpu().numpy(),
                noise=noise.state(),
                **moments,
            )

    def resume(self, network: Network, optimiser: Tensor, noise: Noise) -> int:
        """The number of epochs that an interrupted run has finished, with its state restored."""
        torch = need("torch", PURPOSE)
        if not zipfile.is_zipfile(self.file):  # not there, or cut short
            return 0
        with np.load(self.file, allow_pickle=False) as kept:
            held = {name: kept[name] for name in kept.files}
        if str(held.get("key")) != self.key:
            return 0
        network.flat.copy_(torch.from_numpy(held["flat"]))
        optimiser.state[network.flat] = {name: torch.from_numpy(held[name]).to(network.flat.device) for name in MOMENTS}
        noise.resume(held["noise"])
        return int(held["epochs"])
