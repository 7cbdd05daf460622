"""What writers learn from and what they are tested on: named training cohorts, and test patients of whom none is there.

Records of split ``train`` are learnt from and those of split ``test`` are written about, whatever cohort they are in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field

from leadapron.audits.audit import NOTHING, Loaded
from leadapron.audits.images_subject import ReleasedImages, images_inputs
from leadapron.cohort.image_set import SIZE, ImageSet, read_images
from leadapron.cohort.labels import label_names
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError, DataError
from leadapron.results.withheld import FEWEST_PATIENTS
from leadapron.writing import Pairs

RELEASED = "released"
UNTRAINED = "before training"
FREQUENT, SAME_LABELS, SHUFFLED = "most frequent", "same labels", "shuffled pairs"
CONTROLS = {
    FREQUENT: "always the most frequent training report",
    SAME_LABELS: "a random training report with the findings of the true one, which it is told",
    SHUFFLED: "a writer that learnt from the same images with other patients' reports",
}
"""None of them sees the image that it writes about, or learns anything from images."""
MIXED = " + "


class WritingReads(Config):
    """Which cohorts are learnt from."""

    train: tuple[str, ...] = Field(
        default=(),
        description="A cohort to learn from, as NAME=FOLDER or FOLDER. Several are learnt from each alone, and two of "
        "different patients also together. [default: the training patients of the test cohort]",
    )
    size: int = Field(default=SIZE, ge=16, description="Rows and columns that images are brought to.")
    work: Path | None = Field(
        default=None,
        description="A folder in which training is kept epoch by epoch, so that a run that was killed goes on. "
        "[default: none]",
    )
    bert: Path | None = Field(default=None, description="A folder of a BERT-like model, for BERTScore.")
    radgraph: Path | None = Field(default=None, description="A folder of RadGraph's weights, for RadGraph F1.")


@dataclass(frozen=True)
class WritingTask:
    """Regimes by name, the first of which the headline is of, and the test records."""

    regimes: Mapping[str, Pairs]
    test: Pairs
    records: pl.DataFrame
    """Of the test: ids, and what is known of them."""
    left_out: int = 0
    """Records without a report."""
    work: Path | None = None
    weights: Mapping[str, Path | None] | None = None
    """Folders of models that some scores need."""

    def __post_init__(self) -> None:
        tested = set(self.test.patients)
        if len(tested) < FEWEST_PATIENTS:
            what = f"there are fewer than {FEWEST_PATIENTS} test patients with a report"
            raise DataError(what, fix="Test on a larger cohort.")
        for name, pairs in self.regimes.items():
            if both := sorted(tested & set(pairs.patients)):
                raise DataError(
                    "a patient is learnt from and tested on",
                    where=name,
                    got=f"{len(both):,} patients, such as {both[0]}",
                    fix="Split by patients; ids of two hospitals must not coincide.",
                )


def task_of_images(subject: ReleasedImages) -> WritingTask:
    """Learnt from images and reports as they were released, tested on real ones."""
    train, without = _side(subject.released, "train")
    test, also = _side(subject.source, "test")
    _check_labels({RELEASED: subject.released}, subject.source)
    return WritingTask({RELEASED: _pairs(train)}, _pairs(test), test.records, without + also)


def load_task(path: Path, asked: Config, _verify: bool) -> Loaded:
    """The cohort at the path is tested on; without others its own training patients are learnt from."""
    assert isinstance(asked, WritingReads)
    real = read_images(path, size=asked.size)
    weights = {"bert": asked.bert, "radgraph": asked.radgraph}
    if not asked.train:
        task = replace(task_of_images(ReleasedImages(real, real)), work=asked.work, weights=weights)
        return Loaded(task, NOTHING, images_inputs(real, path.resolve().name), {"train": [], "size": asked.size})
    named = _named(asked.train)
    cohorts = {name: read_images(folder, size=asked.size) for name, folder in named.items()}
    _check_labels(cohorts, real)
    sides = {name: _side(cohort, "train") for name, cohort in cohorts.items()}
    test, without = _side(real, "test")
    regimes = with_mixed({name: _pairs(side) for name, (side, _) in sides.items()})
    left_out = without + sum(count for _, count in sides.values())
    task = WritingTask(regimes, _pairs(test), test.records, left_out, asked.work, weights)
    said = {"train": [f"{name}={folder.resolve().name}" for name, folder in named.items()], "size": asked.size}
    first = next(iter(cohorts))
    inputs = images_inputs(cohorts[first], named[first].resolve().name)
    return Loaded(task, NOTHING, inputs, {**said, "test": path.resolve().name})


def with_mixed(regimes: Mapping[str, Pairs]) -> dict[str, Pairs]:
    """And every two of different patients together: versions of one cohort are not mixed with each other."""
    apart = [
        pair for pair in combinations(regimes, 2) if not set(regimes[pair[0]].patients) & set(regimes[pair[1]].patients)
    ]
    mixed = {MIXED.join(pair): regimes[pair[0]].joined(regimes[pair[1]]) for pair in apart}
    return {**regimes, **mixed}


def _named(given: Sequence[str]) -> dict[str, Path]:
    """By name, in order; a plain folder goes by its own."""
    named: dict[str, Path] = {}
    for one in given:
        name, equals, folder = one.partition("=")
        if not equals or "/" in name:
            name, folder = Path(one).resolve().name, one
        if not name or name in (*CONTROLS, UNTRAINED) or MIXED in name:
            raise ConfigError("a training cohort cannot be called that", where="--train", got=name)
        if name in named:
            fix = "Name them: --train NAME=FOLDER."
            raise ConfigError("two training cohorts have the same name", where="--train", got=name, fix=fix)
        named[name] = Path(folder)
    return named


def _side(images: ImageSet, split: str) -> tuple[ImageSet, int]:
    """The records of a split that have a report, and how many have none."""
    here = images.of_splits(split)
    if not len(here):
        raise DataError(f"no record is of split {split}", where=images.where)
    told = here.records["report"].fill_null("").str.strip_chars().ne("").to_numpy()
    if not told.any():
        what, fix = f"no record of split {split} has a report", "Give a cohort of images and reports."
        raise DataError(what, where=images.where, fix=fix)
    return here.at(np.flatnonzero(told)), int((~told).sum())


def _pairs(images: ImageSet) -> Pairs:
    records = images.records
    patients: NDArray[np.str_] = records["patient_id"].to_numpy().astype(str)
    return Pairs(images.images, tuple(records["report"].to_list()), patients)


def _check_labels(trained: Mapping[str, ImageSet], real: ImageSet) -> None:
    """Cohorts that were labelled for different findings are not of one task."""
    wanted = _labelled(real)
    for name, images in trained.items():
        given = _labelled(images)
        if wanted and given and not set(wanted) & set(given):
            what = "the training cohort and the test cohort are labelled for different findings"
            got = f"{', '.join(given)} against {', '.join(wanted)}"
            raise DataError(what, where=name, got=got, fix="Train and test on one task.")


def _labelled(images: ImageSet) -> list[str]:
    """The findings of which something is known."""
    records = images.records
    known = [name for name in label_names(records) if records[name].null_count() < len(records)]
    return [name.removeprefix("label_") for name in known]
