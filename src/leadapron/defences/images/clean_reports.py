"""Reports of images that are defended: no identifier must go along with an image, or reach a generator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field

from leadapron.cohort.image_set import ImageSet
from leadapron.defences.apply_defence import apply_defence
from leadapron.defences.defence import DefenceCard
from leadapron.defences.reports.report_defence import REPORTS, ReportsConfig
from leadapron.defences.subjects import card_of
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.errors import DataError

NOT_ON_CARD: dict[str, Any] = {"on_card": False}


class CleaningConfig(Config):
    """What every defence of images is told about the reports."""

    key: Path | None = Field(
        default=None,
        description="The file with the secret key (`leadapron key new FILE`): clean the reports on the way, as "
        "`leadapron defend reports` does.",
        json_schema_extra=NOT_ON_CARD,
    )
    work: Path | None = Field(
        default=None,
        description="Where finished parts are kept, to go on after a kill.",
        json_schema_extra=NOT_ON_CARD | {"option": None},
    )


def cleaned(images: ImageSet, config: CleaningConfig, progress: Progress, *, need_reports: bool = True) -> ImageSet:
    """The images with reports from which identifiers were removed, earlier or now with the key.

    Only where ``need_reports`` is false may a cohort be without any report.
    """
    if images.records["report"].null_count() == len(images):
        if need_reports:
            fix = "Use `--method structured`, which is content with labels."
            raise DataError("no record has a report, and this method draws from reports", where=images.where, fix=fix)
        return images
    if "reports" in _methods(card_of(images)):
        return images
    if config.key is None:
        raise DataError(
            "the reports were not de-identified, and they go along with the images",
            where=images.where,
            fix="Run `leadapron defend reports` on the cohort first, or give the key: `--key KEY`.",
        )
    work = None if config.work is None else config.work / "reports"
    cohort = replace(images.cohort, card=images.card)
    clean = apply_defence(REPORTS, cohort, ReportsConfig(key=config.key, work=work), progress=progress)
    return replace(images, cohort=clean, card=clean.card)


def _methods(card: DefenceCard | None) -> list[str]:
    """The methods of a card and of all before it."""
    return [] if card is None else [card.method, *_methods(card.before)]
