"""Files that are either whole or not there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from leadapron.engine.ours import claim_all, hidden_beside, remove_ours, strangers
from leadapron.engine.private import make_private, private_file, private_folder
from leadapron.errors import ConfigError, DataError


@contextmanager
def atomic_path(target: Path, *, private: bool = False) -> Iterator[Path]:
    """A path to write to, renamed to ``target`` when the block ends well and removed when it does not.

    Where ``target`` is a link, what it leads to is written. ``private`` is for its owner's eyes alone, and so is the
    folder if it is not there yet.
    """
    target = _behind_links(target)
    private_folder(target.parent) if private else target.parent.mkdir(parents=True, exist_ok=True)
    partial = hidden_beside(target)
    try:
        if private:
            private_file(partial)
        yield partial
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def atomic_folder(target: Path, *, overwrite: bool = False, private: bool = False) -> Iterator[Path]:
    """A folder to write into, renamed to ``target`` when the block ends well and removed when it does not.

    Of a folder that is replaced only what leadapron wrote is removed. ``private`` is as in ``atomic_path``.
    """
    check_free(target, overwrite=overwrite)
    target = _behind_links(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial, replaced = hidden_beside(target), hidden_beside(target, "leadapron-old")
    private_folder(partial) if private else partial.mkdir()
    try:
        yield partial
        claim_all(partial)
        if private:
            make_private(partial)
        try:
            if overwrite and target.exists():
                target.rename(replaced)  # the old one is whole until the new one is
            partial.rename(target)
        except BaseException:
            if replaced.exists() and not target.exists():
                replaced.rename(target)
            raise
        with suppress(OSError):  # the new one is there, even if the old one cannot be removed
            remove_ours(replaced)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def check_free(target: Path, *, overwrite: bool) -> None:
    """A folder can be written there: nothing is there, or what is there may be replaced, and is all ours."""
    place = _behind_links(target)
    if not place.exists():
        return
    if not overwrite:
        raise ConfigError("the output exists already", where=target, fix="Choose another place or pass --overwrite.")
    if not place.is_dir():
        raise ConfigError("the output is a file, and a folder is to be written", where=target)
    if found := strangers(place):
        raise ConfigError(
            "leadapron did not write all that is in this folder, so it is not overwritten",
            where=target,
            got=", ".join(path.relative_to(place).as_posix() for path in found[:3]),
            allowed="an empty folder, or one with nothing in it but what leadapron wrote there",
            fix="Choose another place, or move these files elsewhere.",
        )


def inside(folder: Path, name: str) -> Path:
    """The file that ``name`` says lies in ``folder``; one that lies elsewhere, or is a link to there, is refused."""
    path = folder / name
    if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
        raise DataError("the file does not lie in its folder", where=folder, got=name, allowed="a file in the folder")
    return path


def _behind_links(target: Path) -> Path:
    place = Path(os.path.realpath(target))
    if place.is_symlink():
        raise ConfigError("the link leads back to itself", where=target)
    return place
