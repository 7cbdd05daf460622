"""What can be defended: a cohort, its reports or images, a release or a model. Each has a ``card``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Annotated, Any

from pydantic import Field, InstanceOf, PlainSerializer, ValidationError

from leadapron.cohort import Cohort, read_cohort, write_cohort
from leadapron.cohort.cohort import is_cohort
from leadapron.cohort.image_set import SIZE, ImageSet, read_images, write_images
from leadapron.defences.defence import DefenceCard
from leadapron.defences.model_folder import Model, read_model, write_model
from leadapron.engine.documents import Config, first_fault
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, read_release, write_release
from leadapron.release.provenance import hashes_of, lineage
from leadapron.reports.report_set import COLUMNS, ReportSet, read_reports, write_reports

OtherRelease = Annotated[
    InstanceOf[Release], PlainSerializer(lambda release: next(iter(lineage(release.card)), "not known"))
]
"""A field of a configuration that holds another release; the card then has its id."""


@dataclass(frozen=True)
class SubjectKind:
    """How a subject is read (and its files are held against what was recorded), written and described."""

    kind: type | UnionType
    read: Callable[..., Any]
    write: Callable[..., None]
    told: Callable[[Any], str]
    reads: type[Config] = Config
    """Options of the reading."""


class ReadingReports(Config):
    """How a table of reports is read."""

    column: tuple[str, ...] = Field(
        default=(),
        description="The column of a CSV file that holds record_id, patient_id or report, as in report=text. May be "
        "given several times.",
    )
    skip_unreadable: bool = Field(
        default=False, description="Leave out rows that cannot be read, list them, and exit with 3."
    )


class ReadingImages(Config):
    """How the images of a cohort are read."""

    size: int = Field(default=SIZE, ge=16, description="Rows and columns that images are brought to.")


def _read_cohort(folder: Path, _verify: bool) -> Cohort:
    """With the hashes of its files in the card, from which it has its id; a cohort does not record any."""
    cohort = read_cohort(folder)
    return replace(cohort, card={**cohort.card, "sha256": hashes_of(folder)})


def _read_reports(path: Path, _verify: bool, asked: ReadingReports) -> ReportSet:
    columns = {}
    for said in asked.column:
        name, equals, column = said.partition("=")
        if not equals or name not in COLUMNS or not column:
            raise ConfigError(
                "not a column", where="--column", got=said, allowed=f"{', '.join(COLUMNS)}, as in report=text"
            )
        columns[name] = column
    return read_reports(path, columns=columns, skip_unreadable=asked.skip_unreadable)


def _whose_table(subject: Release | Cohort) -> SubjectKind:
    return SUBJECTS["cohort" if isinstance(subject, Cohort) else "release"]


SUBJECTS: dict[str, SubjectKind] = {
    "reports": SubjectKind(
        ReportSet,
        _read_reports,
        write_reports,
        lambda reports: f"{len(reports):,} reports of {reports.patients:,} patients",
        ReadingReports,
    ),
    "cohort": SubjectKind(
        Cohort,
        _read_cohort,
        write_cohort,
        lambda cohort: f"{len(cohort):,} records of {cohort.patients:,} patients",
    ),
    "images": SubjectKind(
        ImageSet,
        lambda path, _verify, asked: read_images(path, size=asked.size),
        write_images,
        lambda images: f"{len(images):,} images of {images.cohort.patients:,} patients",
        ReadingImages,
    ),
    "release": SubjectKind(
        Release,
        lambda path, verify: read_release(path, verify=verify),
        write_release,
        lambda release: ", ".join(
            f"{name} {' x '.join(f'{n:,}' for n in array.shape)}" for name, array in release.arrays.items()
        ),
    ),
    "model": SubjectKind(
        Model,
        lambda path, verify: read_model(path, verify=verify),
        write_model,
        lambda model: (
            f"{sum(tensor.size for tensor in model.tensors.values()):,} values in {len(model.tensors):,} tensors"
        ),
    ),
    "table": SubjectKind(
        Release | Cohort,
        lambda path, verify: SUBJECTS["cohort" if is_cohort(path) else "release"].read(path, verify),
        lambda subject, folder, **how: _whose_table(subject).write(subject, folder, **how),
        lambda subject: _whose_table(subject).told(subject),
    ),
}


def card_of(subject: Any) -> DefenceCard | None:  # noqa: ANN401 (any of the kinds)
    """The card of the last defence that was applied to it."""
    said = subject.card.get("defence")
    try:
        return _read_card(said) if isinstance(said, dict) else None
    except ValidationError as error:
        place, what = first_fault(error)
        where = subject.name if isinstance(subject, Cohort) else subject.where
        raise DataError(f"the card of its defence cannot be read: {place}: {what}", where=where) from error


def _read_card(said: dict[str, Any]) -> DefenceCard:
    """A card; in one of an older version the facts stood beside the rest, and the group was called kind."""
    if "facts" in said:
        return DefenceCard.model_validate(said)
    known = {name: value for name, value in said.items() if name in DefenceCard.model_fields}
    facts = {name: value for name, value in said.items() if name not in (*known, "kind")}
    before = known.pop("before", None)
    return DefenceCard(
        **{"group": said.get("kind", "others"), **known},
        facts=facts,
        before=None if before is None else _read_card(before),
    )
