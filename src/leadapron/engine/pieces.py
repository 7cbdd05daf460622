"""Long work in pieces that do not need each other. A piece is a file, and a file that is there is finished.

    Piece   one file, and what only it needs to be made: plain data, such as rows or a number
    Recipe  how a process that shares nothing but files comes to the function that makes pieces
    Work    pieces of one kind, and both ways to that function

A file gets its name when it is whole and on the disk, and never changes then (``write_once``). So a piece that is there
is not made again, a half-written one does not count, and who writes late, after others have taken the piece over,
changes nothing. Nobody has to hold a lock or show that it is alive.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.once import write_once
from leadapron.engine.ours import remove_partials
from leadapron.errors import ConfigError, DataError

Plain: TypeAlias = bool | int | float | str | Sequence["Plain"] | Mapping[str, "Plain"] | None
"""What can be written as JSON: names of files, numbers, words."""

Made: TypeAlias = Mapping[str, NDArray[np.generic]] | bytes
"""Arrays, which are kept as a .npz file, or the file itself."""

Make: TypeAlias = Callable[[Sequence[Plain]], Iterable[Made]]
"""Makes several pieces, in their order, from what each of them needs."""


@dataclass(frozen=True)
class Piece:
    target: Path
    needs: Plain


@dataclass(frozen=True)
class Recipe:
    """``maker`` is ``package.module:function``; of ``config`` that function makes a ``Make``, once in a process."""

    maker: str
    config: Mapping[str, Plain]

    def make(self) -> Make:
        module, _, function = self.maker.partition(":")
        make: Make = getattr(importlib.import_module(module), function)(self.config)
        return make


@dataclass(frozen=True)
class Work:
    """``here`` makes pieces in this process, from what it has in memory; ``recipe`` does so in any other.

    ``together`` is how many pieces are made with one call, at most. All targets lie in folders that are there.
    """

    stage: str
    pieces: tuple[Piece, ...]
    here: Make
    recipe: Recipe | None = None
    together: int = 1

    def missing(self) -> list[Piece]:
        """The pieces that are not there. Listing a folder makes a network file system look anew."""
        folders = {piece.target.parent for piece in self.pieces}
        there = {folder: set(os.listdir(folder)) for folder in folders if folder.is_dir()}  # noqa: PTH208
        return [piece for piece in self.pieces if piece.target.name not in there.get(piece.target.parent, ())]

    def recipe_for(self, option: str) -> Recipe:
        """How others make the pieces; work that knows none is refused, by the option that asked for others."""
        if self.recipe is None:
            raise ConfigError(f"{self.stage} is work of one process, on what it has in memory", where=option)
        return self.recipe

    def handfuls(self, workers: int = 1) -> list[tuple[Piece, ...]]:
        """What is missing, in groups for one call each; no larger than lets every worker have one."""
        missing = self.missing()
        size = min(self.together, -(-len(missing) // workers)) or 1
        return [tuple(missing[start : start + size]) for start in range(0, len(missing), size)]

    def tidy(self) -> None:
        """Remove what killed processes have left half-written, when all pieces are there."""
        for folder in {piece.target.parent for piece in self.pieces}:
            remove_partials(folder, {piece.target.name for piece in self.pieces})


def make_pieces(make: Make, pieces: Sequence[Piece], wrote: Callable[[], object] = lambda: None) -> None:
    """Make those that nobody else has made meanwhile, and write each as soon as it is made; ``wrote`` tells of each."""
    left = [piece for piece in pieces if not piece.target.exists()]
    for _ in range(len(pieces) - len(left)):
        wrote()
    if not left:
        return
    for piece, made in zip(left, make([piece.needs for piece in left]), strict=True):
        write_piece(piece.target, made)
        wrote()


def write_piece(target: Path, made: Made) -> bool:
    """Whether this call made the file. Its folder is not made: where it is gone, nobody wants the piece any more."""
    if not target.parent.is_dir():
        raise DataError(
            "the folder of a finished piece is not there",
            where=target.parent,
            fix="Give a folder that every process sees under the same name, and do not remove it before the end.",
        )

    def write(stream: BinaryIO) -> None:
        if isinstance(made, bytes):
            stream.write(made)
        else:
            np.savez(stream, **made)  # type: ignore[arg-type]

    return write_once(target, write)
