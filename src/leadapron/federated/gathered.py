"""Records as a federation deals them: whose they are, on which side, with which findings, and both halves as arrays."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort import Cohort, decode
from leadapron.cohort.truth import labels_of
from leadapron.engine import Progress, silent
from leadapron.errors import DataError, MissingExtraError
from leadapron.federated.federation_plan import Plan
from leadapron.release import Release, with_split
from leadapron.release.in_memory import check_rows

PIXELS = {"small-network": 64, "published": 224}
TOKENS = 128
"""Tokens of a report that the published BERT reads."""
BUCKETS = 1024
"""Words of a report are counted in this many places; a hash of the word says where."""
HOW_TO_GET = {
    "backbone features": "Make the release with `leadapron encode --with-features`, from a cohort that has them.",
    "pixels and words": "Give a cohort that has both.",
}


@dataclass(frozen=True)
class Gathered:
    """Row by row. ``image`` or ``text`` is None where there is none."""

    where: str
    kind: str
    """What the halves are: backbone features, or pixels and words."""
    patients: NDArray[np.str_]
    splits: NDArray[np.str_]
    truth: NDArray[np.int8]
    labels: tuple[str, ...]
    image: NDArray[Any] | None
    text: NDArray[Any] | None
    records: pl.DataFrame

    def half(self, name: str) -> NDArray[Any]:
        """An array that is needed; an error says how to get it."""
        found: NDArray[Any] | None = getattr(self, name)
        if found is None:
            raise DataError(f"there are no {self.kind} of the {name}s", where=self.where, fix=HOW_TO_GET[self.kind])
        return found

    def sites(self, column: str) -> NDArray[np.str_]:
        """Of each record the site that a column names."""
        if column not in self.records.columns:
            raise DataError(f"there is no column {column!r} to deal by", where=self.where)
        return self.records[column].cast(pl.String).fill_null("").to_numpy().astype(np.str_)


def from_release(release: Release) -> Gathered:
    """The backbone features of a release: what an encoder that is not trained here says of images and reports."""
    release = with_split(release)
    halves = release.arrays.get("image_features"), release.arrays.get("text_features")
    return _gathered(release.records, release.where, "backbone features", *halves)


def from_cohort(
    cohort: Cohort, plan: Plan, cache: Path, weights: Path | None = None, *, progress: Progress = silent
) -> Gathered:
    """Pixels and words, for encoders that are trained from the first layer on."""
    pixels = decode(cohort, PIXELS[plan.encoders], cache, progress=progress)
    reports = pixels.cohort.records["report"].fill_null("").to_list()
    text: NDArray[Any] | None = None
    if any(reports):
        text = _tokens(reports, weights) if plan.encoders == "published" else np.stack(list(map(counted, reports)))
    return _gathered(pixels.cohort.records, cohort.name, "pixels and words", pixels.images, text)


def _gathered(
    records: pl.DataFrame, where: str, kind: str, image: NDArray[Any] | None, text: NDArray[Any] | None
) -> Gathered:
    if "patient_id" not in records.columns:
        raise DataError("a federation deals patients, and there is no column 'patient_id'", where=where)
    labels = labels_of(records, where)
    if not labels.names:
        raise DataError("there are no labels to learn", where=where, allowed="columns such as label_edema")
    check_rows({name: len(half) for name, half in (("image", image), ("text", text)) if half is not None}, where)
    return Gathered(
        where,
        kind,
        records["patient_id"].to_numpy().astype(np.str_),
        records["split"].cast(pl.String).fill_null("").to_numpy().astype(np.str_),
        labels.truth,
        labels.names,
        image,
        text,
        records,
    )


def counted(report: str) -> NDArray[np.uint8]:
    """How often each word is in a report, at the place that a hash of the word gives."""
    counts = np.zeros(BUCKETS, dtype=np.int64)
    for word in re.findall(r"[a-z]+", report.lower()):
        counts[zlib.crc32(word.encode()) % BUCKETS] += 1
    return counts.clip(max=255).astype(np.uint8)


def _tokens(reports: list[str], weights: Path | None) -> NDArray[np.int32]:
    try:
        import transformers
    except ImportError as error:
        raise MissingExtraError("transformers", "encoders", purpose="the published encoders") from error
    assert weights is not None
    tokenizer = transformers.AutoTokenizer.from_pretrained(weights / "bert-base-uncased", local_files_only=True)
    found = tokenizer(reports, padding="max_length", truncation=True, max_length=TOKENS, return_tensors="np")
    return np.asarray(found["input_ids"], dtype=np.int32)
