"""What can enter a trial, kind by kind: how it is recognised and read, whose records it holds, what it is called."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from leadapron.attacks.federation import FederatedRun, RunConfig, load_run
from leadapron.attacks.membership.reading import OUTPUTS
from leadapron.attacks.membership.signals_subject import inputs_of_signals
from leadapron.attacks.reports.report_subject import inputs_of as inputs_of_reports
from leadapron.attacks.reports.report_subject import read_released
from leadapron.audits.images_subject import images_inputs
from leadapron.cohort import Cohort, read_cohort
from leadapron.cohort.image_set import ImageSet, read_images
from leadapron.defences.model_folder import WEIGHTS, read_model
from leadapron.engine import sha256
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import DataError
from leadapron.reports.report_set import TABLE
from leadapron.results import Inputs, Subject

IDS = ("record_id", "patient_id", "split")
ALL_SEEN = (
    "Every attacker attacks each {} with all that can be seen of it. The same patients are asked about in all {}s."
)


@dataclass(frozen=True)
class Located:
    """A cohort, reports, models or a network in a folder; each audit reads its own part of it."""

    path: Path
    content: Any
    """What was read already."""
    size: int
    """Rows and columns that images are brought to."""

    @cached_property
    def images(self) -> ImageSet:
        """Read once for all audits of images."""
        return self.content if isinstance(self.content, ImageSet) else read_images(self.path, size=self.size)

    @property
    def records(self) -> pl.DataFrame:
        table: pl.DataFrame = self.content.records
        return table


@dataclass(frozen=True)
class TrialKind:
    """One kind of subject, and the sentences of a page that depend on it."""

    noun: str
    tried: str
    """Above the title of the page: "A release"."""
    adaptive: str
    same: str
    """What to do about entrants that are not of the same records."""
    subjects: tuple[str, ...]
    """The subjects of audits that are asked of it; the first that finds a risk is the frontier's axis."""
    is_one: Callable[[Path], bool]
    read: Callable[[Path, int, bool], tuple[Any, Inputs]]
    whose: Callable[[Any], pl.DataFrame]
    """What must be the same of all entrants."""


def _read_run(path: Path, _size: int, verify: bool) -> tuple[FederatedRun, Inputs]:
    loaded = load_run(path, RunConfig(), verify)
    return loaded.subject, loaded.inputs


def _dealt(run: FederatedRun) -> pl.DataFrame:
    """Every record of every place, by a hash of what the place holds of it."""
    rows = []
    for station in (*run.hospitals.values(), run.test):
        halves = [half for half in (station.image, station.text) if half is not None]
        for row in range(len(station)):
            held = b"".join(array[row].tobytes() for array in (station.truth, *halves))
            rows.append((station.name, int(station.patients[row]), hashlib.sha256(held).hexdigest()))
    return pl.DataFrame(rows, schema=["place", "patient", "record"], orient="row")


def _read_cohort(path: Path, size: int, _verify: bool) -> tuple[Located, Inputs]:
    cohort = read_cohort(path)
    return Located(path, cohort, size), _cohort_inputs(path, cohort)


def _cohort_inputs(path: Path, cohort: Cohort) -> Inputs:
    """The table, and the image files by one hash."""
    hashes = {"records.parquet": sha256(path / "records.parquet")}
    files = [Path(name) for name in cohort.records["image_path"].drop_nulls()]
    if files:
        together = hashlib.sha256()
        for file in files:
            if not file.is_file():
                raise DataError("the image file does not exist", where=file)
            together.update(sha256(file).encode())
        hashes["images"] = together.hexdigest()
    defence = cohort.card.get("defence")
    return Inputs(
        release=path.resolve().name,
        cohort=cohort.name,
        defence=defence if isinstance(defence, dict) else None,
        sha256=hashes,
        subject=Subject(kind="cohort", id=id_of_files(hashes)),
    )


def in_memory(images: ImageSet, size: int) -> tuple[Located, Inputs]:
    """Images in memory; only audits of images can be asked of them."""
    inputs = images_inputs(images, "images in memory")
    subject = inputs.subject.model_copy(update={"kind": "cohort"})
    return Located(Path(images.where), images, size), inputs.model_copy(update={"subject": subject})


def _holds_reports(path: Path) -> bool:
    """A table of reports, or text files and none of the arrays and tables of a release."""
    if path.is_file():
        return path.suffix == ".csv"
    arrays = any(file.suffix in (".npy", ".npz", ".parquet", ".json") for file in path.iterdir())
    return (path / TABLE).is_file() or (not arrays and any(path.rglob("*.txt")))


def _read_reports(path: Path, size: int, _verify: bool) -> tuple[Located, Inputs]:
    released = read_released(path)
    return Located(path, released, size), inputs_of_reports(path, released)


@dataclass(frozen=True)
class ModelsTable:
    """Whom the models were asked about."""

    records: pl.DataFrame


def _read_signals(path: Path, size: int, verify: bool) -> tuple[Located, Inputs]:
    table = path / "records.parquet"
    if not table.is_file():
        raise DataError("the file is missing", where=table)
    return Located(path, ModelsTable(pl.read_parquet(table)), size), inputs_of_signals(path, verify=verify)


def _read_model(path: Path, size: int, verify: bool) -> tuple[Located, Inputs]:
    model = read_model(path, verify=verify)
    hashes = {str(name): str(digest) for name, digest in dict(model.card["sha256"]).items()}  # type: ignore[call-overload]
    defence = model.card.get("defence")
    inputs = Inputs(
        release=path.resolve().name,
        defence=defence if isinstance(defence, dict) else None,
        sha256=hashes,
        verified=verify,
        subject=Subject(kind="model", id=id_of_files(hashes)),
    )
    return Located(path, model, size), inputs


def _records_of(located: Located) -> pl.DataFrame:
    records = located.records
    named = [name for name in IDS if name in records.columns]
    return records.select(pl.col(named).cast(pl.String)).sort("record_id")


KINDS = {
    "run": TrialKind(
        "run",
        "A federated training",
        ALL_SEEN.format("run", "run"),
        "Train both on the same release, with the same hospitals, patients, public set and seed.",
        ("run",),
        lambda path: (path / "run.json").is_file(),
        _read_run,
        _dealt,
    ),
    "cohort": TrialKind(
        "cohort",
        "A cohort",
        "Every attacker attacks each cohort, also one who knows the method and what it made of other patients. "
        "Attackers learn from other patients than those that they attack.",
        "Make both from the same cohort.",
        ("cohort", "images", "reports"),
        lambda path: (path / "cohort.json").is_file(),
        _read_cohort,
        _records_of,
    ),
    "reports": TrialKind(
        "report set",
        "A set of reports",
        ALL_SEEN.format("report set", "report set"),
        "Make both from the same reports.",
        ("reports",),
        _holds_reports,
        _read_reports,
        _records_of,
    ),
    "signals": TrialKind(
        "group of models",
        "What models say",
        ALL_SEEN.format("group of models", "group"),
        "Ask both groups of models about the same records.",
        ("signals",),
        lambda path: any((path / name).is_file() for name in OUTPUTS),
        _read_signals,
        _records_of,
    ),
    "model": TrialKind(
        "model",
        "A model",
        ALL_SEEN.format("model", "model"),
        "",
        ("model",),
        lambda path: (path / WEIGHTS).is_file(),
        _read_model,
        lambda _model: pl.DataFrame(),
    ),
}
"""What is none of these is a release, which has a file of its own."""
RELEASE = "release"


def kind_of(path: Path) -> str:
    """By the files in a folder."""
    return next((name for name, kind in KINDS.items() if kind.is_one(path)), RELEASE)
