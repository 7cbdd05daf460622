"""Scenarios of what is no release: every registered audit of its parts, read beside the subject before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from leadapron.attacks.reports.true_spans import IDENTIFIERS
from leadapron.audits.audit import NOTHING, Audit
from leadapron.audits.images_subject import ReleasedImages, images_inputs
from leadapron.cohort import Cohort
from leadapron.cohort.image_set import ImageSet
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.errors import LeadapronError
from leadapron.release.provenance import TABLE
from leadapron.trials.scenario import Prepare, Ready
from leadapron.trials.trial_config import TrialConfig
from leadapron.trials.trial_kinds import Located

WRITING = "report-writing"
IN_TRIALS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "image-identity": ({"networks": "off"}, {"networks": "on"}),
    "image-utility": ({"probe": "linear"}, {"probe": "network"}),
}
"""Options of audits without and with networks, which are the slowest attackers and probes."""
NOTES = {
    WRITING: "A writer learns from the released images and reports of the training patients and writes about the real "
    "images of test patients; what it wrote is compared with their real reports. Another training run would give "
    "somewhat other numbers.",
}
WITHOUT_NETWORKS = {
    "image-identity": "No network was trained to recognise patients: `--networks` does that, and may find more.",
    "image-utility": "The probe is a logistic head on an encoder's features: `--networks` takes a network instead, "
    "which sees smaller findings.",
}
"""What is said of these audits where networks were not asked for."""
NO_TRUTH = f"It takes the truth, and the cohort before holds no {IDENTIFIERS}."
NO_IMAGES = "The records have no images."
IN_MEMORY = "It reads a folder, and these images are in memory."


def prepare_by(audit: Audit) -> Prepare:
    """How such an audit gets its subject out of an entrant."""

    def prepare(subject: Any, before: Any, config: TrialConfig, _progress: Progress) -> Ready | str:  # noqa: ANN401
        options = config.asked.get(audit.name, {}) | IN_TRIALS.get(audit.name, ({}, {}))[config.networks]
        if config.encoder is not None and "encoder" in audit.config.model_fields:
            options["encoder"] = config.encoder
        if audit.name == WRITING:
            options["writer"] = config.writer
        asked = audit.config(seed=config.seed, **options)
        if not isinstance(subject, Located):  # a federated run deals out by itself whom it asks about
            return Ready(subject, NOTHING, asked, {})
        if audit.subject == "images":
            return _images(subject, before, asked)
        if audit.subject in ("cohort", "model"):
            return Ready(subject.content, NOTHING, asked, {})
        if isinstance(subject.content, ImageSet):
            return IN_MEMORY
        read = _reading(audit, subject, before)
        if isinstance(read, str) or audit.load is None:
            return str(read)
        try:
            loaded = audit.load(subject.path, read, True)
        except LeadapronError as error:
            return said_of(error, subject.path, getattr(subject.content, "name", ""))
        return Ready(loaded.subject, loaded.knowledge, asked, dict(loaded.said), loaded.inputs)

    return prepare


def _images(subject: Located, before: Located, asked: Any) -> Ready | str:  # noqa: ANN401
    if subject.records["image_path"].is_null().all() and not isinstance(subject.content, ImageSet):
        return NO_IMAGES
    try:
        pair = ReleasedImages(subject.images, before.images)
    except LeadapronError as error:
        return said_of(error, subject.path)
    said: dict[str, object] = {"source": before.path.name if pair.defended else None, "size": pair.released.size}
    return Ready(pair, NOTHING, asked, said, images_inputs(pair.released, "images"))


def _reading(audit: Audit, subject: Located, before: Located) -> Config | str:
    """What is asked about the reading, as far as the subject before answers it."""
    fields, known = audit.reads.model_fields, {}
    if "truth" in fields:
        if (before.path / IDENTIFIERS).is_file():
            known["truth"] = before.path
        elif fields["truth"].is_required():
            return NO_TRUTH
    elif "source" in fields and subject is not before:
        known["source"] = before.path
    return audit.reads(**known)


def said_of(error: LeadapronError, *places: Path | str) -> str:
    """The reason without the place, which is private."""
    why = str(error)
    for place in places:
        why = why.removeprefix(f"{place}: ")
    return why[:1].upper() + why[1:]


def parts_changed(before: Located, others: list[Located]) -> set[str]:
    """Which parts of a cohort a defence has changed: what is as it was need not be attacked twice."""
    if not isinstance(before.content, Cohort):
        return {"images", "reports"}
    columns = {"images": "image_path", "reports": "report"}
    rest = [name for name in before.records.columns if name not in columns.values()]
    parts = {part: [column] for part, column in columns.items()} | {TABLE: rest}
    changed = {
        part
        for part, names in parts.items()
        if any(not _columns(other, names).equals(_columns(before, names)) for other in others)
    }
    return changed or set(columns)


def _columns(located: Located, names: list[str]) -> pl.DataFrame:
    return located.records.sort("record_id").select(name for name in names if name in located.records.columns)
