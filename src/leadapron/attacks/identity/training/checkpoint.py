"""The state of a run after each epoch, so that a kill costs one epoch at most and changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from leadapron.attacks.identity.training.networks import Network
from leadapron.attacks.identity.training.objectives import Objective
from leadapron.encoders.tensors import UNREADABLE
from leadapron.engine import atomic_path
from leadapron.engine.ours import claim
from leadapron.engine.private import private_folder

FILE = "epoch.pt"


@dataclass
class Standing:
    """How far a run has come: the phase, the epochs finished in it, the figures so far, the best weights so far.

    There is no generator of random numbers in it: what an epoch draws comes from the seed and its number.
    """

    phase: int = 0
    epochs: int = 0
    history: list[dict[str, float]] = field(default_factory=list)
    best: float = -1.0
    waited: int = 0
    best_weights: dict[str, Any] = field(default_factory=dict)
    stopped: bool = False


@dataclass(frozen=True)
class Checkpoint:
    """A folder, and the key of the run that it belongs to: with another key it is as if it were empty."""

    folder: Path
    key: str

    def keep(self, standing: Standing, network: Network, optimiser: torch.optim.Optimizer, task: Objective) -> None:
        state = {
            "key": self.key,
            "standing": vars(standing),
            "network": network.state_dict(),
            "optimiser": optimiser.state_dict(),
            "memory": task.state(),
        }
        claim(private_folder(self.folder), FILE, scratch=True)
        with atomic_path(self.folder / FILE, private=True) as path:
            torch.save(state, path)

    def read(self) -> dict[str, Any] | None:
        """What an earlier run of the same key has kept. A pickle is opened only as tensors: no code in it can run."""
        try:
            state = torch.load(self.folder / FILE, map_location="cpu", weights_only=True)
        except UNREADABLE:  # not there, or cut short
            return None
        return state if isinstance(state, dict) and state.get("key") == self.key else None
