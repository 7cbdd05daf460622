"""Whose a file is. Nothing is removed or replaced but what leadapron wrote, and what it wrote says so.

A file that is not whole yet says it in its name. What is whole stands in a hidden list in its folder.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import uuid
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from leadapron import __version__
from leadapron.engine.private import private_file
from leadapron.errors import ConfigError

LIST = ".leadapron"
PARTIAL = "leadapron-partial"
PARTIAL_NAME = re.compile(rf"\.(.+)\.[a-z0-9_]{{8}}\.{PARTIAL}")


def hidden_beside(target: Path, end: str = PARTIAL) -> Path:
    """A name of its own beside ``target``, by which a file or folder that is not whole yet is known to be ours."""
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.{end}")


def work_beside(target: Path) -> Path:
    """The folder beside ``target`` for what is kept until it is whole, to go on after a kill."""
    whole = target.resolve()  # "." has a name, too
    return whole.with_name(f".{whole.name}.work")


def is_partial(path: Path) -> bool:
    return PARTIAL_NAME.fullmatch(path.name) is not None


def remove_partials(folder: Path, of: Collection[str] | None = None) -> None:
    """Remove what is not whole in ``folder``; with ``of``, only what was to get one of these names."""
    for path in folder.iterdir():
        found = PARTIAL_NAME.fullmatch(path.name)
        if found and (of is None or found[1] in of):
            with suppress(OSError):  # another process does the same
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def claim(folder: Path, *names: str, scratch: bool = False) -> None:
    """Write down that these names in ``folder`` are ours, before they are written; what is another's is refused.

    ``scratch`` is what is kept to save time and can be made again, wherever it lies.
    """
    taken = [name for name in (*names, LIST) if os.path.lexists(folder / name)]  # others claim first, and then write
    listed = _listed(folder / LIST)
    for name in taken:
        if name not in listed:
            raise ConfigError(
                "leadapron did not write this file, so it is not replaced",
                where=folder / name,
                fix="Choose another place, or move the file elsewhere.",
            )
    if not listed.issuperset(names):
        _write_list(folder, {*listed, *names}, scratch=scratch)


def claim_all(folder: Path) -> None:
    """Write down that everything in a folder that we made is ours."""
    _write_list(folder, (path.relative_to(folder).as_posix() for path in _files(folder)), scratch=False)


def strangers(folder: Path) -> list[Path]:
    """The files below ``folder`` that we did not write, or wrote as something of its own into another output."""
    files = list(_files(folder))
    ours = {path for path in files if any(is_partial(part) for part in (path, *path.relative_to(folder).parents))}
    for path in files:
        if path.name == LIST:
            ours |= {path.parent / name for name in _listed(path, scratch_only=path.parent != folder)}
    return sorted(path for path in files if path not in ours)


def remove_ours(folder: Path) -> None:
    """Remove what we wrote below ``folder``, and the folders that are empty then; everything else stays."""
    kept = set(strangers(folder))
    for path in list(_files(folder)):
        if path not in kept:
            path.unlink(missing_ok=True)
    for place, _, _ in os.walk(folder, topdown=False):
        with suppress(OSError):  # not empty
            Path(place).rmdir()


def _files(folder: Path) -> Iterator[Path]:
    """Every file; a link is one, wherever it leads."""
    for place, folders, files in os.walk(folder):
        for name in (*files, *folders):
            path = Path(place, name)
            if name in files or path.is_symlink():
                yield path


def _listed(file: Path, *, scratch_only: bool = False) -> set[str]:
    """What a list of ours names, itself included; nothing where it is not ours."""
    try:
        content = json.loads(file.read_text())
        if scratch_only and not content["scratch"]:
            return set()
        return {LIST, *map(str, content["files"])}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _write_list(folder: Path, names: Iterable[str], *, scratch: bool) -> None:
    content = {"leadapron": __version__, "scratch": scratch, "files": sorted({*names} - {LIST})}
    partial = hidden_beside(folder / LIST)
    try:
        if scratch:
            private_file(partial)
        partial.write_text(json.dumps(content, indent=1))
        partial.replace(folder / LIST)
    finally:
        partial.unlink(missing_ok=True)
