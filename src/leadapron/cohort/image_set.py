"""A cohort together with its pixels: what a defence of images changes, and what an audit of images looks at."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image

from leadapron.cohort.cohort import Cohort, read_cohort, write_cohort_files
from leadapron.cohort.decode import decode
from leadapron.engine import Progress, atomic_folder, parallel_map, sha256, silent
from leadapron.errors import DataError

SIZE = 128
"""Rows and columns of an image, unless another size is asked for."""


@dataclass(frozen=True)
class ImageSet:
    """Records and their images, row by row, all of one size; the card is that of the cohort."""

    cohort: Cohort
    images: NDArray[np.uint8]
    card: Mapping[str, object] = field(default_factory=dict)
    where: str = "images"

    def __post_init__(self) -> None:
        shape = self.images.shape
        if len(shape) != 3 or shape[1] != shape[2] or self.images.dtype != np.uint8:
            got = f"{self.images.dtype} of {' x '.join(map(str, shape))}"
            raise DataError("these are no square images of 8 bit", where=self.where, got=got)
        if shape[0] != len(self.cohort):
            got = f"{shape[0]:,} images and {len(self.cohort):,} records"
            raise DataError("there is not one image a record", where=self.where, got=got)

    def __len__(self) -> int:
        return len(self.images)

    @property
    def records(self) -> pl.DataFrame:
        return self.cohort.records

    @property
    def size(self) -> int:
        return int(self.images.shape[1])

    def of_splits(self, *splits: str) -> ImageSet:
        """The records of these splits."""
        return self.at(self.records["split"].is_in(splits).arg_true().to_numpy())

    def at(self, rows: NDArray[np.integer]) -> ImageSet:
        """The records in these rows, in this order."""
        return replace(self, cohort=replace(self.cohort, records=self.records[rows]), images=self.images[rows])

    def with_images(self, images: NDArray[np.uint8]) -> ImageSet:
        """The same records with other images."""
        return replace(self, images=images)


def read_images(folder: Path, *, size: int = SIZE, progress: Progress = silent) -> ImageSet:
    """The images of a cohort folder through the pipeline of encoders. One that cannot be read is named and refused."""
    cohort = read_cohort(folder)
    with tempfile.TemporaryDirectory() as cache:
        pixels = decode(cohort, size, Path(cache), progress=progress)
        images = np.array(pixels.images)
    if pixels.unreadable:
        what = f"{len(pixels.unreadable)} images cannot be read; the first: {pixels.unreadable[0]}"
        fix = "Mend the files, or leave the records out: `leadapron cohort` does that and says so."
        raise DataError(what, where=folder, fix=fix)
    card = {**cohort.card, "sha256": {"records.parquet": sha256(folder / "records.parquet"), "images": digest(images)}}
    return ImageSet(cohort, images, card, str(folder))


def digest(images: NDArray[np.uint8]) -> str:
    """One hash for all pixels, as an audit sees them."""
    return hashlib.sha256(np.ascontiguousarray(images).tobytes()).hexdigest()


def write_images(made: ImageSet, folder: Path, *, overwrite: bool = False) -> None:
    """A cohort folder, whole or not at all: the table, the card, and a PNG an image.

    It is for its owner's eyes alone, until the owner hands it over: ids and labels stand in it.
    """
    names = [f"images/{row:07d}.png" for row in range(len(made))]
    cohort = replace(
        made.cohort, records=made.records.with_columns(pl.Series("image_path", names)), card=dict(made.card)
    )
    with atomic_folder(folder, overwrite=overwrite, private=True) as partial:
        (partial / "images").mkdir()
        parallel_map(lambda row: Image.fromarray(made.images[row]).save(partial / names[row]), range(len(made)))
        write_cohort_files(cohort, partial)
