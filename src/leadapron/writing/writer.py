"""What a writer is: radiographs in, reports out; and how one comes to be, from pairs of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from leadapron.engine import Progress, silent
from leadapron.engine.documents import Config
from leadapron.errors import DataError
from leadapron.training.devices import AUTO
from leadapron.training.devices import HELP as DEVICE_HELP

Bytes = NDArray[np.uint8]
"""Images, rows x height x width, 8 bit."""
SAVED = "writer"
"""Where a finished writer is saved, beside the state of its training."""


@dataclass(frozen=True)
class Pairs:
    """Radiographs with their reports, row by row, and whose they are: what a writer learns from."""

    images: Bytes
    reports: tuple[str, ...]
    patients: NDArray[np.str_]

    def __post_init__(self) -> None:
        rows = len(self.images)
        if len(self.reports) != rows or len(self.patients) != rows or not rows:
            got = f"{rows:,} images, {len(self.reports):,} reports, {len(self.patients):,} patients"
            raise DataError("there is not one report and one patient an image", got=got)
        silent_ones = sum(not report.strip() for report in self.reports)
        if silent_ones:
            fix = "Leave records without a report out of the cohort."
            raise DataError("a report to learn from is empty", got=f"{silent_ones:,} of {rows:,}", fix=fix)

    def __len__(self) -> int:
        return len(self.reports)

    def at(self, rows: NDArray[np.integer]) -> Pairs:
        """The pairs in these rows, in this order."""
        return Pairs(self.images[rows], tuple(self.reports[row] for row in rows), self.patients[rows])

    def joined(self, other: Pairs) -> Pairs:
        """These, and then the others."""
        images = np.concatenate([self.images, other.images])
        return Pairs(images, self.reports + other.reports, np.concatenate([self.patients, other.patients]))


class Writer(Protocol):
    """A model that can write. The same images give the same reports."""

    def write(self, images: Bytes, *, begin: str = "", progress: Progress = silent) -> list[str]:
        """A report an image. With ``begin`` every report starts with these words, and the writer goes on from there."""


@dataclass(frozen=True)
class Trained:
    """A writer, and what must be said of its training."""

    writer: Writer
    cut: int = 0
    """Training reports that are longer than it can write: it learnt them up to there."""
    longest: int | None = None
    """How many tokens it can write; None where there is no such limit."""
    notes: tuple[str, ...] = ()
    """Whole sentences for the page, such as which strength was chosen."""


class Trainer(Protocol):
    """A kind of writer that is ready to learn: opened once, and then trained on one set of pairs after another.

    What it sees of an image (the features of a frozen encoder) may be kept from one training to the next.
    """

    def untrained(self) -> Writer | None:
        """The writer as it is before it has seen any pair; None where it cannot write then."""

    def train(self, pairs: Pairs, *, seed: int, checkpoint: Path | None = None, progress: Progress = silent) -> Trained:
        """A writer that learnt from these pairs alone. The same pairs and seed give the same writer.

        ``checkpoint`` is a folder in which a run is kept epoch by epoch: the same run goes on there after a kill, and
        another one does not mind what lies in it.
        """


class WriterSettings(Config):
    """How a writer learns; None is the writer's own default."""

    encoder: str = Field(default="phantom-reports", description="The frozen encoder that small writers see through.")
    epochs: int | None = Field(default=None, ge=1, description="How often each pair is learnt from.")
    batch: int | None = Field(default=None, ge=1, description="Pairs a step.")
    accumulate: int | None = Field(
        default=None, ge=1, description="Parts that a batch is computed in: more, less memory."
    )
    learning_rate: float | None = Field(default=None, gt=0, description="The highest learning rate.")
    longest: int | None = Field(default=None, ge=8, description="Tokens that a report may have; the rest is cut.")
    device: str = Field(default=AUTO, description=DEVICE_HELP)


@dataclass(frozen=True)
class WriterSpec:
    """An entry of the registry. ``open`` takes the name that was asked for (a folder is its own) and the settings."""

    summary: str
    open: Callable[[str, WriterSettings], Trainer]
