"""Makers of pieces for processes of their own, in a file that loads little, so that they start fast."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from leadapron.engine.pieces import Piece, Recipe, Work
from leadapron.errors import DataError

STAGE = "squaring"


def squares(config):
    """Squares of numbers. ``config`` says at which number what happens, and where to leave a line for each."""

    def make(numbers):
        for number in numbers:
            if number == config.get("refuse"):
                raise DataError("this will not do", where=f"number {number}")
            if number == config.get("full"):
                raise OSError(28, "No space left on device", "disk")
            if number == config.get("kill") and _first(config, "killed"):
                os.kill(os.getpid(), signal.SIGKILL)
            if number == config.get("kill always"):
                os.kill(os.getpid(), signal.SIGKILL)
            _line(config["log"] + ".begun", os.getpid())
            time.sleep(config.get("seconds", 0.0))
            _line(config["log"], number)
            yield square(number)

    return make


def _line(log: str, number: int) -> None:
    with Path(log).open("a") as stream:
        stream.write(f"{number}\n")


def square(number: int) -> dict[str, np.ndarray]:
    return {"square": np.array([number**2])}


def _first(config, name: str) -> bool:
    try:
        (Path(config["log"]).parent / name).mkdir()
    except FileExistsError:
        return False
    return True


def squaring(folder: Path, count: int, *, together: int = 1, **config) -> Work:
    """Work that is the same in this process and in others."""
    (folder / "pieces").mkdir(parents=True, exist_ok=True)
    recipe = Recipe("piece_tasks:squares", {"log": str(folder / "log"), **config})
    pieces = tuple(Piece(folder / "pieces" / f"{number:03d}.npz", number) for number in range(count))
    return Work(STAGE, pieces, recipe.make(), recipe, together)


def logged(folder: Path, name: str = "log") -> list[int]:
    """The numbers that were made; in ``log.begun`` the processes that began to make one."""
    log = folder / name
    return [int(line) for line in log.read_text().splitlines()] if log.exists() else []


def read_squares(work: Work) -> list[int]:
    return [int(np.load(piece.target)["square"][0]) for piece in work.pieces]
