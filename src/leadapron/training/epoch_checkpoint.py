"""The state of a run after each epoch, so that a kill costs one epoch at most and changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from leadapron.engine import atomic_path
from leadapron.engine.extras import UNREADABLE
from leadapron.engine.ours import claim
from leadapron.engine.private import private_folder

FILE = "epoch.pt"


@dataclass(frozen=True)
class Checkpoint:
    """A folder, and the key of the run that it belongs to: with another key it is as if it were empty."""

    folder: Path
    key: str

    def keep(self, state: dict[str, Any]) -> None:
        claim(private_folder(self.folder), FILE, scratch=True)
        with atomic_path(self.folder / FILE, private=True) as path:
            torch.save({"key": self.key, **state}, path)

    def read(self) -> dict[str, Any] | None:
        """What an earlier run of the same key has kept. A pickle is opened only as tensors: no code in it can run."""
        try:
            state = torch.load(self.folder / FILE, map_location="cpu", weights_only=True)
        except UNREADABLE:  # not there, or cut short
            return None
        return state if isinstance(state, dict) and state.get("key") == self.key else None
