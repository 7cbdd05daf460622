"""What a writer is taught and then asked about: a cohort of radiographs with reports, and who stands in these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from leadapron.attacks.reports.true_spans import IDENTIFIERS, Truth, read_truth
from leadapron.audits.audit import NOTHING, Loaded
from leadapron.audits.images_subject import images_inputs
from leadapron.cohort.image_set import SIZE, ImageSet, read_images
from leadapron.engine.documents import Config
from leadapron.errors import DataError
from leadapron.reports.identifiers.categories import NOT_HIPAA

Ints = NDArray[np.int64]

TAUGHT, HELD = "train", "test"
FEWEST_TAUGHT, FEWEST_HELD = 20, 10


class RecitalReads(Config):
    """What is known beside the cohort."""

    truth: Path | None = Field(
        default=None,
        description=f"The cohort of the original reports with {IDENTIFIERS}. [default: the cohort, if it has them]",
    )
    size: int = Field(default=SIZE, ge=16, description="Rows and columns that images are brought to.")


@dataclass(frozen=True)
class TaughtCohort:
    """Radiographs with reports. Split ``train`` is taught, split ``test`` is not.

    ``identifiers``: of a record, texts that identify its patient in the original report; None where nobody knows.
    """

    images: ImageSet
    identifiers: Mapping[str, tuple[str, ...]] | None = None
    reports: tuple[str, ...] = field(init=False, repr=False)
    patient: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        records, where = self.images.records, self.images.where
        texts = tuple((report or "").strip() for report in records["report"].to_list())
        object.__setattr__(self, "reports", texts)
        numbered = np.unique(records["patient_id"].to_numpy().astype(str), return_inverse=True)[1]
        object.__setattr__(self, "patient", numbered.astype(np.int64))
        for split, fewest in ((TAUGHT, FEWEST_TAUGHT), (HELD, FEWEST_HELD)):
            if (got := len(np.unique(self.patient[self.rows(split)]))) < fewest:
                what = f"too few patients in split {split!r} have a radiograph with a report"
                raise DataError(what, where=where, got=got, allowed=f"{fewest} or more")

    def rows(self, split: str) -> Ints:
        """The records of a split that have a report."""
        own = self.images.records["split"].eq(split).to_numpy()
        return np.flatnonzero(own & np.array([bool(report) for report in self.reports])).astype(np.int64)

    @property
    def records(self) -> pl.DataFrame:
        return self.images.records


def load_recital(path: Path, asked: Config, _verify: bool) -> Loaded:
    assert isinstance(asked, RecitalReads)
    images = read_images(path, size=asked.size)
    where = asked.truth or (path if (path / IDENTIFIERS).is_file() else None)
    known = None if where is None else _identifiers(read_truth(where, None))
    said = {"truth": None if where is None else where.resolve().name, "size": asked.size}
    return Loaded(TaughtCohort(images, known), NOTHING, images_inputs(images, path.resolve().name), said)


def _identifiers(truth: Truth) -> dict[str, tuple[str, ...]]:
    """What stands in the original reports of the patient's own: no doctors, no hospitals, no times."""
    text = {record: report or "" for record, _, report in truth.source.records.iter_rows()}
    return {
        record: tuple(text[record][span.start : span.end] for span in spans if span.category not in NOT_HIPAA)
        for record, spans in truth.identifiers.items()
        if record in text
    }
