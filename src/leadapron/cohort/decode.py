"""Decode a cohort's images once, in parallel, into a cache that survives an interruption."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort.cohort import Cohort
from leadapron.cohort.image_file import read_prepared
from leadapron.engine import Progress, parallel_map, run_blocks, silent
from leadapron.engine.blocks import DealtOut
from leadapron.engine.executors import Executor, Here
from leadapron.engine.pieces import Made, Make, Plain, Recipe
from leadapron.errors import DataError

BLOCK = 256
MESSAGE_LENGTH = 300


@dataclass(frozen=True)
class Pixels:
    """The readable records of a cohort with their pixels, row by row, and what could not be read."""

    cohort: Cohort
    images: NDArray[np.uint8]
    unreadable: tuple[str, ...]


def decode(
    cohort: Cohort,
    size: int,
    cache: Path,
    *,
    executor: Executor = Here(),  # noqa: B008 (frozen, and it holds nothing)
    progress: Progress = silent,
) -> Pixels:
    """Every image as ``size`` x ``size`` of 8 bit; a broken file is dropped in the funnel and named."""
    missing = cohort.records["image_path"].is_null().arg_true()
    if len(missing):
        raise DataError(f"there is no image_path in row {missing[0] + 1} ({len(missing)} rows)", where=cohort.name)
    paths = [Path(path) for path in cohort.records["image_path"]]

    def named(rows: slice) -> dict[str, Plain]:
        return {"files": [os.path.abspath(path) for path in paths[rows]]}  # noqa: PTH100 (a name need not be a path)

    recipe = Recipe(f"{__name__}:decoder", {"size": size})
    blocks = DealtOut(lambda rows: _decoded(paths[rows], size), executor, recipe, named)
    key = {"size": size, "pipeline": 2, "files": [_identity(path) for path in paths]}
    arrays = run_blocks(cache, len(paths), BLOCK, blocks, key=key, stage="decoding images", progress=progress)
    images = cast(NDArray[np.uint8], arrays["images"])
    messages = arrays["messages"]
    readable = messages == ""
    if readable.all():
        return Pixels(cohort, images, ())
    unreadable = tuple(str(message) for message in messages[~readable])
    if not readable.any():
        raise DataError(
            f"none of the {len(unreadable)} images can be read; the first: {unreadable[0]}", where=cohort.name
        )
    kept = cohort.keep(pl.lit(pl.Series(readable)), "readable image", f"{len(unreadable)} files cannot be decoded")
    # Copied in blocks, too: one broken file must not bring all the others into memory.
    rows_kept = np.flatnonzero(readable)
    arrays = run_blocks(
        cache,
        len(kept),
        BLOCK,
        lambda rows: {"images": images[rows_kept[rows]]},
        key={**key, "only": "readable"},
        stage="leaving out unreadable images",
        progress=progress,
    )
    return Pixels(kept, cast(NDArray[np.uint8], arrays["images"]), unreadable)


def decoder(config: Mapping[str, Any]) -> Make:
    """Decodes the files that a block names, in processes that do not have the cohort."""
    return partial(_blocks, config["size"])


def _blocks(size: int, needs: Sequence[Plain]) -> Iterator[Made]:
    for one in cast(Sequence[Mapping[str, Any]], needs):
        yield _decoded([Path(file) for file in one["files"]], size)


def _decoded(paths: Sequence[Path], size: int) -> dict[str, NDArray[np.generic]]:
    results = parallel_map(lambda path: _decode_one(path, size), paths)
    return {
        "images": np.stack([image for image, _ in results]),
        "messages": np.array([message for _, message in results], dtype=f"U{MESSAGE_LENGTH}"),
    }


def _decode_one(path: Path, size: int) -> tuple[NDArray[np.uint8], str]:
    """The pixels and no message, or blank pixels and the reason."""
    try:
        return read_prepared(path, size), ""
    except DataError as error:
        return np.zeros((size, size), dtype=np.uint8), str(error)[:MESSAGE_LENGTH]


def _identity(path: Path) -> tuple[str, int, int]:
    """Name, length and time of a file: a changed file is decoded again."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # not there, or no name that a file could have
        return str(path), -1, -1
    return str(path), status.st_size, status.st_mtime_ns
