"""Hashes of files: of one that is not touched, read once a run, and compared with what was written down about it."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from leadapron.engine.parallel import parallel_map
from leadapron.errors import DataError

SETTLED_NS = 2_000_000_000
"""A file that was written more recently may change again without its time of change telling so."""

State = tuple[int, int, int, int, int]
_known: dict[State, str] = {}


def sha256(path: Path) -> str:
    """The hash that a result carries for each of its inputs. A file that has not changed since is not read again."""
    with path.open("rb") as stream:
        state = _state(stream.fileno())
        if state in _known:
            return _known[state]
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if _state(stream.fileno()) == state and max(state[-2:]) < time.time_ns() - SETTLED_NS:
            _known[state] = digest
        return digest


def _state(file: int) -> State:
    """What differs as soon as the file is another or was changed."""
    seen = os.fstat(file)
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns


def check_hashes(folder: Path, recorded: object, present: Collection[str], *, where: Path, fix: str) -> None:
    """The files are as ``where`` has them: all that are read were written, and all that were written are there."""
    if not isinstance(recorded, Mapping) or not recorded:
        raise DataError("the hashes of the files are missing", where=where, got=recorded, fix=fix)
    names = sorted({*present, *recorded})
    for name, digest in zip(names, parallel_map(lambda name: _hash_of(folder / name), names), strict=True):
        if digest != recorded.get(name):
            what = "the file is missing" if digest is None else "the file is not the one that was written"
            raise DataError(what, where=folder / name, fix=fix)


def _hash_of(path: Path) -> str | None:
    return sha256(path) if path.is_file() else None
