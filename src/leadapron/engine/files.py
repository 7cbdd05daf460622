"""Files that are either whole or not there."""

from __future__ import annotations

import hashlib
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leadapron.errors import ConfigError


@contextmanager
def atomic_path(target: Path) -> Iterator[Path]:
    """A path to write to, renamed to ``target`` when the block ends well and removed when it does not."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.partial")
    try:
        yield partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def atomic_folder(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A folder to write into, renamed to ``target`` when the block ends well and removed when it does not."""
    if target.exists() and not overwrite:
        raise ConfigError("the output exists already", where=target, fix="Choose another place or pass --overwrite.")
    if target.exists() and not target.is_dir():
        raise ConfigError("the output is a file, and a folder is to be written", where=target)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial, replaced = (target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.{end}") for end in ("partial", "old"))
    partial.mkdir()
    try:
        yield partial
        if overwrite and target.exists():
            target.rename(replaced)  # the old one is whole until the new one is
        partial.rename(target)
        shutil.rmtree(replaced, ignore_errors=True)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def sha256(path: Path) -> str:
    """The hash that a result carries for each of its inputs."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
