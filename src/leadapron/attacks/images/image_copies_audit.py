"""The image-copies audit: are released images copies of images that the generator was trained on?

A smooth image lies near to many. So nearness is not judged by itself, but by how near real images of other patients,
whom no generator has seen, come to the same training images; and by its tail, because copies are few.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.ndimage import gaussian_filter

from leadapron.attacks.images.flagged import flagged, threshold_at
from leadapron.attacks.images.image_copies_page import (
    CHEXGENBENCH,
    COORDINATES,
    DAR,
    FLAGGED,
    HELD_OUT,
    MEASURES,
    PAGE,
    PLAIN,
    TRAINING,
)
from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.images.nearest_images import known_patches, nearest, patch_distances, whole_rows
from leadapron.attacks.images.published_copy_rules import published_rules
from leadapron.audits.audit import AuditConfig
from leadapron.audits.images_subject import ReleasedImages, image_audit
from leadapron.audits.vouching import null_outcome, off_chance, planted_outcome
from leadapron.engine import Progress, silent
from leadapron.engine.remembered import content, remembered
from leadapron.results import Findings, Measured
from leadapron.stats import Outcome

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

RATE, WIDER = 0.01, 0.05
FEWEST_ALARMS = 3.7
"""With fewer expected alarms none at all would be no surprise: then the wider share of real images is allowed."""
PLANTED = 200
MOVED = 128
"""Duplicates are moved by a pixel in so many."""
NULL_CHECK, PLANTED_CHECK = "null control (real images of other patients)", "planted duplicates"
FOUND = 0.5
LIMITS = (
    "Copies are looked for among whole images and patches at the same place. A copy that was turned over, moved far or "
    "pasted elsewhere may be missed.",
    "The threshold is set by the nearest hundredth of real images of the test patients; the interval allows for that.",
    "A record's counterpart shares its findings, and so lies a little nearer to its source than chance has it: read "
    "those of training records beside those of held-out records.",
    "Undefended training images are their own copies, all of them.",
)


class ImageCopiesConfig(AuditConfig):
    """How many are looked at."""

    most: int = Field(default=2500, ge=50, description="Released images of each kind that are looked at, at most.")


@dataclass(frozen=True)
class _Sets:
    """Scores, higher is nearer to a training image, of real held-out images and of released ones, by attacker."""

    held: dict[str, Doubles]
    released: dict[str, Doubles]


def audit_image_copies(
    subject: ReleasedImages, config: ImageCopiesConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """``train`` is what a generator was trained on, ``test`` the patients that it has not seen."""
    config, records = config or ImageCopiesConfig(), subject.source.records
    found, sides = ImageGathering.of(IMAGE_COPIES, subject, config.seed)
    rng, training = np.random.default_rng(config.seed), records["split"].eq("train").arg_true().to_numpy()
    some = {TRAINING: _some(rng, training, config.most), HELD_OUT: _some(rng, sides.attacked, config.most)}
    asked = np.concatenate([*some.values()])
    planted, of = _planted(subject, rng, training)
    held_owner = sides.patient[sides.attacked]
    rate = RATE if RATE * len(np.unique(held_owner)) >= FEWEST_ALARMS else WIDER
    metric = f"{FLAGGED}={rate:g}"
    with found.stage("looking"):
        progress("looking for copies", 0, 2)
        others, images = np.concatenate([subject.released.images[asked], planted]), subject.source.images
        real, made = whole_rows(images, training, config.seed, others)
        whole, own = _whole(real, made, training, sides.attacked)
        progress("looking for copies", 1, 2)
        patches = _patches(images, training, sides.attacked, others, rate, config.seed)
        sets = _Sets(*({"whole": one, "patches": two} for one, two in zip(whole, patches, strict=True)))
        progress("looking for copies", 2, 2)
    for attacker, null in sets.held.items():
        start = 0
        for kind, rows in some.items():
            scores = sets.released[attacker][start : start + len(rows)]
            start += len(rows)
            estimate, above = flagged(null, held_owner, scores, sides.patient[rows], rate)
            row = found.add(metric, estimate, attacker=attacker, chance=rate, records=kind)
            found.keep(row, rows, above)
    rules = published_rules(real, records, sides.patient, config.seed)
    for rule in rules:
        above = rule.flags(made[: len(asked)], asked).astype(np.float64)
        for kind, at in ((TRAINING, slice(0, len(some[TRAINING]))), (HELD_OUT, slice(len(some[TRAINING]), None))):
            estimate = found.means(above[at, None], sides.patient[asked[at]])[0]
            found.add("flagged", estimate, attacker=rule.name, chance=max(rule.false_alarms, 1e-6), records=kind)
    headline = found.strongest(metric, tuple(sets.held), records=TRAINING)
    outcomes = [_null(sets, held_owner, rate, config.seed), _power(sets, rate, len(asked), headline)]
    is_own = sides.patient[training][own[: len(some[TRAINING])]] == sides.patient[some[TRAINING]]
    counts = {"training": len(training), "held_out": len(sides.attacked), "records": len(asked)}
    details = {
        "own": float(is_own.mean()),
        "published": {rule.name: rule.false_alarms for rule in rules},
        "planted": int(of),
        "defended": subject.defended,
    }
    return found.findings(headline, outcomes=outcomes, limits=LIMITS, counts=counts, details=details)


def _some(rng: np.random.Generator, rows: Ints, most: int) -> Ints:
    return np.sort(rng.permutation(rows)[:most])


def _planted(subject: ReleasedImages, rng: np.random.Generator, training: Ints) -> tuple[Bytes, int]:
    """Training images, moved a little, softened and with noise: what a generator that remembers gives out."""
    chosen = _some(rng, training, PLANTED)
    by = subject.source.size // MOVED
    moved = np.roll(subject.source.images[chosen], (by, -by), axis=(1, 2)).astype(np.float64)
    soft = gaussian_filter(moved, (0, 0.6, 0.6)) + rng.normal(0, 4, moved.shape)
    return np.clip(soft, 0, 255).astype(np.uint8), len(chosen)


def _whole(real: Floats, made: Floats, training: Ints, held: Ints) -> tuple[tuple[Doubles, Doubles], Ints]:
    """The scores of held-out and of ``made`` images, and which training image each of these is nearest to."""
    known = real[training]
    near = remembered(real, ("held-out", content(training, held)), lambda: nearest(real[held], known)[0])
    found, place = nearest(made, known)
    return (-near, -found), place


def _patches(
    images: Bytes, training: Ints, held: Ints, others: Bytes, rate: float, seed: int
) -> tuple[Doubles, Doubles]:
    known = remembered(images, ("patches", content(training), seed), lambda: known_patches(images[training], seed))
    what = ("held-out patches", content(training, held), seed)
    usual = remembered(images, what, lambda: patch_distances(known, images[held]))
    return usual.scores(usual, rate), patch_distances(known, others).scores(usual, rate)


def _null(sets: _Sets, owner: Ints, rate: float, seed: int) -> Outcome:
    """Half of the held-out patients set the threshold, and the other half is looked at."""
    patients = np.unique(owner)
    half = np.isin(owner, np.random.default_rng(seed).permutation(patients)[: len(patients) // 2])
    null = ImageGathering(IMAGE_COPIES)
    for attacker, scores in sets.held.items():
        estimate, _ = flagged(scores[half], owner[half], scores[~half], owner[~half], rate)
        null.add(f"{FLAGGED}={rate:g}", estimate, attacker=attacker, chance=rate, records=HELD_OUT)
    off = [row for row in null.estimates if off_chance(row) and not row.low <= rate <= row.high]
    return null_outcome(NULL_CHECK, null.estimates, off, "real images of patients whom no generator has seen")


def _power(sets: _Sets, rate: float, released: int, headline: Measured) -> Outcome:
    found = {
        attacker: float((sets.released[attacker][released:] > threshold_at(null, rate)).mean())
        for attacker, null in sets.held.items()
    }
    world = "training images, moved a little, softened and with noise"
    return planted_outcome(PLANTED_CHECK, found, headline.attacker, world, least=FOUND)


IMAGE_COPIES = image_audit(
    audit_image_copies,
    name="image-copies",
    answers="member",
    question="are released images copies of training images?",
    config=ImageCopiesConfig,
    measures=MEASURES,
    attackers=PLAIN,
    never_headline=frozenset({DAR, CHEXGENBENCH}),
    coordinates=COORDINATES,
    place="counterparts of {records}",
    beside=("records",),
    risk="copies of training images",
    ring="more copies of training images than expected",
    split="train",
    policy=files("leadapron.attacks.images").joinpath("image_copies_policy.toml").read_text(),
    page=PAGE,
)
