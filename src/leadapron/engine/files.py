"""Files that are either whole or not there."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leadapron.errors import ConfigError

CARDS = ("release.json", "cohort.json", "results.json", "utility.json", "card.json")
"""The file by which a folder that leadapron wrote is known; a folder of a new kind brings one more."""
OUR_KEYS = ("leadapron", "funnel")


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
    check_free(target, overwrite=overwrite)
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


def check_free(target: Path, *, overwrite: bool) -> None:
    """A folder can be written there: nothing is there, or what is there may be replaced, and is empty or ours."""
    if not target.exists():
        return
    if not overwrite:
        raise ConfigError("the output exists already", where=target, fix="Choose another place or pass --overwrite.")
    if not target.is_dir():
        raise ConfigError("the output is a file, and a folder is to be written", where=target)
    if any(target.iterdir()) and not any(_is_ours(target / name) for name in CARDS):
        raise ConfigError(
            "leadapron did not write this folder, so it is not overwritten",
            where=target,
            got=", ".join(sorted(path.name for path in target.iterdir())[:3]),
            allowed=f"an empty folder, or one with a {' or '.join(CARDS)} of leadapron's",
            fix="Choose another place or remove it yourself.",
        )


def _is_ours(card: Path) -> bool:
    """Others write a results.json, too: ours says so."""
    try:
        content = json.loads(card.read_text())
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and any(key in content for key in OUR_KEYS)
