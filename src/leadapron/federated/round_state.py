"""What a place keeps from round to round, in its own folder: a kill costs one round at most and changes nothing.

The states after the last rounds are kept. A server that was killed asks for its last round again, and then a hospital
must begin from the state before that round, not from the one after it. States of later rounds are those of a run that
was given up: they go when a round before them is done anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from leadapron.engine import atomic_path
from leadapron.engine.extras import UNREADABLE
from leadapron.engine.ours import claim
from leadapron.engine.private import private_folder

FOLDER, KEPT = "state", 3


def keep_state(place: Path, number: int, key: str, state: dict[str, Any]) -> None:
    """The state after a round."""
    folder = private_folder(place / FOLDER)
    file = folder / f"round-{number:04d}.pt"
    claim(folder, file.name, scratch=True)
    with atomic_path(file, private=True) as path:
        torch.save({"key": key, "state": state}, path)
    files = sorted(folder.glob("round-*.pt"))
    upto = files.index(file) + 1
    for other in (*files[: max(0, upto - KEPT)], *files[upto:]):
        other.unlink(missing_ok=True)


def read_state(place: Path, number: int, key: str) -> dict[str, Any]:
    """The state after this round, or after the last one before it that the place took part in; else nothing.

    A pickle is opened only as tensors: no code in it can run.
    """
    for file in sorted((place / FOLDER).glob("round-*.pt"), reverse=True):
        if int(file.stem.removeprefix("round-")) > number:
            continue
        try:
            found = torch.load(file, map_location="cpu", weights_only=True)
        except UNREADABLE:  # cut short
            continue
        if isinstance(found, dict) and found.get("key") == key:
            state: dict[str, Any] = found["state"]
            return state
    return {}
