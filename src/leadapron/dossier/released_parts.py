"""What would leave the house, as the files say it: parts by name, each in words for a board."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import polars as pl

from leadapron.cohort import Cohort
from leadapron.release import Release
from leadapron.trials.entrants import Entrant

IDS = {"record_id", "patient_id", "study_id", "report_id"}
NOT_TOLD = IDS | {"split", "image_path", "report"}


PICTURES, WORDS = {"images", "image vectors"}, {"reports", "report vectors"}


def applies(question: str, parts: Collection[str]) -> bool:
    """Whether a board's question can be asked of what leaves: without a table nobody is singled out by it."""
    held = set(parts)
    match question:
        case "table":
            return "table" in held
        case "joined":
            return bool(held & PICTURES) and bool(held & WORDS)
        case "recognised" | "attribute":
            return bool(held & (PICTURES | WORDS))
    return True


def released_parts(entrant: Entrant) -> Mapping[str, str]:
    """Part by part, in words; what is not among them does not leave."""
    subject = entrant.subject
    content = getattr(subject, "content", subject)
    if isinstance(content, Release):
        return _of_release(content)
    if isinstance(content, Cohort):
        return _of_cohort(content)
    if entrant.kind == "reports":
        return {"reports": f"{len(subject.records):,} reports in words"}
    return {"model": "a trained model" if entrant.kind in ("model", "run") else "what trained models say of records"}


def columns_that_leave(entrant: Entrant) -> list[str]:
    """Of the table beside what leaves, in words."""
    content = getattr(entrant.subject, "content", entrant.subject)
    return table_columns(content.records) if isinstance(content, Release | Cohort) else []


def size_of_release(entrant: Entrant) -> str:
    """2,098 X-rays and 1,888 reports of 600 patients, as far as the records say it."""
    records = getattr(entrant.subject, "records", None)
    if not isinstance(records, pl.DataFrame) or records.is_empty():
        return {"run": "a model of several hospitals", "model": "a model"}.get(entrant.kind, "models")
    parts = released_parts(entrant)
    images = [f"{len(records):,} chest X-rays"] if PICTURES & set(parts) else []
    reports = [f"{_reports(records):,} reports"] if WORDS & set(parts) else []
    counted = " and ".join([*images, *reports]) or f"{len(records):,} records"
    if "patient_id" not in records.columns:
        return counted
    return f"{counted} of {records['patient_id'].n_unique():,} patients"


def _of_release(release: Release) -> dict[str, str]:
    parts = {}
    for part, array, of in (("image vectors", "image", "X-ray"), ("report vectors", "text", "report")):
        if array in release.arrays:
            parts[part] = f"{release.arrays[array].shape[1]:,} numbers made of each {of}"
    columns = table_columns(release.records)
    return {**parts, "table": f"a table: {', '.join(columns)}"} if columns else parts


def _of_cohort(cohort: Cohort) -> dict[str, str]:
    records, parts = cohort.records, {}
    if not records["image_path"].is_null().all():
        parts["images"] = f"{records['image_path'].count():,} pictures"
    if "report" in records.columns and not records["report"].is_null().all():
        parts["reports"] = f"{_reports(records):,} reports in words"
    columns = table_columns(records)
    return {**parts, "table": f"a table: {', '.join(columns)}"} if columns else parts


def table_columns(records: pl.DataFrame) -> list[str]:
    """The columns of the table in words; findings are counted, not listed. Ids are not handed over."""
    filled = [name for name in records.columns if records[name].null_count() < len(records)]
    labels = [name for name in filled if name.startswith("label_")]
    others = [name.replace("_", " ") for name in filled if name not in NOT_TOLD and name not in labels]
    return [*others, *([f"{len(labels)} findings"] if labels else [])]


def _reports(records: pl.DataFrame) -> int:
    if "report_id" in records.columns:
        return records["report_id"].n_unique()
    return records["report"].n_unique() if "report" in records.columns else len(records)
