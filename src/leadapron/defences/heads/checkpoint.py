"""The state of a run after each epoch, so that a kill costs one epoch at most."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leadapron.defences.heads.extras import Tensor, need
from leadapron.defences.heads.network import Network
from leadapron.defences.heads.noise import Noise
from leadapron.engine import atomic_path
from leadapron.engine.ours import claim
from leadapron.engine.private import private_folder

MOMENTS = ("step", "exp_avg", "exp_avg_sq")


@dataclass(frozen=True)
class Checkpoint:
    """A file, and the key of the run that it belongs to: with another key it is as if it were not there."""

    file: Path
    key: str

    def keep(self, network: Network, optimiser: Tensor, noise: Noise, epochs: int) -> None:
        moments = {name: optimiser.state[network.flat][name].numpy() for name in MOMENTS}
        claim(private_folder(self.file.parent), self.file.name, scratch=True)
        with atomic_path(self.file, private=True) as path, path.open("wb") as stream:
            np.savez(
                stream,
                key=np.array(self.key),
                epochs=np.array(epochs),
                flat=network.flat.numpy(),
                noise=noise.state(),
                **moments,
            )

    def resume(self, network: Network, optimiser: Tensor, noise: Noise) -> int:
        """The number of epochs that an interrupted run has finished, with its state restored."""
        torch = need("torch", "training heads")
        if not zipfile.is_zipfile(self.file):  # not there, or cut short
            return 0
        with np.load(self.file, allow_pickle=False) as kept:
            held = {name: kept[name] for name in kept.files}
        if str(held.get("key")) != self.key:
            return 0
        network.flat.copy_(torch.from_numpy(held["flat"]))
        optimiser.state[network.flat] = {name: torch.from_numpy(held[name]) for name in MOMENTS}
        noise.resume(held["noise"])
        return int(held["epochs"])
