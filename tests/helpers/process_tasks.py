"""Tasks for processes of their own, in a file that loads nothing else, so that they start fast."""

from __future__ import annotations

import os
import time
from pathlib import Path

from leadapron.engine.processes import THREADS
from leadapron.errors import DataError


def refuse_or_wait(place: Path) -> None:
    """The first to come refuses when the other is there, who would wait for ever."""
    try:
        (place / "first").mkdir()
    except FileExistsError:
        wait_for_ever(place)
    while not (place / "waiting").exists():
        time.sleep(0.01)
    raise DataError("this will not do", where="here")


def wait_for_ever(place: Path) -> None:
    try:
        (place / "waiting").mkdir()
        time.sleep(600)
    finally:
        (place / "cleaned up").mkdir()


def note_threads(place: Path) -> None:
    (place / f"threads-{os.getpid()}").write_text(" ".join(os.environ[name] for name in THREADS))
