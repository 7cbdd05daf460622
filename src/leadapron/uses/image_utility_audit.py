"""The image-utility audit: what can still be learnt from released images, and do they show what they should?"""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
import polars as pl
from pydantic import Field

from leadapron.audits.audit import AuditConfig
from leadapron.audits.gathering import Gathering
from leadapron.audits.groups import groupings, tellable
from leadapron.audits.images_subject import ReleasedImages, image_audit
from leadapron.cohort.truth import labels_of
from leadapron.encoders.image_rows import image_rows
from leadapron.engine import Progress, silent
from leadapron.errors import DataError
from leadapron.results import Attacked, Findings, Measured, Spot
from leadapron.results.withheld import told
from leadapron.stats import Estimate, Outcome
from leadapron.training.devices import AUTO, HELP, refuse_absent
from leadapron.uses.auroc import auroc, spread
from leadapron.uses.image_likeness import coverage, frechet, similarity
from leadapron.uses.image_probes import Rows, learnable, probed
from leadapron.uses.image_scores import METHODS, REAL, RELEASED, ImageScores, mean_area, to_table
from leadapron.uses.image_utility_measures import ALL, COORDINATES, KEPT, LARGE, MEASURES, PLAIN, SMALL, SMALL_FINDINGS
from leadapron.uses.image_utility_page import PAGE

REDRAWS = 1000
FEWEST_IN_GROUP = 10
NULL = "null control (shuffled labels)"
ERRORS_APART = 5.0
LIMITS = (
    "The intervals hold the probes fixed: they speak of other test patients, not of other training runs.",
    "A finding that the probe does not see on real images says nothing about released ones, and is left out.",
    "Released images may show a finding more plainly than real ones do: above 100 % is not fidelity.",
    "Labels come from a labeller that reads reports, as a rule; use is agreement with it.",
)


class ImageUtilityConfig(AuditConfig):
    """Who learns, and which findings count."""

    encoder: str = Field(default="phantom-reports", description="The encoder whose features a linear probe learns on.")
    probe: Literal["linear", "network"] = Field(
        default="linear",
        description="A logistic head on the encoder's features, or a small network that learns from the pixels.",
    )
    epochs: int = Field(default=7, ge=1, description="Epochs of the network.")
    device: str = Field(default=AUTO, description=HELP)
    at_least: float = Field(
        default=0.75, ge=0.5, le=1, description="The AUROC on real images from which on a finding counts."
    )
    positives: int = Field(default=50, ge=1, description="Test images with a finding from which on it counts.")


def audit_image_utility(
    subject: ReleasedImages, config: ImageUtilityConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """Probes learn from split ``train``, are chosen on ``validate`` and judged on ``test``."""
    config, records = config or ImageUtilityConfig(), subject.source.records
    refuse_absent(config.device)
    found = Gathering(IMAGE_UTILITY, seed=config.seed)
    rows = Rows(*(records["split"].eq(side).arg_true().to_numpy() for side in ("train", "validate", "test")))
    labels = learnable(labels_of(records, subject.source.where), rows, subject.source.where)
    seen = partial(image_rows, config.encoder, device=config.device, progress=progress)
    with found.stage("features"):
        real = seen(subject.source.images)
        defended = subject.defended
        released = seen(subject.released.images) if defended else real
    with found.stage("probes"):
        if config.probe == "network":
            from leadapron.uses.image_network_probe import probed_by_network

            said = probed_by_network(subject, labels, rows, config.epochs, config.seed, config.device, progress)
        else:
            said = probed(released, real, labels, rows)
    record, patient = (records[name].to_numpy().astype(str)[rows.test] for name in ("record_id", "patient_id"))
    scores = ImageScores(record, patient, labels.rows(rows.test), said)
    counted, left_out = _counted(scores, config)
    if not counted:
        got = ", ".join(f"{name} {area:.2f} ({positives})" for name, (area, positives) in left_out.items())
        allowed = f"AUROC {config.at_least:g} on real images and {config.positives} test images with the finding"
        raise DataError("no finding can be measured here", where=subject.source.where, got=got, allowed=allowed)
    scores = scores.columns(counted)
    with found.stage("bootstrap"):
        _add(found, scores, config.seed)
        _add_groups(found, scores, records[rows.test], config.seed)
    with found.stage("description"):
        looks = {
            "frechet": frechet(real[rows.test], released[rows.test]),
            "coverage": coverage(real[rows.test], released[rows.test]),
            "ssim": similarity(subject.source.images[rows.test], subject.released.images[rows.test]),
        }
    patients = records["patient_id"]
    sides = (("train", rows.train), ("validate", rows.validate), ("test", rows.test))
    counts = {f"{side}_records": len(own) for side, own in sides}
    counts |= {f"{side}_patients": patients[own].n_unique() for side, own in sides}
    return Findings(
        audit=IMAGE_UTILITY.name,
        about="use",
        headline=Spot.model_validate({"metric": "auroc", "attacker": RELEASED, "findings": ALL}),
        estimates=tuple(found.estimates),
        outcomes=(_null(scores, config.seed), _measurable(counted, left_out)),
        counts={name: told(count) for name, count in counts.items()},
        attacked=Attacked(splits=("test",)),
        limits=LIMITS,
        details={
            "counted": counted,
            "positives": dict(zip(counted, scores.labels.positive.sum(axis=0).tolist(), strict=True)),
            "left_out": {name: area for name, (area, _) in left_out.items()},
            "looks": looks,
            "defended": subject.defended,
            "redraws": REDRAWS,
            "seed": config.seed,
        },
        timings=found.timings,
    ).with_evidence({"records": to_table(scores)})


def _counted(scores: ImageScores, config: ImageUtilityConfig) -> tuple[list[str], dict[str, tuple[float, int]]]:
    """Findings that a probe sees on real images; the others with what it got, and in how many test images they are."""
    areas, positives = auroc(scores.scores[REAL], scores.labels), scores.labels.positive.sum(axis=0)
    every = {
        name: (float(area), int(count)) for name, area, count in zip(scores.labels.names, areas, positives, strict=True)
    }
    counted = [name for name, (area, count) in every.items() if area >= config.at_least and count >= config.positives]
    return counted, {name: got for name, got in every.items() if name not in counted}


def _add(found: Gathering, scores: ImageScores, seed: int) -> None:
    """Means over all, large and small findings, and every finding, by method; and what is kept of the real one's."""
    names = scores.labels.names
    sets = {
        ALL: names,
        LARGE: tuple(name for name in names if name not in SMALL_FINDINGS),
        SMALL: tuple(name for name in names if name in SMALL_FINDINGS),
        **{name: (name,) for name in names},
    }
    areas = {method: scores.areas(method, REDRAWS, seed) for method in METHODS}
    patients = len(np.unique(scores.patient_id))
    for findings, own in sets.items():
        if not own:
            continue
        at = [names.index(name) for name in own]
        means = {method: mean_area(areas[method][:, at]) for method in METHODS}
        for method in METHODS:
            estimate = Estimate(float(means[method][0]), *spread(means[method][1:]), len(scores.record_id), patients)
            found.add("auroc", estimate, attacker=method, chance=0.5, findings=findings)
        if not np.array_equal(means[RELEASED], means[REAL]):  # of real images themselves nothing is kept or lost
            kept = means[RELEASED] / means[REAL]
            estimate = Estimate(float(kept[0]), *spread(kept[1:]), len(scores.record_id), patients)
            found.add(KEPT, estimate, attacker=RELEASED, chance=0.5 / float(means[REAL][0]), findings=findings)


def _add_groups(found: Gathering, scores: ImageScores, records: pl.DataFrame, seed: int) -> None:
    """The mean over findings that are there and absent in every group, by sex, view and age."""
    patient = np.unique(scores.patient_id, return_inverse=True)[1].astype(np.int64)
    people = records.select(name for name in ("sex", "view", "age") if name in records.columns)
    for attribute, every in groupings(people, ("sex", "view", "age")).items():
        column = tellable(every, patient)
        for kind in sorted(column.drop_nulls().unique()):
            part = scores.rows((column == kind).fill_null(value=False).arg_true().to_numpy())
            positives = part.labels.positive.sum(axis=0)
            enough = (positives >= FEWEST_IN_GROUP) & (part.labels.known.sum(axis=0) - positives >= FEWEST_IN_GROUP)
            names = [name for name, there in zip(part.labels.names, enough, strict=True) if there]
            if not names:
                continue
            for method in (RELEASED, REAL):
                means = mean_area(part.columns(names).areas(method, REDRAWS, seed))
                patients = len(np.unique(part.patient_id))
                estimate = Estimate(float(means[0]), *spread(means[1:]), len(part.record_id), patients)
                found.add_of_some(
                    "auroc", estimate, attacker=method, chance=0.5, group=f"{attribute}={kind}", findings=ALL
                )


def _null(scores: ImageScores, seed: int) -> Outcome:
    """The labels of the test images dealt out anew."""
    dealt = scores.labels.rows(np.random.default_rng(seed).permutation(len(scores.record_id)))
    positives, known = dealt.positive.sum(axis=0), dealt.known.sum(axis=0)
    error = float(np.sqrt((known + 1) / (12 * positives * (known - positives))).mean())
    areas = {method: float(auroc(scores.scores[method], dealt).mean()) for method in METHODS}
    right = tuple(method for method, area in areas.items() if abs(area - 0.5) <= ERRORS_APART * error)
    told_of = ", ".join(f"{method} {area:.4f}" for method, area in areas.items())
    reason = f"mean AUROC with shuffled labels: {told_of}; chance 0.5"
    return Outcome(NULL, "pass" if len(right) == len(areas) else "error", reason, right)


def _measurable(counted: list[str], left_out: dict[str, tuple[float, int]]) -> Outcome:
    reason = f"{len(counted)} of {len(counted) + len(left_out)} findings count"
    if not left_out:
        return Outcome("measurable findings", "pass", reason)
    return Outcome("measurable findings", "warn", f"{reason}; not measurable here: {', '.join(left_out)}")


def _positives(found: Findings, row: Measured) -> int | None:
    counts: dict[str, int] = found.details.get("positives", {})
    return None if row.findings in (ALL, LARGE, SMALL) else counts.get(row.findings, 0)


IMAGE_UTILITY = image_audit(
    audit_image_utility,
    name="image-utility",
    question="what can still be learnt from released images?",
    config=ImageUtilityConfig,
    measures=MEASURES,
    attackers=PLAIN,
    coordinates=COORDINATES,
    about="use",
    positives=_positives,
    page=PAGE,
)
