"""What killed processes leave in a shared folder, and how old it is by the folder's own clock."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from leadapron.engine.ours import PARTIAL, is_partial

STALE = 180.0
"""Seconds without a sign of life after which a file is nobody's. Hosts may see another's sign a minute late."""


def clock_of(folder: Path) -> float:
    """The time as the file system writes it: clocks of hosts differ, and a comparison of two of them would lie."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".clock.", suffix=f".{PARTIAL}") as probe:
        os.utime(probe.name)
        return Path(probe.name).stat().st_mtime


def sweep(folder: Path, stale: float = STALE) -> None:
    """Remove half-written files and folders, known by their names to be ours, that nobody has touched for long."""
    now = clock_of(folder)
    for path in filter(is_partial, folder.iterdir()):
        with suppress(OSError):  # another process sweeps, too
            if now - _last_touched(path) >= stale:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _last_touched(path: Path) -> float:
    inside = path.iterdir() if path.is_dir() else ()
    return max(float(entry.stat().st_mtime) for entry in (path, *inside))
