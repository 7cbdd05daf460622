"""Images of a cohort as the subject of an audit: as they were released, and as they were before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import Field

from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge, Loaded
from leadapron.cohort.image_set import SIZE, ImageSet, digest, read_images
from leadapron.engine import Progress, silent
from leadapron.engine.documents import Config
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import DataError
from leadapron.results import Findings, Inputs, Subject


class ImagesReads(Config):
    """What the released images are compared with."""

    source: Path | None = Field(
        default=None,
        description="The cohort that they were made from, of the same records. [default: itself, undefended]",
    )
    size: int = Field(default=SIZE, ge=16, description="Rows and columns that images are brought to.")


@dataclass(frozen=True)
class ReleasedImages:
    """The same records twice, row by row: ``released`` is what the attacker is given, ``source`` the real images.

    Undefended, both are one.
    """

    released: ImageSet
    source: ImageSet

    def __post_init__(self) -> None:
        if not _whose(self.released).equals(_whose(self.source)):
            got = f"{len(self.released):,} records, and {len(self.source):,} in the source"
            what = "the images are not of the same records, patients and splits as their source"
            raise DataError(what, where=self.released.where, got=got, fix="Give the cohort that they were made from.")
        if self.released.size != self.source.size:
            got = f"{self.released.size} and {self.source.size} pixels"
            raise DataError("the images are not of one size", where=self.released.where, got=got)

    @property
    def defended(self) -> bool:
        return self.released is not self.source


def _whose(images: ImageSet) -> pl.DataFrame:
    return images.records.select("record_id", "patient_id", "split")


def load_images(path: Path, asked: Config, _verify: bool) -> Loaded:
    """The images in a cohort folder beside their source."""
    assert isinstance(asked, ImagesReads)
    released = read_images(path, size=asked.size)
    source = released if asked.source is None else read_images(asked.source, size=asked.size)
    said = {"source": None if asked.source is None else asked.source.resolve().name, "size": asked.size}
    return Loaded(ReleasedImages(released, source), NOTHING, images_inputs(released, path.resolve().name), said)


def image_audit(run: Callable[..., Findings], **own: Any) -> Audit:  # noqa: ANN401
    """An audit of released images: ``run`` takes these, its configuration and ``progress``; ``own`` is all else."""

    def asked(
        subject: ReleasedImages, config: AuditConfig, _: Knowledge = NOTHING, progress: Progress = silent
    ) -> Findings:
        return run(subject, config, progress=progress)

    shared = {"subject": "images", "takes": frozenset(), "reads": ImagesReads, "load": load_images, "split": "test"}
    return Audit(run=asked, **{**shared, **own})


def images_inputs(images: ImageSet, name: str) -> Inputs:
    """The same for every audit of these images, so that the gate can bind them together."""
    recorded = images.card.get("sha256")
    hashes = {str(key): str(value) for key, value in recorded.items()} if isinstance(recorded, dict) else {}
    hashes = hashes or {"images": digest(images.images)}
    defence = images.card.get("defence")
    made_from = images.card.get("made_from", [])
    return Inputs(
        release=name,
        cohort=images.cohort.name,
        defence=defence if isinstance(defence, dict) else None,
        sha256=hashes,
        subject=Subject(
            kind="images",
            id=id_of_files(hashes),
            made_from=tuple(str(one) for one in made_from) if isinstance(made_from, list) else (),
        ),
    )
