"""Long row-wise work in blocks that survive a kill: what was finished is never computed again."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.executors import Executor, Here
from leadapron.engine.files import atomic_path
from leadapron.engine.ours import claim, remove_ours
from leadapron.engine.pieces import Made, Piece, Plain, Recipe, Work
from leadapron.engine.private import private_folder
from leadapron.engine.progress import Progress, silent
from leadapron.errors import DataError

Arrays = Mapping[str, NDArray[np.generic]]


def _rows_alone(_rows: slice) -> Mapping[str, Plain]:
    return {}


@dataclass(frozen=True)
class DealtOut:
    """Blocks that an ``executor`` deals out: ``compute`` does one here, and ``recipe`` tells other processes how to.

    ``needs`` is what these are told of each block, beside its rows (``rows_of``).
    """

    compute: Callable[[slice], Arrays]
    executor: Executor
    recipe: Recipe | None
    needs: Callable[[slice], Mapping[str, Plain]] = _rows_alone


def rows_of(needs: Plain) -> slice:
    """The rows of a block."""
    return slice(*cast(Mapping[str, Any], needs)["rows"])


def run_blocks(
    folder: Path,
    rows: int,
    block: int,
    compute: Callable[[slice], Arrays] | DealtOut,
    *,
    key: Mapping[str, object],
    stage: str,
    progress: Progress = silent,
) -> dict[str, NDArray[np.generic]]:
    """Row-aligned arrays of ``rows`` rows, computed ``block`` rows at a time and kept below ``folder``.

    ``key`` says what the arrays are computed from; its hash names the place, so that an interrupted run with the
    same key is continued and one with another key starts anew. When all blocks are there they are joined into one
    memory-mapped ``<name>.npy`` each and the blocks are removed. What is damaged is computed again. All of it is for
    its owner's eyes alone. Blocks are pieces of work, and can be dealt out.
    """
    key_text = json.dumps({**key, "rows": rows, "block": block}, sort_keys=True, default=str)
    folder = private_folder(folder) / hashlib.sha256(key_text.encode()).hexdigest()[:16]
    names_file = folder / "arrays.json"
    if names_file.exists():
        try:
            finished = _open(folder, json.loads(names_file.read_text()), rows)
        except (ValueError, FileNotFoundError, EOFError, TypeError):  # truncated, removed or overwritten since
            remove_ours(folder)
        else:
            progress(stage, rows, rows)
            return finished

    parts = [folder / f"block-{start:010d}.npz" for start in range(0, rows, block)]
    claim(private_folder(folder), "key.json", names_file.name, *(part.name for part in parts), scratch=True)
    with atomic_path(folder / "key.json", private=True) as path:
        path.write_text(key_text)
    for part in parts:
        if part.exists() and not zipfile.is_zipfile(part):  # cut short
            part.unlink()

    dealt = compute if isinstance(compute, DealtOut) else DealtOut(compute, Here(), None)

    def here(needs: Sequence[Plain]) -> Iterator[Made]:
        for at in map(rows_of, needs):
            arrays = dealt.compute(at)
            _check_rows(arrays, at.stop - at.start, stage)
            yield arrays

    pieces = []
    for start, part in zip(range(0, rows, block), parts, strict=True):
        at = slice(start, min(start + block, rows))
        pieces.append(Piece(part.absolute(), {"rows": [at.start, at.stop], **dealt.needs(at)}))
    work = Work(stage, tuple(pieces), here, dealt.recipe)
    dealt.executor.run(work, progress=lambda stage, done, _: progress(stage, min(done * block, rows), rows))
    try:
        names = _join(folder, parts, rows)
    except FileNotFoundError:  # another process did the same work, was faster, and has removed the blocks
        names = json.loads(names_file.read_text())
    with atomic_path(names_file, private=True) as path:
        path.write_text(json.dumps(names))
    for part in parts:
        part.unlink(missing_ok=True)
    return _open(folder, names, rows)


def _check_rows(arrays: Arrays, rows: int, stage: str) -> None:
    """A block that is too short would leave rows of zeros in the whole."""
    for name, array in arrays.items():
        if len(array) != rows:
            raise DataError(
                "the row counts differ", where=f"{stage}: {name}", got=f"{len(array)} rows", allowed=str(rows)
            )


def _join(folder: Path, parts: list[Path], rows: int) -> list[str]:
    """Copy the blocks into one array a name, a block at a time, so that memory stays small."""
    with np.load(parts[0], allow_pickle=False) as first:
        shapes = {name: (first[name].dtype, first[name].shape[1:]) for name in first.files}
    claim(folder, *(f"{name}.npy" for name in shapes), scratch=True)
    for name, (dtype, shape) in shapes.items():
        with atomic_path(folder / f"{name}.npy", private=True) as path:
            whole = np.lib.format.open_memmap(path, mode="w+", dtype=dtype, shape=(rows, *shape))
            start = 0
            for part in parts:
                with np.load(part, allow_pickle=False) as arrays:
                    values = arrays[name]
                whole[start : start + len(values)] = values
                start += len(values)
            whole.flush()
            del whole
    return list(shapes)


def _open(folder: Path, names: list[str], rows: int) -> dict[str, NDArray[np.generic]]:
    arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in names}
    wrong = {name: len(array) for name, array in arrays.items() if len(array) != rows}
    if wrong:
        raise ValueError(f"arrays of another length: {wrong}")
    return arrays
